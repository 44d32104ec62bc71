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
  'Resolved after {after}: {end}.': 'Resuelta tras {after}: {end}.',
  'Continued in a newer message: {alert}': 'Continúa en un mensaje más reciente: {alert}',
  'Going on for {after}.': 'En curso desde hace {after}.',
  'Escalated from {from} to {to} after {after}.': 'Agravada de {from} a {to} tras {after}.',
  'Eased from {from} to {to} after {after}.': 'Atenuada de {from} a {to} tras {after}.',
  'Resolved after {after}': 'Resuelta tras {after}',
  'Unknown: no fresh data for {age}. Last known values below.':
    'Situación desconocida: sin datos recientes desde hace {age}. Abajo, lo último que se supo.',
  'Delivered {lateBy} late.': 'Entregado con {lateBy} de retraso.',
  Chart: 'Gráfico',
  Why: 'Por qué',
  'Mute this kind': 'Silenciar este tipo',
  '{n, plural, one {# alert} other {# alerts}} began and ended before delivery':
    '{n, plural, one {# alerta empezó y terminó} other {# alertas empezaron y terminaron}} antes de poder enviarse',
  'Digest: {n, plural, one {# alert} other {# alerts}}':
    'Resumen: {n, plural, one {# alerta} other {# alertas}}',
  'At worst': 'En su peor momento',
  'as of {time}': 'datos del {time}',
  '{age} old': '{age} de antigüedad',
  '… and {n} more': '… y {n} más',
  'Page {page, number} of {pages, number}': 'Página {page, number} de {pages, number}',
  'Previous page': 'Página anterior',
  'Next page': 'Página siguiente',
  'This answer has expired': 'Esta respuesta ha caducado',
  'Ask again to see all its pages.': 'Pregunta de nuevo para ver todas sus páginas.',
  'Next …': 'Siguiente …',
  '{low} to {high} {unit}': 'de {low} a {high} {unit}',
  '{source}, {speed} ×': '{source}, {speed} ×',
  '{side, select, CONTANGO {The perpetual now trades above its index on average: buyers pay for leverage.} other {The perpetual now trades below its index on average: sellers pay for leverage.}} This says nothing about where the price goes.':
    '{side, select, CONTANGO {El perpetuo cotiza ahora, en promedio, por encima de su índice: los compradores pagan por el apalancamiento.} other {El perpetuo cotiza ahora, en promedio, por debajo de su índice: los vendedores pagan por el apalancamiento.}} No dice nada de hacia dónde va el precio.',
  'It has stayed there for {span}.': 'Lleva ahí {span}.',
  'It has turned back.': 'Ha vuelto al lado anterior.',
  '{symbol} basis turned {side, select, CONTANGO {positive} other {negative}}: {basis} on average over {window}':
    '{symbol}: la base pasó a ser {side, select, CONTANGO {positiva} other {negativa}}: {basis} de media en {window}',
  'Mean basis over {window}': 'Base media en {window}',
  'Basis now': 'Base ahora',
  threshold: 'umbral',
  'A perpetual’s basis turns positive or negative, and stays there':
    'La base de un perpetuo pasa a positiva o negativa y se mantiene',
  'back from its new extreme': 'de vuelta desde su nuevo extremo',
  '{symbol}: price/CVD divergence over': '{symbol}: terminó la divergencia entre precio y CVD',
  '{symbol}: {side, select, BEARISH {new 24 h high while takers are not buying (bearish divergence)} other {new 24 h low while takers are not selling (bullish divergence)}}':
    '{symbol}: {side, select, BEARISH {nuevo máximo de 24 h sin compras de takers (divergencia bajista)} other {nuevo mínimo de 24 h sin ventas de takers (divergencia alcista)}}',
  'The volume has followed, or the price has come back.':
    'El volumen ha seguido al precio, o el precio ha vuelto.',
  '{side, select, BEARISH {The price closed above its earlier high, while takers bought less than they sold since.} other {The price closed below its earlier low, while takers sold less than they bought since.}} A divergence can go on for long and often leads nowhere.':
    '{side, select, BEARISH {El precio cerró por encima de su máximo anterior, pero desde entonces los takers compraron menos de lo que vendieron.} other {El precio cerró por debajo de su mínimo anterior, pero desde entonces los takers vendieron menos de lo que compraron.}} Una divergencia puede durar mucho y a menudo no lleva a nada.',
  '{before} → {after}': '{before} → {after}',
  'Volume delta since': 'Delta de volumen desde entonces',
  '{delta} coins': '{delta} monedas',
  'Share of the day’s CVD range': 'Parte del rango diario del CVD',
  'Hours apart': 'Horas de diferencia',
  '{symbol}: price and volume delta': '{symbol}: precio y delta de volumen',
  'A new 24 h high or low that taker volume does not back (CVD divergence)':
    'Un nuevo máximo o mínimo de 24 h que el volumen de los takers no acompaña (divergencia de CVD)',
  'Market data healthy again: score {score} ({grade})':
    'Datos de mercado de nuevo en orden: puntuación {score} ({grade})',
  'Market data {status}: score {score} ({grade})': 'Datos de mercado {status}: puntuación {score} ({grade})',
  'All feeds are fresh again: alerts can be relied on.':
    'Todas las fuentes vuelven a estar al día: se puede confiar en las alertas.',
  'Alerts based on this data may be late or missing until it recovers.':
    'Las alertas que dependen de estos datos pueden llegar tarde o faltar hasta que se recuperen.',
  'Alerts based on {feeds} may be late or missing until this recovers.':
    'Las alertas que dependen de estas fuentes pueden llegar tarde o faltar hasta que se recuperen: {feeds}.',
  'nothing yet': 'todavía nada',
  'fresh, {age} old': 'al día, {age} de antigüedad',
  'stale, {age} old': 'con retraso, {age} de antigüedad',
  'Market data is stale or incomplete, or recovers':
    'Los datos de mercado se retrasan o quedan incompletos, y se recuperan',
  'Coins with a positive signal': 'Monedas con señal positiva',
  '{up, number} of {all, number}': '{up, number} de {all, number}',
  '{index} of 100': '{index} de 100',
  'The market has left {band}: {index}': 'El mercado ha salido de {band}: {index}',
  'The market is in {band}: {index}': 'El mercado está en {band}: {index}',
  'Fear and greed index of the whole market. Extremes can last for weeks.':
    'Índice de miedo y codicia de todo el mercado. Los extremos pueden durar semanas.',
  'An estimate: the fear and greed index itself is unavailable now.':
    'Una estimación del índice de miedo y codicia, no el índice mismo, que ahora no está disponible.',
  'Estimated fear and greed: {band}, {index}': 'Miedo y codicia estimados: {band}, {index}',
  'Estimated fear and greed has left {band}: {index}':
    'El índice estimado de miedo y codicia ha salido de {band}: {index}',
  Index: 'Índice',
  'The market enters extreme fear or extreme greed, and leaves it':
    'El mercado entra en miedo extremo o codicia extrema, y sale',
  'against the crowded side': 'contra el lado sobrecargado',
  '{rate} per {interval}': '{rate} cada {interval}',
  '{symbol} funding no longer {level}: {rate}': '{symbol}: el funding ya no es {level}, {rate}',
  '{symbol} funding {level}: {rate} (z {score})': '{symbol}: funding {level}, {rate} (z {score})',
  'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.':
    'El funding lleva {n, plural, one {# pago} other {# pagos seguidos}} cerca de lo normal o demasiado bajo para importar.',
  'The data service no longer reports this market.': 'El servicio de datos ya no informa de este mercado.',
  'Longs pay shorts far more than usual over the last 30 days: longs are crowded.':
    'Los largos pagan a los cortos mucho más de lo habitual en los últimos 30 días: hay exceso de largos.',
  'Shorts pay longs far more than usual over the last 30 days: shorts are crowded.':
    'Los cortos pagan a los largos mucho más de lo habitual en los últimos 30 días: hay exceso de cortos.',
  'Last seen': 'Último dato',
  'Per year': 'Al año',
  Bitcoin: 'Bitcoin',
  'Mean per year': 'Media al año',
  '{markets}: {metric}, last {length}': '{markets}: {metric}, últimos {length}',
  'funding per year': 'funding al año',
  '30-day mean': 'Media de 30 días',
  'z-score': 'Puntuación z',
  'Crowded side': 'Lado sobrecargado',
  longs: 'largos',
  shorts: 'cortos',
  'As of': 'Datos del',
  'A market’s funding is extreme against its own last 30 days':
    'El funding de un mercado es extremo frente a sus últimos 30 días',
  '{symbol} funding turned negative: {rate}': '{symbol}: el funding pasó a ser negativo, {rate}',
  '{symbol} funding turned positive: {rate}': '{symbol}: el funding pasó a ser positivo, {rate}',
  '{symbol} funding turned {side, select, POSITIVE {positive} other {negative}} again: {rate}':
    '{symbol}: el funding vuelve a ser {side, select, POSITIVE {positivo} other {negativo}}, {rate}',
  '{symbol} funding near zero again: {rate}': '{symbol}: el funding vuelve a estar cerca de cero, {rate}',
  '{symbol} funding still {side, select, POSITIVE {positive} other {negative}}: {rate}':
    '{symbol}: el funding sigue {side, select, POSITIVE {positivo} other {negativo}}, {rate}',
  'Shorts pay longs now; before, longs paid shorts.':
    'Ahora los cortos pagan a los largos; antes, los largos pagaban a los cortos.',
  'Longs pay shorts now; before, shorts paid longs.':
    'Ahora los largos pagan a los cortos; antes, los cortos pagaban a los largos.',
  'Before the flip': 'Antes del cambio',
  'Settlements in a row': 'Pagos seguidos',
  'A market’s funding flips sign and stays flipped': 'El funding de un mercado cambia de signo y se mantiene',
  'at least {share}': 'al menos {share}',
  'Market funding calmed down: still extreme in {share} of markets':
    'El funding del mercado se ha calmado: {share} de los mercados todavía en extremos',
  'Market funding overheated, shorts crowded: extreme in {share} of markets':
    'Funding del mercado sobrecalentado, exceso de cortos: extremo en el {share} de los mercados',
  'Market funding overheated, longs crowded: extreme in {share} of markets':
    'Funding del mercado sobrecalentado, exceso de largos: extremo en el {share} de los mercados',
  'Funding is back near its 30-day normal in most markets.':
    'El funding vuelve a estar cerca de lo normal de 30 días en la mayoría de los mercados.',
  'In many markets at once shorts pay longs far more than usual over the last 30 days.':
    'En muchos mercados a la vez, los cortos pagan a los largos mucho más de lo habitual en los últimos 30 días.',
  'In many markets at once longs pay shorts far more than usual over the last 30 days.':
    'En muchos mercados a la vez, los largos pagan a los cortos mucho más de lo habitual en los últimos 30 días.',
  '{some} of {all}': '{some} de {all}',
  'Their mean per year': 'Su media al año',
  'Most extreme': 'Los más extremos',
  'Funding is extreme on one side in many markets at once':
    'El funding es extremo por un lado en muchos mercados a la vez',
  '{symbol} liquidation burst over: at least {usd} in all':
    '{symbol}: fin de la ráfaga de liquidaciones, como mínimo {usd} en total',
  '{symbol} liquidation burst: at least {usd} in {minutes} min':
    '{symbol}: ráfaga de liquidaciones, como mínimo {usd} en {minutes} min',
  'Liquidations are back to normal in this market.': 'Las liquidaciones vuelven a lo normal en este mercado.',
  'Positions are being liquidated far faster than usual in this market.':
    'Se están liquidando posiciones mucho más rápido de lo habitual en este mercado.',
  'Liquidated in all': 'Liquidado en total',
  'Liquidated in {minutes} min': 'Liquidado en {minutes} min',
  'at least {usd}': '{usd} como mínimo',
  'Usual {minutes} min': 'Lo habitual en {minutes} min',
  'next to nothing': 'casi nada',
  '× normal': '× lo normal',
  'Share of open interest': 'Parte del open interest',
  'Share of longs': 'Parte de largos',
  Missing: 'Faltan',
  '{seconds} s from {from}: more than {limit} events between two checks':
    '{seconds} s desde el {from}: más de {limit} liquidaciones entre dos lecturas',
  'Liquidations in a market far above normal': 'Liquidaciones en un mercado muy por encima de lo normal',
  'Liquidation cascade of longs is over': 'La cascada de liquidaciones de largos ha terminado',
  'Liquidation cascade of shorts is over': 'La cascada de liquidaciones de cortos ha terminado',
  'Liquidation cascade: longs of {markets} markets, at least {usd} in {minutes} min':
    'Cascada de liquidaciones: largos de {markets} mercados, como mínimo {usd} en {minutes} min',
  'Liquidation cascade: shorts of {markets} markets, at least {usd} in {minutes} min':
    'Cascada de liquidaciones: cortos de {markets} mercados, como mínimo {usd} en {minutes} min',
  'Liquidations are back to normal in most markets.':
    'Las liquidaciones han vuelto a la normalidad en la mayoría de los mercados.',
  'Falling prices close longs by force in many markets at once, which can push prices further.':
    'La caída de precios cierra largos a la fuerza en muchos mercados a la vez, lo que puede hacer caer más los precios.',
  'Rising prices close shorts by force in many markets at once, which can push prices further.':
    'La subida de precios cierra cortos a la fuerza en muchos mercados a la vez, lo que puede hacer subir más los precios.',
  Largest: 'Las mayores',
  'more events between two checks than one answer holds':
    'entre dos lecturas hubo más liquidaciones de las que caben en una respuesta',
  'Liquidations far above normal on one side of many markets at once':
    'Liquidaciones muy por encima de lo normal en un mismo lado de muchos mercados a la vez',
  gold: 'el oro',
  'the dollar': 'el dólar',
  'Bitcoin’s correlation with {name} is back to normal: {correlation}':
    'Bitcoin y {name} vuelven a su correlación habitual: {correlation}',
  'Bitcoin’s correlation with {name} has broken: {correlation} instead of {usual}':
    'Se ha roto la correlación de bitcoin con {name}: {correlation} en lugar de {usual}',
  'A correlation of daily returns over about a month: it says how they moved together, not which one leads.':
    'Correlación de rendimientos diarios durante alrededor de un mes: dice cómo se movieron juntos, no cuál va por delante.',
  '{usual} (median of {days, plural, one {# day} other {# days}})':
    '{usual} (mediana de {days, plural, one {# día} other {# días}})',
  'Level of {name}': 'Nivel: {name}',
  'Age of that level': 'Antigüedad de ese nivel',
  'Correlation of bitcoin and {name}': 'Correlación entre bitcoin y {name}',
  usual: 'lo habitual',
  'Bitcoin’s correlation with the S&P 500, gold or the dollar breaks from normal':
    'La correlación de bitcoin con el S&P 500, el oro o el dólar se aparta de lo habitual',
  'No data for {detector} since {seen}': 'Sin datos para {detector} desde el {seen}',
  'Data is back. Anything that began and ended meanwhile was missed.':
    'Vuelve a haber datos. Lo que empezó y terminó entretanto no se vio.',
  'Data unavailable. Until it is back, what happens is not alerted, and active alerts are neither confirmed nor over.':
    'Datos no disponibles. Hasta que vuelvan, no se avisa de lo que ocurra, y las alertas activas ni se confirman ni terminan.',
  'Nothing can be posted here: the operator has not set up "{notifier}".':
    'Aquí no se puede publicar nada: el operador no ha configurado "{notifier}".',
  'Try again in {after}.': 'Vuelve a intentarlo dentro de {after}.',
  'Try again in a minute.': 'Vuelve a intentarlo dentro de un minuto.',
  'A test post did not get through: {problem}.': 'Un mensaje de prueba no llegó: {problem}.',
  'No preview yet: a hosted data service has no history of this, and the bot has recorded it for less than an hour.':
    'Aún sin vista previa: un servicio de datos externo no tiene historial de esto, y el bot lo registra desde hace menos de una hora.',
  'Too many markets for a preview with a hosted data service: preview it for a few of them.':
    'Demasiados mercados para una vista previa con un servicio de datos externo: pídela para unos pocos.',
  'No preview: this data is not kept for long enough.':
    'Sin vista previa: estos datos no se guardan el tiempo suficiente.',
  'No preview: checking this rule over the past takes too long.':
    'Sin vista previa: comprobar esta regla en el pasado tarda demasiado.',
  'Checking the past takes longer than usual: ask again in a few minutes.':
    'Comprobar el pasado tarda más de lo habitual: vuelve a preguntar en unos minutos.',
  'The past could not be checked: ask again in a few minutes.':
    'No se pudo comprobar el pasado: vuelve a preguntar en unos minutos.',
  'The past could not be checked, because the data service did not answer: ask again in a few minutes.':
    'No se pudo comprobar el pasado porque el servicio de datos no respondió: vuelve a preguntar en unos minutos.',
  'Other previews are running: ask again in a minute.':
    'Se están calculando otras vistas previas. Vuelve a preguntar en un minuto.',
  Record: 'Historial',
  'within {after} the price had moved more than usual in {hits} of {n}, and in {usual} after hours as volatile':
    'en {after}, el precio se había movido más de lo habitual en el {hits} de {n} casos, y en el {usual} tras horas igual de volátiles',
  'after {after} the price had gone {way} in {hits} of {n}, and in {usual} after hours as volatile':
    'tras {after}, el precio se había movido {way} en el {hits} de {n} casos, y en el {usual} tras horas igual de volátiles',
  'More often than usual: {what} (difference {edge} points). Past moves, not a forecast.':
    'Más a menudo de lo habitual: {what} (diferencia {edge} puntos). Movimientos pasados; no es un pronóstico.',
  'Less often than usual: {what} (difference {edge} points). Past moves, not a forecast.':
    'Menos a menudo de lo habitual: {what} (diferencia {edge} puntos). Movimientos pasados; no es un pronóstico.',
  'Nothing in it: {what}; a difference of {shows} points would have shown. Past moves, not a forecast.':
    'Sin efecto: {what}; una diferencia de {shows} puntos se habría visto. Movimientos pasados; no es un pronóstico.',
  'Too few to tell: {what}; only a difference of {shows} points would have shown. Past moves, not a forecast.':
    'Muy pocos casos para saberlo: {what}; solo se habría visto una diferencia de {shows} puntos. Movimientos pasados; no es un pronóstico.',
  'not enough data yet': 'aún no hay datos suficientes',
  'not enough data yet ({n, plural, one {# alert} other {# alerts}} on {days, plural, one {# day} other {# days}})':
    'aún no hay datos suficientes ({n, plural, one {# alerta} other {# alertas}} en {days, plural, one {# día} other {# días}})',
  '{low} … {high}': '{low} … {high}',
  'another process may have taken over': 'quizá otro proceso se haya hecho cargo',
  'no longer subscribed': 'ya no hay suscripción',
  'its start was not sent here': 'su comienzo no se avisó aquí',
  'over before the quiet hours ended': 'terminó antes que la franja sin avisos',
  'already sent': 'ya avisado',
  'already sent right away': 'ya avisado, al momento',
  'held back by "{alert}"': 'retenida por "{alert}"',
  'held back by "{alert}" until it was over': 'retenida por "{alert}" hasta que terminó',
  'Alerts for this chat were held back:': 'Se retuvieron alertas para este chat:',
  'Silence ▸': 'Silenciar ▸',
  'Silence what?': '¿Qué silenciar?',
  'Name a kind of alert, a market, or both, and for how long: {example}.':
    'Indica un tipo de alerta, un mercado o ambos, y por cuánto tiempo: {example}.',
  Everything: 'Todo',
  'Silence for how long?': '¿Por cuánto tiempo silenciar?',
  Detector: 'Detector',
  Threshold: 'Umbral',
  Seen: 'Observado',
  Subscription: 'Suscripción',
  'over before what held it back ended': 'terminó antes que lo que la retenía',
  'quiet hours': 'franja sin avisos',
  'nothing was open to resolve': 'no había nada activo que resolver',
  'possibly doubled': 'posiblemente duplicado',
  'silenced until {until}': 'en silencio hasta el {until}',
  silenced: 'en silencio',
} satisfies Readonly<Record<string, string>>;
