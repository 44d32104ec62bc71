/** People’s own alerts. */
export default {
  'A condition has at most {longest, number} characters; this one has {length, number}.':
    'Una condición tiene como máximo {longest, number} caracteres; esta tiene {length, number}.',
  'abs is the only function: a condition compares metrics, joined by && and ||, negated by !.':
    'Una condición no tiene más función que abs: compara métricas, unidas por && y ||, negadas con !.',
  'A condition says what must be true, such as {example}.':
    'Una condición dice qué debe cumplirse, p. ej. {example}.',
  'A condition names at least one metric, such as {example}.':
    'Una condición nombra al menos una métrica, p. ej. {example}.',
  'Price, USD': 'Precio, USD',
  'Price change over 24 hours, percent': 'Cambio del precio en 24 horas, en porcentaje',
  'The service’s aggregated signal: below 0 bearish, above bullish':
    'Señal agregada del servicio: por debajo de 0 bajista, por encima alcista',
  'The service’s master score: 0 to 100, above 50 bullish':
    'Puntuación master del servicio: de 0 a 100, por encima de 50 alcista',
  'Funding at the last settlement, percent per settlement': 'Funding del último pago, en porcentaje por pago',
  'Funding at the last settlement × 3 × 365, percent, whatever the market’s interval':
    'Funding del último pago × 3 × 365, en porcentaje, sea cual sea el intervalo del mercado',
  'Funding at the last settlement, percent a year at the market’s own interval':
    'Funding del último pago, en porcentaje al año según el intervalo del mercado',
  'Funding z-score over 30 days (hosted services may say 0 within ±1.5)':
    'Puntuación z del funding en 30 días (un servicio externo puede indicar 0 dentro de ±1,5)',
  'Open interest change over 5 minutes, percent': 'Cambio del open interest en 5 minutos, en porcentaje',
  'Change of oi.ratePct over 5 minutes': 'Cambio de oi.ratePct frente a 5 minutos antes',
  'Open interest change over an hour, percent': 'Cambio del open interest en una hora, en porcentaje',
  'Open interest, USD': 'Open interest, USD',
  'Basis: mark over index price, percent': 'Base: precio de marca frente al del índice, en porcentaje',
  'Volume delta (CVD) of the last 24 hours: taker buys minus sells, in coins':
    'Delta de volumen (CVD) de las últimas 24 horas: compras menos ventas de takers, en monedas',
  'Taker buys in the volume of the last hour, percent':
    'Compras de los takers en el volumen de la última hora, en porcentaje',
  'Longs among the positions of top traders, percent':
    'Largos entre las posiciones de los grandes traders, en porcentaje',
  'Bid-ask spread, percent of the price': 'Spread de compra y venta, en porcentaje del precio',
  'Order book imbalance: −1 all asks, 1 all bids':
    'Desequilibrio del libro de órdenes: −1 todo ventas, 1 todo compras',
  'Longs liquidated in the last hour, USD, at least': 'Largos liquidados en la última hora, USD, como mínimo',
  'Shorts liquidated in the last hour, USD, at least':
    'Cortos liquidados en la última hora, USD, como mínimo',
  'Open puts over open calls (BTC, ETH)': 'Puts abiertas entre calls abiertas (BTC, ETH)',
  'Max pain of the nearest monthly expiry, USD (BTC, ETH)':
    'Max pain del vencimiento mensual más cercano, USD (BTC, ETH)',
  'Implied volatility weighted by open interest, percent (BTC, ETH)':
    'Volatilidad implícita ponderada por open interest, en porcentaje (BTC, ETH)',
  'The market’s confirmed regime': 'Régimen confirmado del mercado',
  'Probability of risk-on, 0 to 1': 'Probabilidad del régimen risk-on, de 0 a 1',
  'Probability of risk-off, 0 to 1': 'Probabilidad del régimen risk-off, de 0 a 1',
  'The regime’s score': 'Puntuación del régimen',
  'Volatility against its own past: 0 to 100': 'Volatilidad frente a su propio pasado: de 0 a 100',
  'Fear and greed: 0 to 100': 'Miedo y codicia: de 0 a 100',
  'How fresh and complete the data is: 0 to 100': 'Cuán recientes y completos son los datos: de 0 a 100',
  'S&P 500, where a provider supplies it': 'S&P 500, si un proveedor lo suministra',
  'Gold, where a provider supplies it': 'Oro, si un proveedor lo suministra',
  'Dollar index (from FRED the broad one), where a provider supplies it':
    'Índice del dólar (el amplio, si viene de FRED), si un proveedor lo suministra',
  'The condition is too long or too deeply nested: make two rules.':
    'La condición es demasiado larga o tiene demasiados niveles: haz dos reglas.',
  'It compares or adds what does not go together: numbers go with numbers, and labels with text in quotation marks, such as {example}.':
    'Compara o suma cosas que no van juntas: los números van con números, y las etiquetas con texto entre comillas, p. ej. {example}.',
  'Write == to ask whether two things are equal.': 'Escribe == para preguntar si dos cosas son iguales.',
  'Write && for and, || for or, and ! for not.': 'Escribe && para “y”, || para “o” y ! para “no”.',
  'The condition cannot be read. One that can: {example}.':
    'No se entiende la condición. Una que sí: {example}.',
  'The condition cannot be read near “{near}”. One that can: {example}.':
    'No se entiende la condición cerca de “{near}”. Una que sí: {example}.',
  '"{list}" lists them all.': '"{list}" las muestra todas.',
  'Did you mean {names}?': '¿Quisiste decir {names}?',
  '{metric} is never “{label}”: it is one of {labels}.':
    '{metric} nunca es “{label}”: es una de estas: {labels}.',
  'Give either a metric with above, below or is, or a condition of your own with when, in quotation marks, not both.':
    'Indica una métrica con above, below o is, o bien una condición propia con when, entre comillas; no ambas cosas.',
  'What is it about? Give a metric and a level, such as {simple}, or a condition, such as {free}.':
    '¿De qué trata? Indica una métrica y un nivel, p. ej. {simple}, o una condición, p. ej. {free}.',
  'Give one of above, below and is; for more than one, write a condition: {example}.':
    'Indica solo uno entre above, below e is; para más de uno, escribe una condición: {example}.',
  '{metric} is not a number: give is=…, one of {labels}.':
    '{metric} no es un número: indica is=… con uno de estos valores: {labels}.',
  'It fires below {level}, so it can only clear at or above that: give a higher clear.':
    'Avisa por debajo de {level}, así que solo puede terminar en ese nivel o por encima: indica un clear más alto.',
  'It fires above {level}, so it can only clear at or below that: give a lower clear.':
    'Avisa por encima de {level}, así que solo puede terminar en ese nivel o por debajo: indica un clear más bajo.',
  Rule: 'Regla',
  '{symbol}: {name}': '{symbol}: {name}',
  'Your alert has ended': 'Tu alerta ha terminado',
  '{symbol}: your alert has ended': '{symbol}: tu alerta ha terminado',
  'It was deleted, paused, changed or has expired, so it is no longer watched.':
    'Se borró, se pausó, se cambió o caducó, así que ya no se vigila.',
  'Your own alerts, set with "alert create"': 'Alertas que cada cual define con "alert create"',
  'No options data for {symbol}': 'Sin datos de opciones de {symbol}',
  'Unknown metric {text}': 'Métrica desconocida: {text}',
  '{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over':
    '{symbol}: fin {signal, select, RAPID_UNWIND {de la reducción} other {del aumento}} de OI',
  'your level': 'tu nivel',
  '{values} (your alert: {level})': '{values} (tu alerta: {level})',
  Values: 'Valores',
  'your alert has triggered': 'se activó tu alerta',
  'Your alert: {condition}, for {hold}.': 'Tu alerta: {condition}, durante {hold}.',
  'Your alert: {condition}.': 'Tu alerta: {condition}.',
  'Clears when: {condition}.': 'Termina cuando: {condition}.',
  price: 'precio',
  '24 h change': 'cambio en 24 h',
  signal: 'señal',
  'master score': 'puntuación master',
  funding: 'funding',
  'funding × 3 × 365': 'funding × 3 × 365',
  'funding z-score': 'puntuación z del funding',
  '5 min OI change': 'cambio del OI en 5 min',
  '5 min OI acceleration': 'aceleración del OI en 5 min',
  '1 h OI change': 'cambio del OI en 1 h',
  'open interest': 'open interest',
  basis: 'base',
  '24 h CVD': 'CVD de 24 h',
  '1 h taker buy share': 'compras de takers en 1 h',
  'top traders’ long share': 'largos entre los grandes traders',
  spread: 'spread',
  'order book imbalance': 'desequilibrio del libro de órdenes',
  'longs liquidated in 1 h': 'largos liquidados en 1 h',
  'shorts liquidated in 1 h': 'cortos liquidados en 1 h',
  'put/call ratio': 'ratio put/call',
  'max pain': 'max pain',
  'implied volatility': 'volatilidad implícita',
  'Market regime': 'Régimen del mercado',
  'Risk-on probability': 'Probabilidad de risk-on',
  'Risk-off probability': 'Probabilidad de risk-off',
  'Regime score': 'Puntuación del régimen',
  'Volatility percentile': 'Percentil de volatilidad',
  'Fear & greed': 'Miedo y codicia',
  'Data quality score': 'Calidad de los datos',
  'beyond ±{level}': 'más allá de ±{level}',
  'within ±{level}': 'dentro de ±{level}',
  'above {level}': 'por encima de {level}',
  'at or above {level}': 'en {level} o más',
  'below {level}': 'por debajo de {level}',
  'at or below {level}': 'en {level} o menos',
  'not {level}': 'distinto de {level}',
  '{one} and {other}': '{one} y {other}',
  '{one} or {other}': '{one} o {other}',
  'not ({condition})': 'no ({condition})',
  '{metric} one of {labels}': '{metric}: {labels}',
  Condition: 'Condición',
} satisfies Readonly<Record<string, string>>;
