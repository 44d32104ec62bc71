/** What the platforms, their refusals and the charts say. */
export default {
  // Charts, in words and drawn.
  '{title}.': '{title}。',
  '{title}, {from} to {to}.': '{title}，{from} 至 {to}。',
  'Line at {value}: {name}.': '参考线 {value}：{name}。',
  '{series}: no data.': '{series}：无数据。',
  '{series}: {last}, a single value.': '{series}：{last}，仅一个值。',
  '{series} stayed at {last}.': '{series} 一直为 {last}。',
  '{series} ended about where it began: from {first} to {last}, between {low} and {high}.':
    '{series} 终点与起点相近：由 {first} 到 {last}，介于 {low} 与 {high} 之间。',
  '{series} rose from {first} to {last}, between {low} and {high}.':
    '{series} 由 {first} 升至 {last}，介于 {low} 与 {high} 之间。',
  '{series} fell from {first} to {last}, between {low} and {high}.':
    '{series} 由 {first} 降至 {last}，介于 {low} 与 {high} 之间。',
  'Of the time: {shares}; last {last}.': '时间占比：{shares}；最后为 {last}。',
  'Of the time: {shares}.': '时间占比：{shares}。',
  'Marked {n, plural, one {once} other {# times}}: {name}.': '标记 {n, number} 次：{name}。',
  '{n} more not drawn': '另有 {n} 条未绘出',
  'No data': '无数据',

  // Discord.
  'Discord: the channel no longer exists': 'Discord：该频道已不存在',
  'Discord: the server no longer exists': 'Discord：该服务器已不存在',
  'Discord: the bot may not see the channel: give it "View Channel"':
    'Discord：机器人无权查看该频道：请授予“查看频道”（View Channel）权限',
  'Discord: the bot lacks a permission in the channel: give it "Send Messages", "Embed Links" and "Attach Files" (in a thread "Send Messages in Threads")':
    'Discord：机器人在该频道缺少权限：请授予“发送消息”（Send Messages）、“嵌入链接”（Embed Links）和“附加文件”（Attach Files）（在子区中为“在子区内发送消息”，Send Messages in Threads）',
  'Discord: this person blocks messages from the bot: they must allow direct messages':
    'Discord：此人不接收机器人的消息：须由其允许私信',
  'Discord: the webhook no longer exists': 'Discord：该 webhook 已不存在',
  'Discord: the thread is archived and locked: a moderator must open it':
    'Discord：该子区已归档并锁定：须由管理员重新打开',
  'the post is too old to be edited again': '该消息过旧，无法再编辑',
  'Discord asked for a pause; resending after it': 'Discord 要求暂停；暂停结束后会再次发送',
  'Discord answered {status} and may have posted it; retrying':
    'Discord 返回 {status}，消息可能已发出；将会重试',
  'Discord, or a proxy before it, answered {status} without JSON; retrying':
    'Discord 或其前面的代理返回 {status}，且没有 JSON；将会重试',
  'Discord refused the message: {said}': 'Discord 拒绝了该消息：{said}',
  'Discord took the message, but its answer is unreadable; looking for the post':
    'Discord 收下了消息，但其回答无法读取；正在查找该消息',
  'the post was deleted: there is nothing left to edit': '该消息已被删除：没有可编辑的内容',
  'The bot is not a member here, so it could post nothing. Add it to this server, or write to it directly, and ask there.':
    '机器人不是此处的成员，无法在此发送消息。请将它加入本服务器，或直接私信它，再在那里提问。',
  'Tocsin is here': 'Tocsin 已就位',
  'It watches the crypto-derivatives market and tells you when it turns. Three things to do first:':
    '它关注加密货币衍生品市场，并在行情转变时通知你。先做三件事：',
  '1. In the channel that should get alerts, use /subscribe: alone it means the standard ones, about three a day. It takes kinds, markets, a severity and quiet hours.':
    '1. 在要接收警报的频道使用 /subscribe：单独使用即订阅标准警报，每天约三条。可指定类型、交易对、级别和免打扰时段。',
  '2. Ask something: /market, or /coin with any market.': '2. 提个问题：/market，或 /coin 加任一交易对。',
  '3. When it is too much, /silence; when you wonder, /why. /help explains everything.':
    '3. 太多时用 /silence；有疑问时用 /why。/help 说明一切。',
  'Settings are for members who may manage the server. /settings chooses the language.':
    '只有可管理服务器的成员才能更改设置。用 /settings 选择语言。',
  'Get the standard alerts here': '在此接收标准警报',
  'The market now': '当前市场',
  'All commands': '全部命令',
  'Alerts of a channel have ended': '某个频道的警报已终止',
  'Nothing can be posted in {where} any more, so its subscriptions ended.':
    '已无法在 {where} 发送消息，因此其订阅已终止。',
  '{reason}.': '{reason}。',
  'Alerts of a channel are on hold': '某个频道的警报已暂停',
  'Nothing can be posted in {where}, so its subscriptions and own alerts are on hold.':
    '目前无法在 {where} 发送消息，其订阅和自建警报已暂停。',
  'They resume by themselves once that is fixed.': '问题解决后会自动恢复。',
  'Alerts here are on hold until the bot may post again: {reason}':
    '此处的警报已暂停，待机器人可再次发送消息后恢复：{reason}',
  'Alerts here are back: the bot may post again': '此处的警报已恢复：机器人可再次发送消息',
  'Subscriptions and alerts here ended: {reason}': '此处的订阅和警报已终止：{reason}',
  'Nothing can be posted here for now: {reason}': '目前无法在此发送：{reason}',
  'nothing could be posted for 30 days': '30 天内无法发送任何消息',
  'Discord: the bot was removed from the server': 'Discord：机器人已被移出服务器',
  'Telegram: the bot was blocked there or removed': 'Telegram：机器人在那里被屏蔽或移除',

  // Telegram.
  'This button no longer does anything: type the command instead.': '此按钮已失效，请直接输入命令。',
  'Only administrators of this channel may use its buttons. Ask the bot in a private chat.':
    '只有此频道的管理员可以使用这些按钮。请在私聊中询问机器人。',
  'Only administrators of this chat may do that.': '只有此聊天的管理员可以这样做。',
  '{question}?': '{question}？',
  'Choose, or type the whole command.': '请选择，或输入完整命令。',
  'Skip {input}': '不填 {input}',
  Done: '完成',
  'Can’t find {name}: add the bot there as an administrator first, and give the name of its link.':
    '找不到 {name}：请先在那里将机器人设为管理员，并填写其链接中的名称。',
  '{name} can be managed from here only by its administrators, once the bot is one too.':
    '只有 {name} 的管理员可以从这里管理它，且机器人须同为管理员。',
  'In {name} the bot may not post: give it the right "Post messages".':
    '机器人无权在 {name} 发布消息：请授予“发布消息”（Post messages）权限。',
  'I watch the crypto-derivatives market and tell you here when it turns.':
    '我关注加密货币衍生品市场，并在行情转变时在此通知你。',
  '/subscribe: which alerts come here': '/subscribe：选择在此接收哪些警报',
  '/market: what goes on right now': '/market：市场当前情况',
  '/help: everything else': '/help：其他一切',
  Help: '帮助',
  'I can post in {title} now': '我现在可以在 {title} 发布消息了',
  'Its alerts are chosen here, in private: put {target} after the command.':
    '它的警报在这里（私聊中）选择：请在命令后加上 {target}。',
  'Telegram: {method} was cancelled': 'Telegram：{method} 已取消',
  'Telegram cannot be reached; retrying': '无法连接 Telegram；将会重试',
  'Telegram gave no answer to {method} in time or broke off; retrying':
    'Telegram 未及时回应 {method} 或连接中断；将会重试',
  'Telegram answered {method} with something unreadable (status {status}); retrying':
    'Telegram 对 {method} 的回答无法读取（状态 {status}）；将会重试',
  'Telegram answered {method} with {code}, "{said}": {remedy}':
    'Telegram 对 {method} 返回 {code}，“{said}”：{remedy}',
  'resending when Telegram allows': '待 Telegram 允许时会再次发送',
  retrying: '将会重试',
  'alerts there are on hold until the bot may post again: unblock it, add it back or give it the right to post':
    '在机器人可再次发送消息之前，那里的警报暂停：请解除屏蔽、重新添加机器人，或授予其发送权限',
  'its subscriptions end; to get them back, start the bot there again':
    '其订阅将终止；需要者请在那里重新启用机器人',
  'following it to its new chat': '将转到其新的聊天继续发送',
  'not retried; if rights are missing, make the bot an administrator who may post':
    '不再重试；若缺少权限，请将机器人设为可发布消息的管理员',

  'Discord could not be reached; retrying': '无法连接 Discord；将会重试',
  'Discord does not accept DISCORD_TOKEN: set a valid one and restart':
    'Discord 不接受 DISCORD_TOKEN：请设置有效的令牌并重新启动',
  'Discord gave no answer in time or broke off; retrying under the same nonce':
    'Discord 未及时回应或连接中断；将以相同的 nonce 重试',
  'too many requests were refused; sending pauses before Discord bans the bot':
    '被拒绝的请求过多；为免遭 Discord 封禁，暂停发送',
  'sending was cancelled': '发送已取消',
  'sending was cancelled before it began': '发送在开始前已取消',
  'Telegram does not accept TELEGRAM_TOKEN: nothing is sent there; ask @BotFather for a valid one and restart':
    'Telegram 不接受 TELEGRAM_TOKEN：不会向其发送任何内容；请向 @BotFather 获取有效的令牌并重新启动',

  // Webhooks, the console, the terminal.
  'the address must accept a JSON POST with 2xx; a redirect is not followed, give the final URL':
    '该地址须以 2xx 接受 JSON POST；不会跟随重定向，请填写最终的 URL',
  '{hostname} is a private, loopback or link-local address; use a public one, or let the operator allow its range in notifiers.webhook.allow':
    '{hostname} 是私有、回环或链路本地地址；请使用公网地址，或由运营者在 notifiers.webhook.allow 中允许其网段',
  '{host} answered {status}: {what}': '{host} 返回 {status}：{what}',
  '{host} could not be reached; retrying': '无法连接 {host}；将会重试',
  '{host} gave no answer in time or broke off; retrying': '{host} 未及时回应或连接中断；将会重试',
  '{host} was not asked: sending was cancelled': '未向 {host} 请求：发送已取消',
  'following it': '将跟随至新位置',
  'resending when it asked to': '将按其要求的时间再次发送',
  'its subscriptions are on hold': '其订阅已暂停',
  'tried again for three days, then its subscriptions end': '三天内会继续重试，之后其订阅将终止',
  'its subscriptions end': '其订阅将终止',
  'the console could not keep the message; retrying': '控制台未能保存该消息；将会重试',
  'the terminal does not take text; retrying': '终端不接受文本；将会重试',
} satisfies Readonly<Record<string, string>>;
