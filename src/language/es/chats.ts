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
  'Of the time: {shares}.': 'Parte del tiempo: {shares}.',
  'Marked {n, plural, one {once} other {# times}}: {name}.':
    'Marcado {n, plural, one {una vez} other {# veces}}: {name}.',
  '{n} more not drawn': '{n} más sin dibujar',
  'No data': 'Sin datos',
  'Discord: the channel no longer exists': 'Discord: el canal ya no existe',
  'Discord: the server no longer exists': 'Discord: el servidor ya no existe',
  'Discord: the bot may not see the channel: give it "View Channel"':
    'Discord: el bot no puede ver el canal: dale el permiso "Ver canal" (View Channel)',
  'Discord: the bot lacks a permission in the channel: give it "Send Messages", "Embed Links" and "Attach Files" (in a thread "Send Messages in Threads")':
    'Discord: al bot le falta un permiso en el canal: dale "Enviar mensajes" (Send Messages), "Insertar enlaces" (Embed Links) y "Adjuntar archivos" (Attach Files); en un hilo, "Enviar mensajes en hilos" (Send Messages in Threads)',
  'Discord: this person blocks messages from the bot: they must allow direct messages':
    'Discord: esta persona no acepta mensajes del bot: tiene que permitir los mensajes directos',
  'Discord: the webhook no longer exists': 'Discord: el webhook ya no existe',
  'Discord: the thread is archived and locked: a moderator must open it':
    'Discord: el hilo está archivado y bloqueado: lo tiene que abrir un moderador',
  'the post is too old to be edited again': 'el mensaje es demasiado antiguo para editarlo otra vez',
  'Discord asked for a pause; resending after it':
    'Discord pidió una pausa; se vuelve a enviar cuando termine',
  'Discord answered {status} and may have posted it; retrying':
    'Discord respondió {status} y puede haberlo publicado; se vuelve a intentar',
  'Discord, or a proxy before it, answered {status} without JSON; retrying':
    'Discord, o un proxy intermedio, respondió {status} sin JSON; se vuelve a intentar',
  'Discord refused the message: {said}': 'Discord rechazó el mensaje: {said}',
  'Discord took the message, but its answer is unreadable; looking for the post':
    'Discord aceptó el mensaje, pero su respuesta es ilegible; se busca el mensaje',
  'the post was deleted: there is nothing left to edit': 'el mensaje se borró: ya no hay nada que editar',
  'The bot is not a member here, so it could post nothing. Add it to this server, or write to it directly, and ask there.':
    'El bot no es miembro aquí, así que no podría publicar nada. Añádelo a este servidor, o escríbele directamente y pregunta allí.',
  'Tocsin is here': 'Tocsin está aquí',
  'It watches the crypto-derivatives market and tells you when it turns. Three things to do first:':
    'Vigila el mercado de derivados cripto y te avisa cuando gira. Tres cosas para empezar:',
  '1. In the channel that should get alerts, use /subscribe: alone it means the standard ones, about three a day. It takes kinds, markets, a severity and quiet hours.':
    '1. En el canal que deba recibir alertas, usa /subscribe: por sí solo significa las estándar, unas tres al día. Admite tipos, mercados, una gravedad y una franja sin avisos.',
  '2. Ask something: /market, or /coin with any market.':
    '2. Pregunta algo: /market, o /coin con cualquier mercado.',
  '3. When it is too much, /silence; when you wonder, /why. /help explains everything.':
    '3. Cuando sea demasiado, /silence; cuando te extrañe algo, /why. /help lo explica todo.',
  'Settings are for members who may manage the server. /settings chooses the language.':
    'Los ajustes son para miembros que pueden administrar el servidor. /settings elige el idioma.',
  'Get the standard alerts here': 'Recibir aquí las alertas estándar',
  'The market now': 'El mercado ahora',
  'All commands': 'Todos los comandos',
  'Alerts of a channel have ended': 'Las alertas de un canal se han terminado',
  'Nothing can be posted in {where} any more, so its subscriptions ended.':
    'En {where} ya no se puede publicar nada, así que sus suscripciones se han terminado.',
  '{reason}.': '{reason}.',
  'Alerts of a channel are on hold': 'Las alertas de un canal están en pausa',
  'Nothing can be posted in {where}, so its subscriptions and own alerts are on hold.':
    'En {where} no se puede publicar nada, así que sus suscripciones y alertas propias están en pausa.',
  'They resume by themselves once that is fixed.': 'Se reanudan solas en cuanto se arregle.',
  'Alerts here are on hold until the bot may post again: {reason}':
    'Las alertas de aquí están en pausa hasta que el bot pueda volver a publicar: {reason}',
  'Alerts here are back: the bot may post again':
    'Las alertas de aquí se han reanudado: el bot puede volver a publicar',
  'Subscriptions and alerts here ended: {reason}':
    'Las suscripciones y alertas de aquí se han terminado: {reason}',
  'Nothing can be posted here for now: {reason}': 'Por ahora no se puede publicar nada aquí: {reason}',
  'nothing could be posted for 30 days': 'no se pudo publicar nada durante 30 días',
  'Discord: the bot was removed from the server': 'Discord: se ha quitado el bot del servidor',
  'Telegram: the bot was blocked there or removed': 'Telegram: allí se ha bloqueado o quitado el bot',
  'This button no longer does anything: type the command instead.':
    'Este botón ya no hace nada: escribe el comando.',
  'Only administrators of this channel may use its buttons. Ask the bot in a private chat.':
    'Solo los administradores de este canal pueden usar sus botones. Pregunta al bot en un chat privado.',
  'Only administrators of this chat may do that.': 'Solo los administradores de este chat pueden hacerlo.',
  '{question}?': '{question}:',
  'Choose, or type the whole command.': 'Elige, o escribe el comando completo.',
  'Skip {input}': 'Omitir {input}',
  Done: 'Listo',
  'Can’t find {name}: add the bot there as an administrator first, and give the name of its link.':
    'No se encuentra {name}: añade antes el bot allí como administrador, e indica el nombre de su enlace.',
  '{name} can be managed from here only by its administrators, once the bot is one too.':
    '{name} solo pueden administrarlo desde aquí sus administradores, y cuando el bot también lo sea.',
  'In {name} the bot may not post: give it the right "Post messages".':
    'En {name} el bot no puede publicar: dale el derecho a publicar mensajes ("Post messages").',
  'I watch the crypto-derivatives market and tell you here when it turns.':
    'Vigilo el mercado de derivados cripto y te aviso aquí cuando gira.',
  '/subscribe: which alerts come here': '/subscribe: qué alertas llegan aquí',
  '/market: what goes on right now': '/market: qué pasa ahora mismo',
  '/help: everything else': '/help: todo lo demás',
  Help: 'Ayuda',
  'I can post in {title} now': 'Ya puedo publicar en {title}',
  'Its alerts are chosen here, in private: put {target} after the command.':
    'Sus alertas se eligen aquí, en privado: pon {target} después del comando.',
  'Telegram: {method} was cancelled': 'Telegram: {method} se canceló',
  'Telegram cannot be reached; retrying': 'No se puede contactar con Telegram; se vuelve a intentar',
  'Telegram gave no answer to {method} in time or broke off; retrying':
    'Telegram no respondió a {method} a tiempo o cortó la conexión; se vuelve a intentar',
  'Telegram answered {method} with something unreadable (status {status}); retrying':
    'Telegram respondió a {method} con algo ilegible (estado {status}); se vuelve a intentar',
  'Telegram answered {method} with {code}, "{said}": {remedy}':
    'Telegram respondió a {method} con {code}, "{said}": {remedy}',
  'Telegram does not accept TELEGRAM_TOKEN: nothing is sent there; ask @BotFather for a valid one and restart':
    'Telegram no acepta TELEGRAM_TOKEN: allí no se envía nada; pide uno válido a @BotFather y reinicia',
  'resending when Telegram allows': 'se vuelve a enviar cuando Telegram lo permita',
  retrying: 'se vuelve a intentar',
  'alerts there are on hold until the bot may post again: unblock it, add it back or give it the right to post':
    'las alertas de allí están en pausa hasta que el bot pueda volver a publicar: desbloquéalo, vuelve a añadirlo o dale permiso para publicar',
  'its subscriptions end; to get them back, start the bot there again':
    'sus suscripciones terminan; quien las quiera, que vuelva a iniciar el bot allí',
  'following it to its new chat': 'se le sigue a su nuevo chat',
  'not retried; if rights are missing, make the bot an administrator who may post':
    'no se vuelve a intentar; si faltan derechos, haz al bot administrador con permiso para publicar',
  'Discord does not accept DISCORD_TOKEN: set a valid one and restart':
    'Discord no acepta DISCORD_TOKEN: configura uno válido y reinicia',
  'too many requests were refused; sending pauses before Discord bans the bot':
    'se rechazaron demasiadas peticiones; el envío descansa antes de que Discord lo bloquee',
  'sending was cancelled before it began': 'el envío se canceló antes de empezar',
  'Discord could not be reached; retrying': 'no se pudo contactar con Discord; se vuelve a intentar',
  'sending was cancelled': 'el envío se canceló',
  'Discord gave no answer in time or broke off; retrying under the same nonce':
    'Discord no respondió a tiempo o cortó la conexión; se vuelve a intentar con el mismo nonce',
  'the terminal does not take text; retrying': 'el terminal no acepta texto; se vuelve a intentar',
  'the console could not keep the message; retrying':
    'la consola no pudo guardar el mensaje; se vuelve a intentar',
  'resending when it asked to': 'se vuelve a enviar cuando lo pidió',
  'its subscriptions are on hold': 'sus suscripciones están en pausa',
  'tried again for three days, then its subscriptions end':
    'se prueba de nuevo durante tres días; después sus suscripciones terminan',
  'its subscriptions end': 'sus suscripciones terminan',
  'following it': 'se sigue a la nueva dirección',
  'the address must accept a JSON POST with 2xx; a redirect is not followed, give the final URL':
    'la dirección debe aceptar un POST de JSON y responder 2xx; las redirecciones no se siguen: indica la URL final',
  '{host} was not asked: sending was cancelled': 'No se consultó {host}: el envío se canceló',
  '{host} gave no answer in time or broke off; retrying':
    '{host} no respondió a tiempo o cortó la conexión; se vuelve a intentar',
  '{host} answered {status}: {what}': '{host} respondió {status}: {what}',
  '{hostname} is a private, loopback or link-local address; use a public one, or let the operator allow its range in notifiers.webhook.allow':
    '{hostname} es una dirección privada, de loopback o link-local; usa una pública, o que el operador permita su rango en notifiers.webhook.allow',
  '{host} could not be reached; retrying': 'no se pudo contactar con {host}; se vuelve a intentar',
  'sending is paused by the operator': 'el operador ha pausado el envío',
  'no longer kept': 'ya no se conserva',
  'its stored record is unreadable': 'su registro guardado es ilegible',
  'its platform is not set up': 'su plataforma no está configurada',
  'a subscription cannot be read': 'una suscripción no se puede leer',
  'a bug in Tocsin: {problem}': 'un fallo de Tocsin: {problem}',
  'A subscribed alert has lost or regained its data': 'Una alerta suscrita ha perdido o recuperado sus datos',
} satisfies Readonly<Record<string, string>>;
