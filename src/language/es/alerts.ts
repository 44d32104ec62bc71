/** Cards, the pipeline and the first half of the detectors. */
export default {
  '{n, plural, one {# alert} other {# alerts}}: {kinds}':
    '{n, plural, one {# alerta} other {# alertas}}: {kinds}',
  'All resolved.': 'Todas resueltas.',
  Alert: 'Alerta',
  Severity: 'Gravedad',
  Status: 'Estado',
  '{open, number} going on, {ended, number} resolved.':
    '{open, number} en curso, {ended, plural, one {# resuelta} other {# resueltas}}.',
  'Resolved after {after}.': 'Resuelta tras {after}.',
  'Going on for {after}.': 'En curso desde hace {after}.',
  'Escalated from {from} to {to} after {after}.': 'Agravada de {from} a {to} tras {after}.',
  'Eased from {from} to {to} after {after}.': 'Atenuada de {from} a {to} tras {after}.',
  'Resolved after {after}': 'Resuelta tras {after}',
  'Unknown: no fresh data for {age}. Below is what was known last.':
    'Situación desconocida: sin datos recientes desde hace {age}. Abajo, lo último que se supo.',
  'Told late, by {lateBy}.': 'Aviso tardío, con {lateBy} de retraso.',
  'Silence {hours, number} h': 'Silenciar {hours, number} h',
  Chart: 'Gráfico',
  Why: 'Por qué',
  'Mute this kind': 'Silenciar este tipo',
  'Digest: {n, plural, one {# alert} other {# alerts}}':
    'Resumen: {n, plural, one {# alerta} other {# alertas}}',
  'At worst': 'En su peor momento',
  'data of {time}': 'datos del {time}',
  '{age} old': '{age} de antigüedad',
  '… and {n} more': '… y {n} más',
  'Go on with …': 'Continuar con …',
  '{low} to {high} {unit}': 'de {low} a {high} {unit}',
  '{source}, {speed} ×': '{source}, {speed} ×',
} satisfies Readonly<Record<string, string>>;
