/** People's own alerts: their conditions, what is wrong with one, what they say. */
export default {
  'This chat is at its limit of {count, number} own alerts: delete one first.':
    '此聊天已有 {count, number} 个自建警报，达到上限：请先删除一个。',
  'This server or chat is at its limit of {count, number} own alerts across its channels or topics: delete one first.':
    '本服务器或聊天的所有频道或话题合计已有 {count, number} 个自建警报，达到上限：请先删除一个。',
  'This chat has no alerts of its own. Create one: {example}.': '此处没有自建警报。可这样新建：{example}。',
  'Which one? There are: {ids}.': '是哪一个？现有：{ids}。',
  'No alert in this chat has that id. There are: {ids}.': '此处没有该编号的警报。现有：{ids}。',
  'the whole market': '整个市场',
  'cannot be read: edit it': '无法读取：请修改',
  expired: '已过期',
  'reason|expired': '已过时，不再通知',
  'condition|When': '条件',
  on: '启用中',
  For: '须持续',
  '{when}, on {markets}.': '{when}（{markets}）。',
  Name: '名称',
  Now: '当前',
  'Clears when': '解除条件',
  'How often': '频率',
  'once, then deleted': '一次，之后删除',
  'every time': '每次',
  Until: '截止',
  Delete: '删除',
  'All alerts in this chat': '此聊天的全部警报',
  'no data right now': '暂无数据',
  'no market named yet': '尚未指定交易对',
  '{name} is {value}': '{name} 为 {value}',
  'not known yet': '尚未得知',
  'already met: you’ll hear at the next crossing': '已满足：下次再次触发时通知',
  'not true': '不满足',
  '{is}: {already}': '{is}：{already}',
  'not met anywhere': '目前均不满足',
  'already met by {symbols}{more, plural, =0 {} one { and # more} other { and # more}}: you’ll hear at the next crossing':
    '{symbols}{more, plural, =0 { } other { 及另外 # 个}}已满足：下次重新满足时通知',
  'None yet.': '尚无。',
  '“{text}” is neither a metric nor a market.': '“{text}”既不是指标，也不是交易对。',
  'Alert created': '警报已创建',
  'Which markets? Name some, such as btc, or top20, watchlist or all.':
    '哪些交易对？请写明，如 btc，或 top20、watchlist、all。',
  'One at a time: give the id of one.': '一次一个：请填写其中一个的编号。',
  'Alert changed': '警报已修改',
  Paused: '已暂停',
  Resumed: '已恢复',
  '{count, plural, one {Alert deleted} other {# alerts deleted}}': '已删除 {count, number} 个警报',
  'Alerts in this chat': '此聊天的警报',
  'None yet. Create one: {example}; "{metrics}" lists what it can be about.':
    '尚无警报。可这样新建：{example}；“{metrics}”列出可用的指标。',
  'Show {id}': '查看 {id}',
  'What an alert can be about': '警报可用的指标',
  'Join several in a condition: {example}.': '可在一个条件中组合多个：{example}。',
  Metric: '指标',
  'What it is': '说明',
  'New alert': '新警报',
  'alert {id} created: {name}': '新建警报 {id}：{name}',
  'alert {id} changed: {name}': '修改警报 {id}：{name}',
  'alert {id} paused: {name}': '暂停警报 {id}：{name}',
  'alert {id} resumed: {name}': '恢复警报 {id}：{name}',
  'alert {id} deleted: {name}': '删除警报 {id}：{name}',

  // How a condition is read.
  'A condition has at most {longest, number} characters; this one has {length, number}.':
    '条件最多 {longest, number} 个字符；这条有 {length, number} 个。',
  'abs is the only function: a condition compares metrics, joined by && and ||, negated by !.':
    '条件中除 abs 外没有函数：它比较指标，用 && 和 || 连接，用 ! 取反。',
  'A condition says what must be true, such as {example}.': '条件须写明什么应当成立，如 {example}。',
  'A condition names at least one metric, such as {example}.': '条件至少须含一个指标，如 {example}。',
  'The condition is too long or too deeply nested: make two rules.': '条件过长或嵌套过深：请分成两个警报。',
  'It compares or adds what does not go together: numbers go with numbers, and labels with text in quotation marks, such as {example}.':
    '比较或相加的内容不匹配：数字须与数字、标签须与引号中的文本相配，如 {example}。',
  'Write == to ask whether two things are equal.': '判断两者是否相等请写 ==。',
  'Write && for and, || for or, and ! for not.': '“且”写 &&，“或”写 ||，“非”写 !。',
  'The condition cannot be read. One that can: {example}.': '无法读取该条件。可读的示例：{example}。',
  'The condition cannot be read near “{near}”. One that can: {example}.':
    '该条件在“{near}”附近无法读取。可读的示例：{example}。',
  '"{list}" lists them all.': '“{list}”列出全部。',
  'Did you mean {names}?': '你是指 {names} 吗？',
  '{metric} is never “{label}”: it is one of {labels}.': '{metric} 不会是“{label}”：它只会是 {labels} 之一。',
  'Give either a metric with above, below or is, or a condition of your own with when, in quotation marks, not both.':
    '请填指标加 above、below 或 is，或用 when 填写引号中的自定义条件，不要两者都填。',
  'What is it about? Give a metric and a level, such as {simple}, or a condition, such as {free}.':
    '关于什么？请填指标和水平，如 {simple}，或填条件，如 {free}。',
  'Give one of above, below and is; for more than one, write a condition: {example}.':
    'above、below 和 is 只能填一个；若需多个，请写条件：{example}。',
  '{metric} is not a number: give is=…, one of {labels}.': '{metric} 不是数字：请填 is=…，取 {labels} 之一。',
  'It fires below {level}, so it can only clear at or above that: give a higher clear.':
    '它在低于 {level} 时触发，因此只能在该水平或更高时结束：请填更高的 clear。',
  'It fires above {level}, so it can only clear at or below that: give a lower clear.':
    '它在高于 {level} 时触发，因此只能在该水平或更低时结束：请填更低的 clear。',

  // What it says.
  'Your own alert: {condition}, for {hold}.': '自建警报：{condition}，已持续 {hold}。',
  'Your own alert: {condition}.': '自建警报：{condition}。',
  Rule: '规则',
  'Over after {length}: {condition}.': '持续 {length}后结束：{condition}。',
  '{symbol}: {name}': '{symbol}：{name}',
  'Your alert has ended': '你的警报已结束',
  '{symbol}: your alert has ended': '{symbol}：你的警报已结束',
  'It was deleted, paused, changed or has expired, so it is no longer watched.':
    '它已被删除、暂停、更改或到期，不再监视。',

  // Metrics.
  'Price, USD': '价格，美元',
  'Price change over 24 hours, percent': '24 小时价格变化，百分比',
  'The service’s aggregated signal: below 0 bearish, above bullish':
    '数据服务的综合信号：低于 0 看空，高于 0 看多',
  'The service’s master score: 0 to 100, above 50 bullish': '数据服务的综合分：0 到 100，高于 50 看多',
  'Funding at the last settlement, percent per settlement': '最近一次结算的资金费率，每次结算的百分比',
  'Funding at the last settlement × 3 × 365, percent, whatever the market’s interval':
    '最近一次结算的资金费率 × 3 × 365，百分比，不论该交易对的结算间隔',
  'Funding at the last settlement, percent a year at the market’s own interval':
    '最近一次结算的资金费率，按该交易对自身结算间隔年化，百分比',
  'Funding z-score over 30 days (hosted services may say 0 within ±1.5)':
    '资金费率 30 天 z 值（外部服务在 ±1.5 以内可能为 0）',
  'Open interest change over 5 minutes, percent': '5 分钟持仓量变化，百分比',
  'Change in oi.ratePct over 5 minutes': 'oi.ratePct 相对 5 分钟前的变化',
  'Open interest change over an hour, percent': '1 小时持仓量变化，百分比',
  'Open interest, USD': '持仓量，美元',
  'Basis: mark over index price, percent': '基差：标记价格相对指数价格，百分比',
  'Volume delta (CVD) of the last 24 hours: taker buys minus sells, in coins':
    '近 24 小时成交量差（CVD）：主动买入减主动卖出，以币计',
  'Taker buys in the volume of the last hour, percent': '最近一小时成交量中的主动买入，百分比',
  'Longs among the positions of top traders, percent': '大户持仓中的多头，百分比',
  'Bid-ask spread, percent of the price': '买卖价差，占价格的百分比',
  'Order book imbalance: −1 all asks, 1 all bids': '订单簿失衡：−1 全为卖盘，1 全为买盘',
  'Longs liquidated in the last hour, USD, at least': '最近一小时多头爆仓额，美元，至少',
  'Shorts liquidated in the last hour, USD, at least': '最近一小时空头爆仓额，美元，至少',
  'Open puts over open calls (BTC, ETH)': '看跌与看涨期权持仓之比（BTC、ETH）',
  'Max pain of the nearest monthly expiry, USD (BTC, ETH)': '最近月度到期的最大痛点，美元（BTC、ETH）',
  'Implied volatility weighted by open interest, percent (BTC, ETH)':
    '按持仓量加权的隐含波动率，百分比（BTC、ETH）',
  'The market’s confirmed regime': '已确认的市场状态',
  'Probability of risk-on, 0 to 1': '市场状态为风险偏好的概率，0 到 1',
  'Probability of risk-off, 0 to 1': '市场状态为避险的概率，0 到 1',
  'The regime’s score': '市场状态的评分',
  'Volatility against its own past: 0 to 100': '波动率相对其历史：0 到 100',
  'Fear and greed: 0 to 100': '恐惧与贪婪：0 到 100',
  'How fresh and complete the data is: 0 to 100': '数据的新鲜度与完整度：0 到 100',
  'S&P 500, where a provider supplies it': '标普 500，有提供方时',
  'Gold, where a provider supplies it': '黄金，有提供方时',
  'Dollar index (from FRED the broad one), where a provider supplies it':
    '美元指数（来自 FRED 时为广义美元指数），有提供方时',
  'No options data for {symbol}': '没有 {symbol} 的期权数据',
  'Unknown metric {text}': '未知指标 {text}',
  '{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over':
    '{symbol} 持仓量{signal, select, RAPID_UNWIND {急减} other {急增}}结束',
} satisfies Readonly<Record<string, string>>;
