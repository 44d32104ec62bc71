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
  'Unknown: no fresh data for {age}. Last known values below.':
    '现状未知：已有 {age}没有新数据。以下是最后已知的情况。',
  'Delivered {lateBy} late.': '延迟 {lateBy}送达。',
  Chart: '图表',
  Why: '原因',
  'Mute this kind': '静音此类型',
  '{n, plural, one {# alert} other {# alerts}} began and ended before delivery':
    '{n, number} 条警报在送达前已开始并结束',
  'Digest: {n, plural, one {# alert} other {# alerts}}': '汇总：{n, number} 条警报',
  'At worst': '最高级别',
  'as of {time}': '数据时间 {time}',
  '{age} old': '{age}前',
  '… and {n} more': '……另有 {n} 条',
  'Page {page, number} of {pages, number}': '第 {page, number} 页，共 {pages, number} 页',
  'Previous page': '上一页',
  'Next page': '下一页',
  'This answer has expired': '这个回答已过期',
  'Ask again to see all its pages.': '请重新提问以查看全部页面。',
  'Next …': '接下来……',
  '{low} to {high} {unit}': '{low} 至 {high} {unit}',
  '{source}, {speed} ×': '{source}，{speed} ×',

  // Blindness, test posts.
  'No data for {detector} since {seen}': '自 {seen} 起没有 {detector} 的数据',
  'Data is back. Anything that began and ended meanwhile was missed.':
    '数据已恢复。其间开始并结束的情况未被看到。',
  'Data unavailable. Until it is back, what happens is not alerted, and active alerts are neither confirmed nor over.':
    '数据不可用。恢复之前，期间发生的情况不会通知，进行中的警报既不确认也不结束。',
  'Nothing can be posted here: the operator has not set up "{notifier}".':
    '无法在此发送消息：运营者尚未配置“{notifier}”。',
  'Try again in {after}.': '请在 {after}后重试。',
  'Try again in a minute.': '请在一分钟后重试。',
  'A test post did not get through: {problem}.': '测试消息未能送达：{problem}。',

  // Why something was not told, or waits.
  'already sent': '此前已通知',
  'already sent right away': '此前已立即通知',
  'held back by "{alert}"': '被“{alert}”拦下',
  'held back by "{alert}" until it was over': '被“{alert}”拦下，直至其结束',
  'Alerts for this chat were held back:': '以下警报被拦下：',
  'Silence ▸': '静音 ▸',
  'Silence what?': '静音什么？',
  'Name a kind of alert, a market, or both, and for how long: {example}.':
    '请写明警报类型、交易对或两者，以及时长：{example}。',
  Everything: '全部',
  'Silence for how long?': '静音多久？',
  Detector: '检测器',
  Threshold: '阈值',
  Seen: '观测值',
  Subscription: '订阅',
  'its start was not sent here': '其开始未在此通知',
  'no longer kept': '已不再保存',
  'its stored record is unreadable': '其保存的记录无法读取',
  'its platform is not set up': '其平台尚未配置',
  'a subscription cannot be read': '有一条订阅无法读取',
  'a bug in Tocsin: {problem}': 'Tocsin 的故障：{problem}',
  'another process may have taken over': '可能已由另一个进程接管',
  'no longer subscribed': '已不再订阅',
  'nothing was open to resolve': '没有可结束的警报',
  'over before the quiet hours ended': '在免打扰结束前已结束',
  'over before what held it back ended': '在拦下它的警报结束前已结束',
  'possibly doubled': '可能重复发送',
  'quiet hours': '免打扰时段',
  'sending is paused by the operator': '运营者已暂停发送',
  silenced: '已静音',
  'silenced until {until}': '静音至 {until}',

  // Preview.
  'No preview yet: a hosted data service has no history of this, and the bot has recorded it for less than an hour.':
    '暂无预览：托管的数据服务没有此项历史，而本机器人记录它还不到一小时。',
  'Too many markets for a preview with a hosted data service: preview it for a few of them.':
    '交易对太多，无法用托管的数据服务预览：请只预览其中几个。',
  'No preview: this data is not kept for long enough.': '无法预览：此数据保存时间不够长。',
  'No preview: checking this rule over the past takes too long.': '无法预览：用历史检验此规则耗时过长。',
  'Checking the past takes longer than usual: ask again in a few minutes.':
    '检查历史所需时间比平时长：请几分钟后再问。',
  'The past could not be checked: ask again in a few minutes.': '无法检查历史：请几分钟后再问。',
  'The past could not be checked, because the data service did not answer: ask again in a few minutes.':
    '数据服务没有响应，无法检查历史：请几分钟后再问。',
  'Other previews are running: ask again in a minute.': '正在预览其他规则。请一分钟后再问。',
  Save: '保存',
  'Ask again': '再次询问',
  'Checking the last {days, plural, one {day} other {# days}}… (updates here within {wait}; if not, ask again)':
    '正在检查最近 {days, number} 天…（{wait}内在此更新；如未更新，请再次询问）',
  'Of the alerts kept here since {since}, you’d have had {had}. A hosted data service has no history, so earlier ones are not counted.':
    '在自 {since} 起保存于此的警报中，若已订阅会收到{had}。托管的数据服务没有历史数据，更早的未计入。',
  'Since {since} you’d have had {had}, going by the data service’s past and what this bot has seen.':
    '自 {since} 起，根据数据服务的历史和本机器人的观察，若已订阅会收到{had}。',
  'Since {since} you’d have had {had}.': '自 {since} 起，若已订阅会收到{had}。',
  'In the last {days, plural, one {day} other {# days}} you’d have had {had}.':
    '最近 {days, number} 天，若已订阅会收到{had}。',
  '{alerts, plural, one {# alert} other {# alerts}} in {posts, plural, one {# message} other {# messages}} (simultaneous ones are grouped)':
    ' {alerts, number} 条警报，分 {posts, number} 条消息（同时发生的合并）',
  '{alerts, plural, =0 {no alerts} one {# alert} other {# alerts}}':
    '{alerts, plural, =0 { 0 条警报} other { # 条警报}}',
  '{told}, {rate} a day': '{told}，平均每天 {rate} 条',
  'Not counted, no history kept: {kinds}.': '未计入（没有保存其历史）：{kinds}。',
  'Data only since {since}: {kinds}.': '自 {since} 起才有数据：{kinds}。',
  'Other presets, same {days, plural, one {day} other {# days}}': '其他预设，同样 {days, number} 天',
  '{preset} {posts}': '{preset} {posts}',
  '{symbol} price and your alerts, last {length}': '{symbol} 价格与你的警报，最近 {length}',

  // Record.
  Record: '过往表现',
  'within {after} the price had moved more than usual in {hits} of {n}, and in {usual} after hours as volatile':
    '{n} 次中有 {hits} 在 {after}内价格变动大于平时，波动相当的时段之后为 {usual}',
  'after {after} the price had gone {way} in {hits} of {n}, and in {usual} after hours as volatile':
    '{n} 次中有 {hits} 在 {after}后价格{way}，波动相当的时段之后为 {usual}',
  'More often than usual: {what} (difference {edge} points). Past moves, not a forecast.':
    '比平时更常见：{what}（相差 {edge} 个百分点）。这是过去的变动，不是预测。',
  'Less often than usual: {what} (difference {edge} points). Past moves, not a forecast.':
    '比平时更少见：{what}（相差 {edge} 个百分点）。这是过去的变动，不是预测。',
  'Nothing in it: {what}; a difference of {shows} points would have shown. Past moves, not a forecast.':
    '没有效果：{what}；若相差 {shows} 个百分点本会显现。这是过去的变动，不是预测。',
  'Too few to tell: {what}; only a difference of {shows} points would have shown. Past moves, not a forecast.':
    '样本太少，无法判断：{what}；只有相差 {shows} 个百分点才会显现。这是过去的变动，不是预测。',
  'not enough data yet': '数据尚不足',
  'not enough data yet ({n, plural, one {# alert} other {# alerts}} on {days, plural, one {# day} other {# days}})':
    '数据尚不足（{n, number} 条警报，分布于 {days, number} 天）',
  '{low} … {high}': '{low} … {high}',
} satisfies Readonly<Record<string, string>>;
