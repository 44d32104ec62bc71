/** What the detectors say of the market, continued: macro, open interest, options, price, regime, spread. */
export default {
  // Macro.
  gold: '黄金',
  'the dollar': '美元',
  'Bitcoin’s correlation with {name} is back to normal: {correlation}':
    '比特币与{name}的相关性恢复常态：{correlation}',
  'Bitcoin’s correlation with {name} has broken: {correlation} instead of {usual}':
    '比特币与{name}的相关性断裂：现为 {correlation}，平时为 {usual}',
  'A correlation of daily returns over about a month: it says how they moved together, not which one leads.':
    '约一个月日收益率的相关性：说明两者如何共同变动，不说明谁带动谁。',
  '{usual} (median of {days, plural, one {# day} other {# days}})': '{usual}（{days, number} 天中位数）',
  'Level of {name}': '{name}当前值',
  'Age of that level': '该值的时效',
  'Correlation of bitcoin and {name}': '比特币与{name}的相关性',
  usual: '平时',

  // Options.
  '{currency} is near max pain, {left} before the monthly expiry':
    '{currency} 接近最大痛点，距月度到期还有 {left}',
  '{currency} monthly options have expired': '{currency} 月度期权已到期',
  '{currency} has moved away from max pain': '{currency} 已远离最大痛点',
  'Max pain is the price at which holders of the expiring options are paid least. That prices are drawn to it is often said and weakly shown.':
    '最大痛点是到期时期权持有人总收益最少的价格。常有人说价格会被吸引到该点，但证据薄弱。',
  'Max pain': '最大痛点',
  Distance: '距离',
  'Put/call of all expiries': '所有到期日的看跌/看涨比',
  Expiry: '到期',
  '{currency} options: put/call {side, select, PUTS {rose above} other {fell below}} {level} ({ratio})':
    '{currency} 期权：看跌/看涨比{side, select, PUTS {升破} other {跌破}} {level}（{ratio}）',
  '{side, select, PUTS {Open interest has shifted towards puts: more protection, or more bets on a fall.} other {Open interest has shifted towards calls: more bets on a rise, or calls written against coins held.}} Which of them it is, the ratio does not say.':
    '{side, select, PUTS {持仓量转向看跌期权：更多的保护，或更多押注下跌。} other {持仓量转向看涨期权：更多押注上涨，或持币者卖出备兑看涨期权。}}究竟是哪一种，该比值并不说明。',
  'Put/call': '看跌/看涨',
  Calls: '看涨期权',
  '{size} {currency}': '{size} {currency}',
  Puts: '看跌期权',
  '{iv}% a year': '年化 {iv}%',
  'Put/call ratio of {currency} options': '{currency} 期权的看跌/看涨比',

  // Open interest.
  '{symbol} open interest builds up as the price rises: {rate} in 5 min':
    '{symbol} 价格上涨，持仓量急增：5 分钟 {rate}',
  'Open interest is rising fast as the price rises: probably new longs.':
    '价格上涨且持仓量快速上升：可能是多头加仓。',
  '{symbol} open interest builds up as the price falls: {rate} in 5 min':
    '{symbol} 价格下跌，持仓量急增：5 分钟 {rate}',
  'Open interest is rising fast as the price falls: probably new shorts.':
    '价格下跌而持仓量快速上升：可能是空头加仓。',
  '{symbol} open interest builds up: {rate} in 5 min': '{symbol} 持仓量急增：5 分钟 {rate}',
  'Open interest is rising fast; the price doesn’t show which side is adding.':
    '持仓量快速上升；价格未显示是哪一方加仓。',
  '{symbol} open interest unwinds as the price rises: {rate} in 5 min':
    '{symbol} 价格上涨，持仓量急减：5 分钟 {rate}',
  'Open interest is falling fast as the price rises: probably short covering.':
    '价格上涨而持仓量快速下降：可能是空头回补。',
  '{symbol} open interest unwinds as the price falls: {rate} in 5 min':
    '{symbol} 价格下跌，持仓量急减：5 分钟 {rate}',
  'Open interest is falling fast as the price falls: longs are probably closing or being liquidated.':
    '价格下跌且持仓量快速下降：可能是多头平仓或被爆仓。',
  '{symbol} open interest unwinds: {rate} in 5 min': '{symbol} 持仓量急减：5 分钟 {rate}',
  'Open interest is falling fast; the price doesn’t show which side is leaving.':
    '持仓量快速下降；价格未显示是哪一方离场。',
  '{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over: {move} in {length}':
    '{symbol} 持仓量{signal, select, RAPID_UNWIND {急减} other {急增}}结束：{length}内 {move}',
  'Open interest is changing at its normal pace again.': '持仓量的变化速度已恢复常态。',
  '{rate} in 5 min': '5 分钟 {rate}',
  '{amount} contracts': '{amount} 张合约',
  'Price since last check': '自上次检查以来价格',

  // Price.
  '{symbol} rose above {level}: {price}': '{symbol} 升破 {level}：{price}',
  '{symbol} fell below {level}: {price}': '{symbol} 跌破 {level}：{price}',
  '{symbol} is back across {level}: {price}': '{symbol} 又回穿 {level}：{price}',
  '{symbol} still {direction, select, UP {above} other {below}} {level} after {after}':
    '{symbol} 在 {after}后仍{direction, select, UP {高于} other {低于}} {level}',
  'Round level crossed.': '已越过整数关口。',
  Level: '关口',
  Crossed: '突破时间',
  '{symbol} calm again: {move} in {length}': '{symbol} 恢复平静：{length} {move}',
  '{symbol} rose {size} in {length}': '{symbol} {length}内上涨 {size}',
  '{symbol} fell {size} in {length}': '{symbol} {length}内下跌 {size}',
  'The price is moving about as much as usual again.': '价格的变动幅度已大致恢复常态。',
  'That is far more than usual; it says nothing about what comes next.':
    '幅度远超常态；这并不说明接下来会怎样。',
  Move: '变动',
  'Usual move': '平时的变动幅度',

  // The long/short ratio.
  '{symbol} long/short ratio is back to normal: {long} long': '{symbol} 多空比恢复常态：多头 {long}',
  '{symbol} {side, select, LONG {longs} other {shorts}} crowded: {long} long (z {z})':
    '{symbol} {side, select, LONG {多头} other {空头}}拥挤：多头 {long}（z {z}）',
  '{type, select, top_position {Counted by the positions of top traders} other {Counted by accounts, whatever their size}}. A crowd on one side can be right for weeks.':
    '{type, select, top_position {按大户持仓统计} other {按账户数统计，不论大小}}。拥挤的一方也可能连续数周是对的。',
  Long: '多头',
  '30-day mean': '30 天均值',
  '{mean} ± {sd}': '{mean} ± {sd}',
  'z over 30 days': '30 天 z 值',
  'Longs per short': '多空比值',
  'Baseline as of': '基准时间',
  'Share of longs in {symbol}': '{symbol} 多头占比',

  // The regime and volatility.
  'the way of the turn': '朝转变的方向变动',
  '{regime} is over, now {now}': '{regime}状态结束，现为{now}',
  '{regime} is over, now {now}; BTC {move} meanwhile': '{regime}状态结束，现为{now}；期间 BTC {move}',
  '{regime} since {since}, {age}': '{regime}状态，始于 {since}，已持续 {age}',
  '{regime} since {since}, {age}; BTC {move} since':
    '{regime}状态，始于 {since}，已持续 {age}；此后 BTC {move}',
  'OI unwinds': '持仓量骤减',
  'OI builds up': '持仓量骤增',
  '{symbol}: {rate}': '{symbol}：{rate}',
  '{name} in {n, number} markets, median {median}': '{n, number} 个交易对{name}，中位数 {median}',
  '{name} in {n, number} markets, median {median}, BTC {leader}':
    '{n, number} 个交易对{name}，中位数 {median}，BTC {leader}',
  'Market volatility: {regime} since {since}, {age}': '市场波动率：{regime}，始于 {since}，已持续 {age}',
  'Regime: {to} (was {from})': '市场状态：{to}（此前为{from}）',
  Turn: '转变',
  'p({state})': '{state}概率',
  Label: '标签',
  Multiplier: '乘数',
  Data: '数据',
  'Bitcoin’s recent returns have been good for their risk; this says nothing about the next day’s.':
    '比特币近期的收益相对其风险表现良好；这并不说明次日的收益。',
  'Bitcoin has been falling against its usual risk; this says nothing about the next day’s return.':
    '以平时的风险衡量，比特币一直在下跌；这并不说明次日的收益。',
  'The last trend has stalled, without a direction of its own.': '上一趋势已停滞，尚无自己的方向。',
  'A regime this version has no description of.': '本版本没有对该市场状态的说明。',
  'Market volatility: {regime}': '市场波动状态：{regime}',
  'Market volatility no longer {regime}, now {now}': '市场不再处于{regime}状态，现为{now}',
  'Percentile of the last year': '近一年百分位',
  'Moves are larger than on most days of the last year, either way: the same position risks more.':
    '波动大于近一年的大多数日子，涨跌皆然：同样的仓位风险更高。',
  'Moves are smaller than on most days of the last year; how long that lasts nobody knows.':
    '波动小于近一年的大多数日子；会持续多久无人知晓。',
  'Moves are about as large as on most days of the last year.': '波动与近一年的大多数日子相当。',
  'A volatility regime this version has no description of.': '本版本没有对该波动状态的说明。',

  // The spread.
  '{symbol} spread back to normal: {spread}': '{symbol} 买卖价差恢复常态：{spread}',
  '{symbol} spread is wide: {spread}, {times} × normal':
    '{symbol} 买卖价差偏大：{spread}，为平时的 {times} 倍',
  'Market orders cost more while the spread is wide: market makers have stepped back.':
    '价差大时市价单成本更高：做市商已撤退。',
  'Usual over {window} (median)': '平时（{window}中位数）',
} satisfies Readonly<Record<string, string>>;
