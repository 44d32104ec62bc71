/** What every alert says around its own words: cards, digests, pipeline, preview, record. */
export default {
  '{n, plural, one {# alert} other {# alerts}}: {kinds}': '{n, number} 条警报：{kinds}',
  'All resolved.': '全部已结束。',
  Alert: '警报',
  Severity: '级别',
  Status: '状态',
  '{open, number} going on, {ended, number} resolved.': '{open, number} 条进行中，{ended, number} 条已结束。',
  'Resolved after {after}.': '持续 {after}后结束。',
  'Resolved after {after}: {end}.': '持续 {after}后结束：{end}。',
  'Continued in a newer message: {alert}': '后续见较新的消息：{alert}',
  'Going on for {after}.': '已持续 {after}。',
  'Escalated from {from} to {to} after {after}.': '{after}后由{from}升级为{to}。',
  'Eased from {from} to {to} after {after}.': '{after}后由{from}降为{to}。',
  'Resolved after {after}': '持续 {after}后结束',
  'Unknown: no fresh data for {age}. Below is what was known last.':
    '现状未知：已有 {age}没有新数据。以下是最后已知的情况。',
  'Told late, by {lateBy}.': '本条通知晚了 {lateBy}。',
  Chart: '图表',
  Why: '原因',
  'Mute this kind': '静音此类型',
  '{n, plural, one {# alert} other {# alerts}} began and ended before delivery':
    '{n, number} 条警报在送达前已开始并结束',
  'Digest: {n, plural, one {# alert} other {# alerts}}': '汇总：{n, number} 条警报',
  'At worst': '最高级别',
  'data of {time}': '数据时间 {time}',
  '{age} old': '{age}前',
  '… and {n} more': '……另有 {n} 条',
  'Page {page, number} of {pages, number}': '第 {page, number} 页，共 {pages, number} 页',
  'Previous page': '上一页',
  'Next page': '下一页',
  'This answer is no longer kept': '这个回答已不再保存',
  'Ask again to see all its pages.': '请重新提问以查看全部页面。',
  'Go on with …': '接下来……',
  '{low} to {high} {unit}': '{low} 至 {high} {unit}',
  '{source}, {speed} ×': '{source}，{speed} ×',

  // Blindness, test posts.
  'Data blind since {seen}: {detector}': '自 {seen} 起无数据：{detector}',
  'There is data again. What began and ended meanwhile was not seen.':
    '数据已恢复。其间开始并结束的情况未被看到。',
  'The data cannot be had. What happens meanwhile is not told, and what fires is neither confirmed nor over until there is data again.':
    '无法取得数据。其间发生的情况不会通知；进行中的警报在数据恢复前既不能确认，也不能视为结束。',
  'Nothing can be posted here: the operator has not set up "{notifier}".':
    '无法在此发送消息：运营者尚未配置“{notifier}”。',
  'Try again in {after}.': '请在 {after}后重试。',
  'Try again in a minute.': '请在一分钟后重试。',
  'A test post did not get through: {problem}.': '测试消息未能送达：{problem}。',

  // Why something was not told, or waits.
  'already told': '此前已通知',
  'already told, at once': '此前已立即通知',
  'held back by "{alert}"': '被“{alert}”拦下',
  'held back by "{alert}" until it was over': '被“{alert}”拦下，直至其结束',
  'What was asked for here was held back:': '此处订阅的提醒被拦下：',
  'Silence ▸': '静音 ▸',
  'Silence what?': '静音什么？',
  'Name a kind of alert, a market, or both, and for how long: {example}.':
    '请写明提醒类型、市场或两者，以及时长：{example}。',
  Everything: '全部',
  'Silence for how long?': '静音多久？',
  Detector: '检测器',
  Threshold: '阈值',
  Seen: '观测值',
  Subscription: '订阅',
  'its beginning was not told here': '其开始未在此通知',
  'no longer kept': '已不再保存',
  'no longer subscribed': '已不再订阅',
  'nothing was open to resolve': '没有可结束的警报',
  'over before the quiet hours ended': '在免打扰结束前已结束',
  'over before what held it back ended': '在拦下它的警报结束前已结束',
  'possibly doubled': '可能重复发送',
  'quiet hours': '免打扰时段',
  'sending is paused by the operator': '运营者已暂停发送',
  silenced: '已静音',
  'silenced until {until}': '静音至 {until}',
  'the bot was stopped': '机器人已停止',

  // Preview.
  'What this rule would have done is not known: a hosted data service tells only the present of what it looks at, and this bot has not watched that for an hour yet. It keeps it from now on.':
    '无法得知此规则过去本会如何：托管的数据服务只提供其所依据的当前数据，而本机器人观察这些数据还不到一小时。从现在起会予以保存。',
  'Over so many symbols the past would take too many questions to a hosted data service: preview it for a few of them.':
    '涉及的交易对太多，向托管的数据服务查询过去需要过多请求：请只对其中几个进行预览。',
  'What this rule looks at is not kept for long enough: what it would have done is not known.':
    '此规则所依据的数据保存时间不够长：无法得知它过去本会如何。',
  'What this rule would have done in the past takes too long to be worked out.':
    '推算此规则过去本会如何所需时间过长。',
  'Others are being previewed. Ask again in a minute.': '正在预览其他规则。请一分钟后再问。',
  Save: '保存',
  'Ask again': '再次询问',
  'What it would have told in the past is still being worked out: ask again in a few minutes.':
    '仍在推算它过去本会通知什么：请过几分钟再问。',
  'Of the alerts kept here since {since}, this would have told you {posts, plural, one {once} other {# times}}. A hosted data service tells only the present: what it told before is not known.':
    '在自 {since} 起保存于此的警报中，它本会通知你 {posts, number} 次。托管的数据服务只提供当前数据：更早的情况未知。',
  'Since {since} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}}, by what the data service tells of its past and what this bot has seen itself.':
    '自 {since} 起，根据数据服务提供的历史数据和本机器人自己的观察，它{posts, plural, =0 {不会通知你任何内容} other {本会通知你 # 次}}。',
  'Over the last {length} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}}.':
    '过去 {length}里，它{posts, plural, =0 {不会通知你任何内容} other {本会通知你 # 次}}。',
  'Over the last {length} this would have told you {posts, plural, =0 {nothing} one {once} other {# times}} ({rate} a day).':
    '过去 {length}里，它{posts, plural, =0 {不会通知你任何内容} other {本会通知你 # 次}}（每天 {rate} 次）。',
  '{alerts, plural, one {# alert} other {# alerts}} in all; those of one moment come together.':
    '共 {alerts, number} 条警报；同一时刻的合并为一条消息。',
  'Not counted, because its past is not kept: {kinds}.': '未计入（没有保存其历史）：{kinds}。',
  'Counted only from later on: {kinds}.': '仅从较晚时起计入：{kinds}。',
  '{kind} from {since}': '{kind}（自 {since} 起）',
  'Presets, over the same time': '各预设在同一时段的通知数',
  '{preset} {posts}': '{preset} {posts}',
  '{symbol} price and your alerts, last {length}': '{symbol} 价格与你的警报，最近 {length}',

  // Record.
  Record: '过往表现',
  'Within {after} the price had moved more than usual in {hits} of {n}, and does so anyway in {usual} (difference {edge} points). Past moves, not a forecast.':
    '{n} 次中有 {hits} 在 {after}内价格变动大于平时；平时本就有 {usual} 如此（相差 {edge} 个百分点）。这是过去的变动，不是预测。',
  'After {after} the price had gone {way} in {hits} of {n}, and goes there anyway in {usual} (difference {edge} points). Past moves, not a forecast.':
    '{n} 次中有 {hits} 在 {after}后价格{way}；平时本就有 {usual} 如此（相差 {edge} 个百分点）。这是过去的变动，不是预测。',
  'not enough data (n = 0)': '数据不足（n = 0）',
  'not enough data (n = {n}, on {days, plural, one {# day} other {# days}})':
    '数据不足（n = {n}，分布于 {days, number} 天）',
  '{low} … {high}': '{low} … {high}',
} satisfies Readonly<Record<string, string>>;
