/** Commands about subscriptions, silences and settings. */
export default {
  'None yet.': 'Todavía no hay.',
  '“{text}” is neither a metric nor a market.': '“{text}” no es ni una métrica ni un mercado.',
  'Alert created': 'Alerta creada',
  'Which markets? Name some, such as btc, or top20, watchlist or all.':
    '¿Qué mercados? Indica algunos, p. ej. btc, o top20, watchlist o all.',
  'One at a time: give the id of one.': 'De una en una: indica el id de una.',
  'Alert changed': 'Alerta cambiada',
  Paused: 'En pausa',
  Resumed: 'Vigilancia reanudada',
  '{count, plural, one {Alert deleted} other {# alerts deleted}}':
    '{count, plural, one {Alerta borrada} other {# alertas borradas}}',
  'Alerts in this chat': 'Alertas de este chat',
  'None yet. Create one: {example}; "{metrics}" lists what it can be about.':
    'Todavía no hay. Crea una: {example}; "{metrics}" muestra de qué pueden tratar.',
  'Show {id}': 'Mostrar {id}',
  'What an alert can be about': 'De qué puede tratar una alerta',
  'Join several in a condition: {example}.': 'Se pueden unir varias en una condición: {example}.',
  Metric: 'Métrica',
  'What it is': 'Qué es',
  'alert {id} changed: {name}': 'alerta {id} cambiada: {name}',
  'alert {id} paused: {name}': 'alerta {id} en pausa: {name}',
  'alert {id} resumed: {name}': 'alerta {id} reanudada: {name}',
  'alert {id} deleted: {name}': 'alerta {id} borrada: {name}',
  'Changes here': 'Cambios en este chat',
  'Nothing has been changed here.': 'Aquí no se ha cambiado nada.',
  What: 'Qué',
  'import|What': 'Qué pasaría',
  'Nothing is subscribed here.': 'Aquí no hay ninguna suscripción.',
  'No subscription here has that id. There are: {ids}.':
    'Ninguna suscripción de aquí tiene ese id. Hay estas: {ids}.',
  'Subscription changed': 'Suscripción cambiada',
  Export: 'Exportación',
  'Only those who manage this chat can have it forgotten. For your name: "{me}".':
    'Solo quienes administran este chat pueden hacer que se olvide. Para tu nombre: "{me}".',
  'Are you sure?': '¿Seguro?',
  'This chat’s subscriptions, own alerts, silences, watchlist, settings, unsent messages, delivery log and change log would be deleted. This cannot be undone.':
    'Se borrarían las suscripciones, las alertas propias, los silencios, la lista de seguimiento, los ajustes, los mensajes sin enviar, el registro de entregas y el registro de cambios de este chat. No se puede deshacer.',
  'Your name would be taken out of subscriptions, silences and records of changes, which stay without it, and your own settings would be deleted.':
    'Se quitaría tu nombre de las suscripciones, los silencios y los registros de cambios, que se conservan sin él, y se borrarían tus propios ajustes.',
  'Yes, forget': 'Sí, olvidar',
  'Your name is forgotten': 'Tu nombre ha quedado olvidado',
  'It stood in {places, plural, one {# place} other {# places}}.':
    'Figuraba en {places, plural, one {# lugar} other {# lugares}}.',
  'This chat is forgotten': 'Este chat ha quedado olvidado',
  'There was nothing to delete.': 'No había nada que borrar.',
  'Deleted:': 'Borrado:',
  Subscriptions: 'Suscripciones',
  Silences: 'Silencios',
  'Own alerts': 'Alertas propias',
  Watchlists: 'Listas de seguimiento',
  Settings: 'Ajustes',
  'Waiting notifications': 'Notificaciones en espera',
  'Posts it could still edit': 'Mensajes que aún podía editar',
  'Rate-limit pauses': 'Pausas por límite de envíos',
  'Holds while the bot could not post': 'Pausas mientras el bot no podía publicar',
  'Delivery log entries': 'Entradas del registro de entregas',
  'Change log entries': 'Entradas del registro de cambios',
  'Console messages': 'Mensajes de la consola',
  'Added to the watchlist': 'Se añade a la lista de seguimiento',
  'new': 'nueva',
  unchanged: 'sin cambios',
  'changes {id}': 'cambia {id}',
  'Preview of the import': 'Vista previa de la importación',
  'Everything is in the file: "import" reads it.': 'Todo está en el archivo: "import" lo lee.',
  'Markets in the watchlist': 'Mercados en la lista de seguimiento',
  'The file has {size, number} kB, and an export at most {most, number}: is it the right one?':
    'El archivo ocupa {size, number} kB y una exportación, como mucho, {most, number}: ¿es el correcto?',
  'The file is missing: send it with the command, or the command in answer to it.':
    'Falta el archivo: envíalo con el comando, o el comando como respuesta a él.',
  'The file could not be fetched: send it again.': 'No se pudo descargar el archivo: envíalo de nuevo.',
  'The file is not text: send the one that "export" gave.':
    'El archivo no es texto: envía el que dio "export".',
  '"{command}" takes no file.': '"{command}" no admite archivos.',
  'Nothing has changed yet. Send the same again with confirm=yes.':
    'Aún no se ha cambiado nada. Envía lo mismo de nuevo con confirm=yes.',
  Subscription: 'Suscripción',
  'watchlist: {symbols}': 'lista de seguimiento: {symbols}',
  Imported: 'Importado',
  '{fresh, number} new, {others, number} updated or unchanged.':
    'Nuevas: {fresh, number}. Actualizadas o sin cambios: {others, number}.',
  'New alert': 'Alerta nueva',
  'Only the operator may pause all sending. To pause a subscription here: "{list}".':
    'Solo el operador puede pausar todo el envío. Para pausar una suscripción de aquí: "{list}".',
  'paused all sending': 'todo el envío en pausa',
  'All sending is paused': 'Todo el envío está en pausa',
  'Alerts wait until sending resumes; those that get too old meanwhile are not sent.':
    'Las alertas esperan hasta que se reanude el envío; las que envejezcan demasiado no se enviarán.',
  'Only the operator may resume sending.': 'Solo el operador puede reanudar todo el envío.',
  'resumed all sending': 'todo el envío reanudado',
  'Nothing was paused': 'No había nada en pausa',
  'Sending resumed': 'El envío se reanuda',
  'What waited is being sent now; late alerts say so.':
    'Lo que esperaba se avisa ahora, con una nota si llega tarde.',
  'There are no personal settings here: choose for the chat instead.':
    'Aquí no hay ajustes personales: elige para el chat.',
  'settings: reset': 'ajustes: restablecidos',
  'Settings changed': 'Ajustes cambiados',
  'They apply to this chat: to its alerts, and to answers here.':
    'Se aplican a este chat: a sus alertas y a las respuestas aquí.',
  'The chat’s apply to its alerts. For answers to you, your own come first.':
    'Los del chat se aplican a sus alertas. En las respuestas para ti, los tuyos van primero.',
  Setting: 'Ajuste',
  You: 'Tú',
  'Dark charts': 'Gráficos oscuros',
  'Light charts': 'Gráficos claros',
  'This chat is at its limit of {count, number} silences. End one with "{end}".':
    'Este chat ya tiene {count, number} silencios, el máximo. Termina uno con "{end}".',
  'silenced {id}: {what}': 'silencio {id} creado: {what}',
  Silenced: 'Silenciado',
  'Muted until {until}: {what}.': 'En silencio hasta el {until}: {what}.',
  Undo: 'Deshacer',
  'Preview: nothing is saved': 'Vista previa: no se guarda nada',
  Subscribed: 'Suscripción creada',
  'Already subscribed': 'Ya existía esta suscripción',
  'No subscription here has that id: "{list}" lists them.':
    'Ninguna suscripción de aquí tiene ese id: "{list}" las muestra.',
  'Edit {id}': 'Editar {id}',
  'Silence {id}': 'Silencio {id}',
  'Sample alerts posted': 'Alertas de muestra publicadas',
  '{count, number} samples: {kinds}.': '{count, number} muestras: {kinds}.',
  'simulated sample data': 'datos de muestra simulados',
  'TEST: {title}': 'PRUEBA: {title}',
  'This is simulated sample data: nothing has happened.':
    'Son datos de muestra simulados: no ha pasado nada.',
  'Nothing is silenced here.': 'Aquí no hay nada en silencio.',
  'No silence here has that id. There are: {ids}.': 'Ningún silencio de aquí tiene ese id. Hay estos: {ids}.',
  'ended silence {id}: {what}': 'silencio {id} terminado: {what}',
  '{count, plural, one {Silence ended} other {# silences ended}}':
    '{count, plural, one {Silencio terminado} other {# silencios terminados}}',
  'Alerts are back: {what}.': 'Vuelven las alertas: {what}.',
  'ended subscription {id}: {what}': 'suscripción {id} anulada: {what}',
  '{count, plural, one {Subscription ended} other {# subscriptions ended}}':
    '{count, plural, one {Suscripción anulada} other {# suscripciones anuladas}}',
  'You no longer get: {what}.': 'Ya no se avisa: {what}.',
  'Name what to remove, e.g. btc eth.': 'Indica qué quitar, p. ej. btc eth.',
  'Name what to add, e.g. btc eth.': 'Indica qué añadir, p. ej. btc eth.',
  'A watchlist can’t hold all markets: name some, or top20 and the like.':
    'Una lista de seguimiento no puede ser todo: indica mercados, o top20 y similares.',
  'A watchlist has at most {most, number} markets.':
    'Una lista de seguimiento tiene como máximo {most, number} mercados.',
  'watchlist: empty': 'lista de seguimiento: vacía',
  Watchlist: 'Lista de seguimiento',
  Show: 'Mostrar',
} satisfies Readonly<Record<string, string>>;
