/** The second half of the detectors. */
export default {
  '{currency} is near max pain, {left} before the monthly expiry':
    '{currency} está cerca de max pain, a {left} del vencimiento mensual',
  '{currency} monthly options have expired': 'Las opciones mensuales de {currency} han vencido',
  '{currency} has moved away from max pain': '{currency} se ha alejado de max pain',
  'Max pain is the price at which holders of the expiring options are paid least. That prices are drawn to it is often said and weakly shown.':
    'Max pain es el precio al que menos cobran los tenedores de las opciones que vencen. Que los precios tiendan hacia él se dice a menudo y está poco demostrado.',
  'Max pain': 'Max pain',
  Distance: 'Distancia',
  'Put/call of all expiries': 'Put/call de todos los vencimientos',
  Expiry: 'Vencimiento',
  'The price of BTC or ETH is near max pain as the monthly options approach their expiry':
    'El precio de BTC o ETH está cerca de max pain cuando se acerca el vencimiento de las opciones mensuales',
  '{symbol} open interest builds up as the price rises: {rate} in 5 min':
    'El open interest de {symbol} crece mientras el precio sube: {rate} en 5 min',
  'Open interest is rising fast as the price rises: probably new longs.':
    'El open interest sube rápido mientras sube el precio: probables largos nuevos.',
  '{symbol} open interest builds up as the price falls: {rate} in 5 min':
    'El open interest de {symbol} crece mientras el precio baja: {rate} en 5 min',
  'Open interest is rising fast as the price falls: probably new shorts.':
    'El open interest sube rápido mientras baja el precio: probables cortos nuevos.',
  '{symbol} open interest builds up: {rate} in 5 min': 'El open interest de {symbol} crece: {rate} en 5 min',
  'Open interest is rising fast; the price doesn’t show which side is adding.':
    'El open interest sube rápido; el precio no muestra qué lado entra.',
  '{symbol} open interest unwinds as the price rises: {rate} in 5 min':
    'El open interest de {symbol} se reduce mientras el precio sube: {rate} en 5 min',
  'Open interest is falling fast as the price rises: probably short covering.':
    'El open interest cae rápido mientras sube el precio: probable cierre de cortos.',
  '{symbol} open interest unwinds as the price falls: {rate} in 5 min':
    'El open interest de {symbol} se reduce mientras el precio baja: {rate} en 5 min',
  'Open interest is falling fast as the price falls: longs are probably closing or being liquidated.':
    'El open interest cae rápido mientras baja el precio: probable cierre o liquidación de largos.',
  '{symbol} open interest unwinds: {rate} in 5 min':
    'El open interest de {symbol} se reduce: {rate} en 5 min',
  'Open interest is falling fast; the price doesn’t show which side is leaving.':
    'El open interest cae rápido; el precio no muestra qué lado sale.',
  '{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over: {move} in {length}':
    '{symbol}: fin {signal, select, RAPID_UNWIND {de la reducción} other {del aumento}} de OI: {move} en {length}',
  'Open interest is changing at its normal pace again.':
    'El open interest vuelve a cambiar a su ritmo habitual.',
  '{rate} in 5 min': '{rate} en 5 min',
  '{amount} contracts': '{amount} contratos',
  'Price since last check': 'Precio desde la última comprobación',
  'A market’s open interest builds up or unwinds rapidly':
    'El open interest de un mercado crece o se reduce con rapidez',
  '{currency} options: put/call {side, select, PUTS {rose above} other {fell below}} {level} ({ratio})':
    'Opciones de {currency}: el put/call {side, select, PUTS {superó} other {cayó por debajo de}} {level} ({ratio})',
  '{side, select, PUTS {Open interest has shifted towards puts: more protection, or more bets on a fall.} other {Open interest has shifted towards calls: more bets on a rise, or calls written against coins held.}} Which of them it is, the ratio does not say.':
    '{side, select, PUTS {El open interest se ha desplazado hacia las puts: más protección o más apuestas a la baja.} other {El open interest se ha desplazado hacia las calls: más apuestas al alza, o calls vendidas contra monedas en cartera.}} Cuál de las dos cosas es, el ratio no lo dice.',
  'Put/call': 'Put/call',
  Calls: 'Calls',
  '{size} {currency}': '{size} {currency}',
  Puts: 'Puts',
  '{iv}% a year': '{iv}\u00a0% anual',
  'Put/call ratio of {currency} options': 'Ratio put/call de las opciones de {currency}',
  'BTC or ETH put open interest overtakes call open interest, or falls behind it':
    'El open interest en puts de BTC o ETH supera al de las calls, o queda por debajo',
  '{symbol} rose above {level}: {price}': '{symbol} superó {level}: {price}',
  '{symbol} fell below {level}: {price}': '{symbol} cayó por debajo de {level}: {price}',
  '{symbol} is back across {level}: {price}': '{symbol} volvió a cruzar {level}: {price}',
  '{symbol} still {direction, select, UP {above} other {below}} {level} after {after}':
    '{symbol} sigue por {direction, select, UP {encima} other {debajo}} de {level} tras {after}',
  'Round level crossed.': 'Nivel redondo cruzado.',
  Level: 'Nivel',
  Crossed: 'Cruzado',
  'The price of a large market crosses a round level':
    'El precio de un mercado grande cruza un nivel redondo',
  '{symbol} calm again: {move} in {length}': '{symbol} vuelve a la calma: {move} en {length}',
  '{symbol} rose {size} in {length}': '{symbol} subió {size} en {length}',
  '{symbol} fell {size} in {length}': '{symbol} cayó {size} en {length}',
  'The price is moving about as much as usual again.': 'El precio se mueve más o menos lo habitual en él.',
  'That is far more than usual; it says nothing about what comes next.':
    'Es mucho más de lo habitual; no dice nada de lo que viene después.',
  Move: 'Movimiento',
  'Usual move': 'Movimiento habitual',
  'A price moves far more than usual in 1 h or 24 h':
    'Un precio se mueve en 1 h o 24 h mucho más de lo habitual en él',
  '{symbol} long/short ratio is back to normal: {long} long':
    'El ratio largos/cortos de {symbol} vuelve a lo habitual: {long} en largo',
  '{symbol} {side, select, LONG {longs} other {shorts}} crowded: {long} long (z {z})':
    '{symbol}: exceso de {side, select, LONG {largos} other {cortos}}, {long} en largo (z {z})',
  '{type, select, top_position {Counted by the positions of top traders} other {Counted by accounts, whatever their size}}. A crowd on one side can be right for weeks.':
    '{type, select, top_position {Según las posiciones de los grandes traders} other {Según las cuentas, sea cual sea su tamaño}}. Una multitud en un lado puede acertar durante semanas.',
  Long: 'En largo',
  '30-day mean': 'Media de 30 días',
  '{mean} ± {sd}': '{mean} ± {sd}',
  'z over 30 days': 'z en 30 días',
  'Longs per short': 'Largos por cada corto',
  'Baseline as of': 'Referencia a fecha de',
  'Share of longs in {symbol}': 'Porcentaje de largos en {symbol}',
  'A market’s longs or shorts are crowded against their own last 30 days':
    'Exceso de largos o cortos en un mercado frente a sus últimos 30 días',
  'the way of the turn': 'en el sentido del giro',
  '{regime} is over, now {now}': '{regime} terminó, ahora {now}',
  '{regime} is over, now {now}; BTC {move} meanwhile': '{regime} terminó, ahora {now}; BTC {move} entretanto',
  '{regime} since {since}, {age}': '{regime} desde el {since}, {age}',
  '{regime} since {since}, {age}; BTC {move} since':
    '{regime} desde el {since}, {age}; BTC {move} desde entonces',
  'OI unwinds': 'OI en reducción',
  'OI builds up': 'OI en aumento',
  '{symbol}: {rate}': '{symbol}: {rate}',
  '{name} in {n, number} markets, median {median}': '{name} en {n, number} mercados, mediana {median}',
  '{name} in {n, number} markets, median {median}, BTC {leader}':
    '{name} en {n, number} mercados, mediana {median}, BTC {leader}',
  'Market volatility: {regime} since {since}, {age}':
    'Volatilidad del mercado: {regime} desde el {since}, {age}',
  'Regime: {to} (was {from})': 'Régimen: {to} (antes, {from})',
  Turn: 'Giro',
  'p({state})': 'p({state})',
  Label: 'Etiqueta',
  Multiplier: 'Multiplicador',
  Data: 'Datos',
  'Bitcoin’s recent returns have been good for their risk; this says nothing about the next day’s.':
    'Los rendimientos recientes de bitcoin han sido buenos para su riesgo; esto no dice nada de los del día siguiente.',
  'Bitcoin has been falling against its usual risk; this says nothing about the next day’s return.':
    'Bitcoin ha estado cayendo frente a su riesgo habitual; esto no dice nada del rendimiento del día siguiente.',
  'The last trend has stalled, without a direction of its own.':
    'La última tendencia se ha estancado, sin una dirección propia.',
  'A regime this version has no description of.': 'Un régimen que esta versión no sabe describir.',
  'The market turns between risk-on and risk-off': 'El mercado gira entre risk-on y risk-off',
  'Market volatility: {regime}': 'Volatilidad del mercado: {regime}',
  'Market volatility no longer {regime}, now {now}':
    'La volatilidad del mercado ya no es {regime}, sino {now}',
  'Percentile of the last year': 'Percentil del último año',
  'Moves are larger than on most days of the last year, either way: the same position risks more.':
    'Los movimientos son mayores que en la mayoría de los días del último año, al alza o a la baja: la misma posición arriesga más.',
  'Moves are smaller than on most days of the last year; how long that lasts nobody knows.':
    'Los movimientos son menores que en la mayoría de los días del último año; cuánto durará, nadie lo sabe.',
  'Moves are about as large as on most days of the last year.':
    'Los movimientos son más o menos como en la mayoría de los días del último año.',
  'A volatility regime this version has no description of.':
    'Un régimen de volatilidad que esta versión no sabe describir.',
  'Market volatility turns high or low against its last year':
    'La volatilidad del mercado pasa a alta o baja frente al último año',
  '{symbol} spread back to normal: {spread}': 'El spread de {symbol} vuelve a lo habitual: {spread}',
  '{symbol} spread is wide: {spread}, {times} × normal':
    'El spread de {symbol} es amplio: {spread}, {times} veces lo habitual',
  'Market orders cost more while the spread is wide: market makers have stepped back.':
    'Las órdenes a mercado cuestan más mientras el spread es amplio: los creadores de mercado se han retirado.',
  'Usual over {window} (median)': 'Lo habitual en {window} (mediana)',
  'A market’s bid-ask spread stays far above normal for minutes':
    'El spread de un mercado supera con mucho lo normal durante minutos',
} satisfies Readonly<Record<string, string>>;
