/** Events, posts a day and what alerts are judged by. */
export default {
  'part of "{alert}"': 'parte de "{alert}"',
  'Part of: {alert}': 'Parte de: {alert}',
  'Told in another': 'En otro mensaje',
  'It belongs to an event that was sent as one message.':
    'Pertenece a un evento que se envió en un solo mensaje.',
  'How many posts a day come here is chosen for the chat, not for one person.':
    'Cuántos avisos al día llegan aquí se elige para el chat, no para una persona.',
  Interruptions: 'Interrupciones',
  'Prices fell': 'Caídas de precio',
  'Prices rose': 'Subidas de precio',
  'With what was beyond this chat’s posts a day: "{settings}" changes that.':
    'Con lo que superaba los avisos al día de este chat: "{settings}" lo cambia.',
  'give a number of posts, such as 8, or none': 'indica un número de mensajes, p. ej. 8, o none',
  'any number of posts': 'sin límite de avisos',
  'beyond the {n, plural, one {# post} other {# posts}} a day of this chat':
    'por encima {n, plural, one {del aviso} other {de los # avisos}} al día de este chat',
  '{n, plural, one {at most # post} other {at most # posts}} a day, the rest in a digest':
    '{n, plural, one {como mucho # aviso} other {como mucho # avisos}} al día, el resto en un resumen',
  '{symbol}: {move} in {length}': '{symbol}: {move} en {length}',
  'Change in 5 min': 'Cambio en 5 min',
  Ended: 'Fin',
  'Got worse': 'Empeora',
  'In {minutes} min': 'En {minutes} min',
  'Markets with crowded longs': 'Mercados con exceso de largos',
  'Markets with crowded shorts': 'Mercados con exceso de cortos',
  'Markets with long liquidations': 'Mercados con liquidación de largos',
  'Markets with short liquidations': 'Mercados con liquidación de cortos',
  'Bitcoin’s regime and its score': 'Régimen de bitcoin y su puntuación',
  'Share of the markets': 'Parte de los mercados',
  'No chart of an alert': 'Ningún gráfico de alerta',
  'No such alert is kept, or it has none. "{market}" shows how things are now.':
    'Esa alerta ya no se guarda o no tiene gráfico. "{market}" muestra cómo está todo ahora.',
  'a side from': 'lado desde',
  'burst from': 'oleada desde',
  'cascade from': 'cascada desde',
  'critical from': 'crítica desde',
  'high from': 'alto desde',
  'overheated from': 'sobrecalentado desde',
  'rapid from': 'rápido desde',
  '{symbol} funding per settlement': 'Funding de {symbol} por liquidación',
  '{symbol} liquidations per minute': 'Liquidaciones de {symbol} por minuto',
};
