/** Platforms, notifiers and charts. */
export default {
  '{title}.': '{title}.',
  '{title}, {from} to {to}.': '{title}, del {from} al {to}.',
  'Line at {value}: {name}.': 'Línea en {value}: {name}.',
  '{series}: no data.': '{series}: sin datos.',
  '{series}: {last}, a single value.': '{series}: {last}, un solo valor.',
  '{series} stayed at {last}.': '{series} se mantuvo en {last}.',
  '{series} ended about where it began: from {first} to {last}, between {low} and {high}.':
    '{series} acabó más o menos donde empezó: de {first} a {last}, entre {low} y {high}.',
  '{series} rose from {first} to {last}, between {low} and {high}.':
    '{series} subió de {first} a {last}, entre {low} y {high}.',
  '{series} fell from {first} to {last}, between {low} and {high}.':
    '{series} bajó de {first} a {last}, entre {low} y {high}.',
  'Of the time: {shares}; last {last}.': 'Parte del tiempo: {shares}; al final, {last}.',
  'Marked {n, plural, one {once} other {# times}}: {name}.':
    'Marcado {n, plural, one {una vez} other {# veces}}: {name}.',
  '{n} more not drawn': '{n} más sin dibujar',
  'No data': 'Sin datos',
} satisfies Readonly<Record<string, string>>;
