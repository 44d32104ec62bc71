/** What the detectors say of the market. */
export default {
  // Basis.
  '{side, select, CONTANGO {The perpetual now trades above its index on average: buyers pay for leverage.} other {The perpetual now trades below its index on average: sellers pay for leverage.}} This says nothing about where the price goes.':
    '{side, select, CONTANGO {永续合约的平均价格现高于指数：买方在为杠杆付费。} other {永续合约的平均价格现低于指数：卖方在为杠杆付费。}}这并不说明价格将走向何方。',
  'It has stayed there for {span}.': '已在该侧保持 {span}。',
  'It has turned back.': '已回到原侧。',
  '{symbol} basis turned {side, select, CONTANGO {positive} other {negative}}: {basis} on average over {window}':
    '{symbol} 基差转{side, select, CONTANGO {正} other {负}}：{window}均值 {basis}',
  'Mean basis over {window}': '{window}平均基差',
  'Basis now': '当前基差',
  threshold: '阈值',

  // Volume delta.
  'back from its new extreme': '自新的极值折返',
  '{symbol}: price/CVD divergence over': '{symbol}：价格与 CVD 的背离结束',
  '{symbol}: {side, select, BEARISH {new 24 h high while takers are not buying (bearish divergence)} other {new 24 h low while takers are not selling (bullish divergence)}}':
    '{symbol}：{side, select, BEARISH {创 24 小时新高，但主动买盘未跟上（看跌背离）} other {创 24 小时新低，但主动卖盘未跟上（看涨背离）}}',
  'The volume has followed, or the price has come back.': '成交量差已跟上，或价格已折返。',
  '{side, select, BEARISH {The price closed above its earlier high, while takers bought less than they sold since.} other {The price closed below its earlier low, while takers sold less than they bought since.}} A divergence can go on for long and often leads nowhere.':
    '{side, select, BEARISH {价格收于此前高点之上，而其间主动买入少于主动卖出。} other {价格收于此前低点之下，而其间主动卖出少于主动买入。}}背离可能持续很久，且常常没有后续。',
  '{before} → {after}': '{before} → {after}',
  'Volume delta since': '其间成交量差',
  '{delta} coins': '{delta} 枚',
  'Share of the day’s CVD range': '占当日 CVD 区间',
  'Hours apart': '间隔小时',
  '{symbol}: price and volume delta': '{symbol}：价格与成交量差',

  // The data itself.
  'Market data healthy again: score {score} ({grade})': '市场数据恢复正常：评分 {score}（{grade}）',
  'Market data {status}: score {score} ({grade})': '市场数据{status}：评分 {score}（{grade}）',
  'All feeds are fresh again: alerts can be relied on.': '所有数据源均已恢复更新：警报可以信赖。',
  'Alerts based on this data may be late or missing until it recovers.':
    '在数据恢复之前，依赖它的警报可能延迟或缺失。',
  'Alerts based on {feeds} may be late or missing until this recovers.':
    '在数据恢复之前，依赖以下数据的警报可能延迟或缺失：{feeds}。',
  'nothing yet': '尚无数据',
  'fresh, {age} old': '最新，{age}前',
  'stale, {age} old': '过时，{age}前',

  // Fear and greed.
  'Coins with a positive signal': '信号为正的币种',
  '{up, number} of {all, number}': '{all, number} 个中的 {up, number} 个',
  '{index} of 100': '{index}/100',
  'The market has left {band}: {index}': '市场脱离{band}：{index}',
  'The market is in {band}: {index}': '市场处于{band}：{index}',
  'Fear and greed index of the whole market. Extremes can last for weeks.':
    '全市场恐惧与贪婪指数。极端状态可能持续数周。',
  'An estimate: the fear and greed index itself is unavailable now.':
    '这是恐惧与贪婪指数的估算值，并非指数本身；指数目前无法获取。',
  'Estimated fear and greed: {band}, {index}': '恐惧与贪婪估算值：{band}，{index}',
  'Estimated fear and greed has left {band}: {index}': '恐惧与贪婪估算值已离开{band}：{index}',
  Index: '指数',

  // Funding.
  'against the crowded side': '朝不利于拥挤一方的方向变动',
  '{rate} per {interval}': '{rate}（每 {interval}）',
  '{symbol} funding no longer {level}: {rate}': '{symbol} 资金费率不再{level}：{rate}',
  '{symbol} funding {level}: {rate} (z {score})': '{symbol} 资金费率{level}：{rate}，z {score}',
  'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.':
    '资金费率已{n, plural, other {连续 # 次结算}}接近常态，或低到无足轻重。',
  'The data service no longer reports this market.': '数据服务不再提供该交易对的数据。',
  'Longs pay shorts far more than usual over the last 30 days: longs are crowded.':
    '多头付给空头的费用远高于近 30 天的常态：多头拥挤。',
  'Shorts pay longs far more than usual over the last 30 days: shorts are crowded.':
    '空头付给多头的费用远高于近 30 天的常态：空头拥挤。',
  'Last seen': '最后已知',
  'Per year': '年化',
  Bitcoin: '比特币',
  'Mean per year': '年化均值',
  '{markets}: {metric}, last {length}': '{markets}：{metric}，最近 {length}',
  'funding per year': '年化资金费率',
  '30-day mean': '30 天均值',
  'z-score': 'z 值',
  'Crowded side': '拥挤方',
  longs: '多头',
  shorts: '空头',
  'As of': '截至',
  '{symbol} funding turned negative: {rate}': '{symbol} 资金费率转负：{rate}',
  '{symbol} funding turned positive: {rate}': '{symbol} 资金费率转正：{rate}',
  '{symbol} funding turned {side, select, POSITIVE {positive} other {negative}} again: {rate}':
    '{symbol} 资金费率重新转{side, select, POSITIVE {正} other {负}}：{rate}',
  '{symbol} funding near zero again: {rate}': '{symbol} 资金费率重新接近零：{rate}',
  '{symbol} funding still {side, select, POSITIVE {positive} other {negative}}: {rate}':
    '{symbol} 资金费率仍为{side, select, POSITIVE {正} other {负}}：{rate}',
  'Shorts pay longs now; before, longs paid shorts.': '目前空头向多头支付；此前多头向空头支付。',
  'Longs pay shorts now; before, shorts paid longs.': '目前多头向空头支付；此前空头向多头支付。',
  'Before the flip': '翻转前',
  'Settlements in a row': '连续结算次数',
  'at least {share}': '至少 {share}',
  'Market funding calmed down: still extreme in {share} of markets':
    '全市场资金费率已降温：仍有 {share} 的交易对处于极端',
  'Market funding overheated, shorts crowded: extreme in {share} of markets':
    '全市场资金费率过热，空头拥挤：{share} 的交易对处于极端',
  'Market funding overheated, longs crowded: extreme in {share} of markets':
    '全市场资金费率过热，多头拥挤：{share} 的交易对处于极端',
  'Funding is back near its 30-day normal in most markets.':
    '大多数交易对的资金费率已回到近 30 天的常态附近。',
  'In many markets at once shorts pay longs far more than usual over the last 30 days.':
    '许多交易对同时出现：空头付给多头的费用远高于近 30 天的常态。',
  'In many markets at once longs pay shorts far more than usual over the last 30 days.':
    '许多交易对同时出现：多头付给空头的费用远高于近 30 天的常态。',
  '{some} of {all}': '{all} 个中的 {some} 个',
  'Their mean per year': '其年化均值',
  'Most extreme': '最极端',

  // Liquidations.
  '{symbol} liquidation burst over: at least {usd} in all': '{symbol} 爆仓激增结束：共至少 {usd}',
  '{symbol} liquidation burst: at least {usd} in {minutes} min':
    '{symbol} 爆仓激增：{minutes} 分钟内至少 {usd}',
  'Liquidations are back to normal in this market.': '该交易对的爆仓已恢复正常。',
  'Positions are being liquidated far faster than usual in this market.':
    '仓位被强制平仓的速度远高于该交易对的常态。',
  'Liquidated in all': '爆仓总额',
  'Liquidated in {minutes} min': '{minutes} 分钟爆仓额',
  'at least {usd}': '至少 {usd}',
  'Usual {minutes} min': '平时 {minutes} 分钟',
  'next to nothing': '几乎为零',
  '× normal': '为平时的倍数',
  'Share of open interest': '占持仓量',
  'Share of longs': '其中多头',
  Missing: '缺失',
  '{seconds} s from {from}: more than {limit} events between two checks':
    '自 {from} 起 {seconds} 秒：两次查看之间超过 {limit} 笔',
  'Liquidation cascade of longs is over': '多头连环爆仓结束',
  'Liquidation cascade of shorts is over': '空头连环爆仓结束',
  'Liquidation cascade: longs of {markets} markets, at least {usd} in {minutes} min':
    '连环爆仓：{markets} 个交易对的多头，{minutes} 分钟内至少 {usd}',
  'Liquidation cascade: shorts of {markets} markets, at least {usd} in {minutes} min':
    '连环爆仓：{markets} 个交易对的空头，{minutes} 分钟内至少 {usd}',
  'Liquidations are back to normal in most markets.': '大多数交易对的爆仓已恢复正常。',
  'Falling prices close longs by force in many markets at once, which can push prices further.':
    '价格下跌使许多交易对的多头同时被强制平仓，可能进一步推低价格。',
  'Rising prices close shorts by force in many markets at once, which can push prices further.':
    '价格上涨使许多交易对的空头同时被强制平仓，可能进一步推高价格。',
  Largest: '最大',
  'more events between two checks than one answer holds': '两次查看之间的笔数超出一次回答的容量',
} satisfies Readonly<Record<string, string>>;
