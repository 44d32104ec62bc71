/** Commands that answer questions about the data, the alerts and the bot. */
export default {
  'Alerts in this chat, last {length}': 'Alertas en este chat, últimos {length}',
  'All alerts, last {length}': 'Todas las alertas, últimos {length}',
  'There was none.': 'No hubo ninguna.',
  '{all, plural, one {# alert} other {# alerts}}, of which {open, number} still going on.':
    '{all, plural, one {# alerta} other {# alertas}}; todavía en curso: {open, number}.',
  Began: 'Inicio',
  Lasted: 'Duración',
  'All alerts': 'Todas las alertas',
  'going on': 'en curso',
  'Alerts per {width}, last {length}': 'Alertas por {width}, últimos {length}',
  'found when the bot was back: it may have begun earlier':
    'se encontró cuando el bot volvió: puede haber empezado antes',
  'Missed in {window}': 'Sin avisar en {window}',
  'Nothing that was asked for here was held back or failed.':
    'Nada de lo que se pidió aquí se retuvo ni falló.',
  'The newest {shown, number} of {all, number}.': 'Lo más reciente: {shown, number} de {all, number}.',
  'What began and ended while the bot was down is not known to it.':
    'Lo que empezó y terminó con el bot caído no le consta.',
  'The bot was down': 'El bot estuvo caído',
  '{length}, from {from} to {to}': '{length}, del {from} al {to}',
  'The past': 'El histórico',
  'Data quality: {grade}, {score} of 100': 'Calidad de los datos: {grade}, {score} de 100',
  'Every feed is fresh.': 'Todas las fuentes están al día.',
  '{stale, plural, one {# feed is} other {# feeds are}} not fresh: what it would show is not known.':
    '{stale, plural, one {# fuente no está} other {# fuentes no están}} al día: no se sabe lo que mostrarían.',
  'Lowest in {length}': 'Mínimo en {length}',
  Feed: 'Fuente',
  'Last update': 'Última actualización',
  fresh: 'al día',
  stale: 'con retraso',
  Candles: 'Velas',
  Liquidations: 'Liquidaciones',
  'Data quality, last {length}': 'Calidad de los datos, últimos {length}',
  Score: 'Puntuación',
  'Grade A': 'Grado A',
  'Grade C': 'Grado C',
  'All accounts': 'Todas las cuentas',
  'Long/short ratio of {symbol}': 'Ratio largos/cortos de {symbol}',
  'No ratio in the last {length}.': 'Sin ratio en los últimos {length}.',
  '{what}: {ratio}': '{what}: {ratio}',
  'Longs per short among top traders’ positions.':
    'Largos por cada corto en las posiciones de los top traders.',
  'vs. last {length}': 'Frente a los últimos {length}',
  'percentile {percentile}': 'percentil {percentile}',
  'Change in {length}': 'Cambio en {length}',
  '{points} points': '{points} puntos',
  '{symbol} longs, last {length}': 'Largos en {symbol}, últimos {length}',
  Balance: 'Equilibrio',
  '{long} long, {short} short': '{long} en largo, {short} en corto',
  'Regime: {state}': 'Régimen: {state}',
  'The regime': 'El régimen',
  Phase: 'Fase',
  'No change in progress.': 'Sin cambios en curso.',
  'Turning from {from} to {to} ({share} sure).': 'Girando de {from} a {to} (certeza del {share}).',
  Confidence: 'Confianza',
  Since: 'Desde',
  Volatility: 'Volatilidad',
  '{regime}, percentile {percentile}': '{regime}, percentil {percentile}',
  'BTCUSDT basis': 'Base de BTCUSDT',
  'Basis per year, 8 h mean': 'Base al año, media de 8 h',
  '{pct}, {signal}': '{pct}, {signal}',
  'Broad dollar index': 'Índice amplio del dólar',
  'Dollar index': 'Índice del dólar',
  VIX: 'VIX',
  'Data health': 'Estado de los datos',
  Probability: 'Probabilidad',
  '{at}, {ago} ago': '{at}, hace {ago}',
  'more than {days}': 'más de {days}',
  'BTCUSDT and the regime, last {length}': 'BTCUSDT y el régimen, últimos {length}',
  'Regime and its score, last {length}': 'El régimen y su puntuación, últimos {length}',
  'Alerts of this kind say nothing of the price, so there is nothing to count.':
    'Las alertas de este tipo no dicen nada del precio, así que no hay nada que contar.',
  'No posted alert is old enough to be judged yet.':
    'Todavía no se puede juzgar ninguna alerta publicada: son demasiado recientes.',
  'Past moves after posted alerts, not a forecast.':
    'Movimientos pasados tras alertas publicadas; no es un pronóstico.',
  'Difference: 95% interval in percentage points, by a bootstrap of whole days; one that holds 0 shows nothing, and by chance 1 in 20 does not hold it. Below {alerts} alerts on {days} days nothing is concluded.':
    'Diferencia: intervalo del 95\u00a0% en puntos porcentuales, por bootstrap de días enteros; uno que contiene el 0 no demuestra nada, y por azar 1 de cada 20 no lo contiene. Con menos de {alerts} alertas en {days} días no se concluye nada.',
  Kind: 'Tipo',
  After: 'Tras',
  n: 'n',
  'Median move': 'Movimiento mediano',
  Usual: 'Habitual',
  Hits: 'Aciertos',
  Difference: 'Diferencia',
  Estimated: 'Estimado',
  '{estimated, plural, one {# outcome has} other {# outcomes have}} a price read between two hourly ones':
    '{estimated, plural, one {# resultado tiene} other {# resultados tienen}} un precio leído entre dos precios horarios',
  'Scorecard of {kind}, {symbol}': 'Balance de {kind}, {symbol}',
  'Scorecard of {kind}': 'Balance de {kind}',
  'Scorecard of {symbol}, {after} after': 'Balance de {symbol}, tras {after}',
  'Scorecard, {after} after': 'Balance, tras {after}',
  'Hit of {kind}: the price had gone {way}. Its moves count in that direction.':
    'Acierto de {kind}: el precio se había movido {way}. Sus movimientos cuentan en ese sentido.',
  'Hit{others, select, yes { of the others} other {}}: the price had moved, either way, by more than its own market does half of the time. Moves count without a sign.':
    'Acierto{others, select, yes { de los demás} other {}}: el precio se había movido, al alza o a la baja, más de lo que su propio mercado se mueve la mitad de las veces. Los movimientos cuentan sin signo.',
  'Spread of {symbol}': 'Spread de {symbol}',
  'No order book in the last {length}.': 'Sin libro de órdenes en los últimos {length}.',
  Bid: 'Compra (bid)',
  Ask: 'Venta (ask)',
  Spread: 'Spread',
  'Against its mean': 'Frente a su media',
  '{times} ×': '{times} ×',
  Imbalance: 'Desequilibrio',
  '{value} ({side, select, bid {bids weigh more} ask {asks weigh more} other {even}})':
    '{value} ({side, select, bid {pesa más la compra} ask {pesa más la venta} other {parejo}})',
  'Bids weigh more': 'Pesa más la compra',
  'Asks weigh more': 'Pesa más la venta',
  '{value} bp': '{value} pb',
  'Status: running, data {source}': 'Estado: en marcha, datos: {source}',
  'Status: getting ready, data {source}': 'Estado: preparándose, datos: {source}',
  'Every feed is fresh and every detector runs.':
    'Todas las fuentes están al día y todos los detectores funcionan.',
  '{stale, number} of {feeds, number} feeds are not fresh, {failing, number} of {detectors, number} detectors fail. What they would see is not known meanwhile.':
    'Fuentes que no están al día: {stale, number} de {feeds, number}. Detectores con fallos: {failing, number} de {detectors, number}. Mientras tanto, no se sabe lo que verían.',
  Sending: 'Envío',
  'paused by the operator since {since}: alerts wait':
    'en pausa por el operador desde el {since}: las alertas esperan',
  'seen|Last': 'Última vez',
  'Market time': 'Hora del mercado',
  'Running for': 'En marcha desde hace',
  'Request budget': 'Cupo de consultas',
  Outbox: 'Bandeja de salida',
  'Feed or detector': 'Fuente o detector',
  '{age} ago': 'hace {age}',
  runs: 'funciona',
  '{used} of {limit} used in {window}, {reserved} kept for questions':
    'usadas {used} de {limit} en {window}; {reserved} reservadas para preguntas',
  empty: 'vacía',
  '{waiting} waiting': '{waiting} en espera',
  '{waiting} waiting, the oldest since {oldest}': '{waiting} en espera, la más antigua desde el {oldest}',
  'Nothing was told here': 'Aquí no se ha avisado de nada',
  '{outcome}: {alert}': '{outcome}: {alert}',
  'Before it': 'Antes',
  Outcome: 'Resultado',
  Reason: 'Motivo',
  '"{list}" lists the silences, "{end}" ends one.': '"{list}" muestra los silencios, "{end}" termina uno.',
  '"{list}" shows the quiet hours.': '"{list}" muestra la franja sin avisos.',
  'It began and ended within the quiet hours: "{list}" shows them.':
    'Empezó y terminó dentro de la franja sin avisos: "{list}" la muestra.',
  'What is critical is told at once, and not again in a digest.':
    'Lo crítico se avisa al momento, y no otra vez en un resumen.',
  'The subscription it was for has ended or is paused.':
    'La suscripción a la que correspondía se ha anulado o está en pausa.',
  'What it says had been told here before.': 'Lo que dice ya se había avisado aquí antes.',
  'The end of something nobody here heard of is no news.':
    'El final de algo que nadie aquí conocía no es noticia.',
  'A broader alert says it already.': 'Una alerta más amplia ya lo dice.',
  'A broader alert stood for it until it ended.': 'Una alerta más amplia ocupó su lugar hasta que terminó.',
  'It had waited so long that it was no longer worth telling.':
    'Había esperado tanto que ya no valía la pena avisar.',
  'no reason was recorded': 'no consta ningún motivo',
  'Not told: {reason}.': 'No se avisó: {reason}.',
  'It could not be delivered: {reason}.': 'No se pudo entregar: {reason}.',
  'Note: {reason}.': 'Nota: {reason}.',
  'An earlier message here was brought up to date, which notifies nobody.':
    'Se actualizó un mensaje anterior de aquí, lo que no notifica a nadie.',
  'It was told because a subscription of this place asks for it.':
    'Se avisó porque una suscripción de este chat lo pide.',
  'It was told because an alert of this place’s own asks for it: "alert show id={id}".':
    'Se avisó porque una alerta propia de este chat lo pide: "alert show id={id}".',
  'Nothing is subscribed here but alerts of its own: "{list}" shows when they tell.':
    'Aquí solo hay alertas propias, sin ninguna suscripción: "{list}" muestra cuándo avisan.',
  'Nothing is subscribed here: "{subscribe}" changes that.':
    'Aquí no hay ninguna suscripción: "{subscribe}" lo cambia.',
  'No alert is firing: there is nothing to tell yet.':
    'No hay ninguna alerta activa: todavía no hay nada que avisar.',
  'No alert about {symbol} is firing: there is nothing to tell yet.':
    'No hay ninguna alerta activa sobre {symbol}: todavía no hay nada que avisar.',
  '{count, plural, one {# alert is} other {# alerts are}} firing, but no subscription here asks for them: the kind, the market or the severity differs.':
    '{count, plural, one {Hay # alerta activa, pero ninguna suscripción de aquí la pide} other {Hay # alertas activas, pero ninguna suscripción de aquí las pide}}: difiere el tipo, el mercado o la gravedad.',
  '"{alert}" is firing and asked for: it fired before the subscription, or is on its way.':
    '"{alert}" está activa y se pidió: se activó antes de la suscripción, o está en camino.',
} satisfies Readonly<Record<string, string>>;
