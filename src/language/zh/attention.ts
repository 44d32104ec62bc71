/** Events, posts a day and what alerts are judged by. */
export default {
  'part of "{alert}"': '属于“{alert}”',
  'Part of: {alert}': '属于：{alert}',
  'Told in another': '见另一条消息',
  'It belongs to an event that was sent as one message.': '它属于同一事件，已合并为一条消息发送。',
  'How many posts a day come here is chosen for the chat, not for one person.':
    '每天的消息条数按聊天设置，不能为个人单独设置。',
  Interruptions: '打扰次数',
  'Prices fell': '价格下跌',
  'Prices rose': '价格上涨',
  'With what was beyond this chat’s posts a day: "{settings}" changes that.':
    '包含超出本聊天每日条数上限的警报：可用“{settings}”更改。',
  'give a number of posts, such as 8, or none': '请填条数，如 8，或 none',
  'any number of posts': '不限条数',
  'beyond the {n, plural, one {# post} other {# posts}} a day of this chat':
    '超出本聊天每天 {n, plural, other {# 条}}的上限',
  '{n, plural, one {at most # post} other {at most # posts}} a day, the rest in a digest':
    '每天最多 {n, plural, other {# 条}}，其余汇总发送',
  '{symbol}: {move} in {length}': '{symbol}：{length}内 {move}',
  'Change in 5 min': '5 分钟变化',
  Ended: '结束',
  'Got worse': '加剧',
  'In {minutes} min': '{minutes} 分钟内',
  'Markets with crowded longs': '多头拥挤的市场',
  'Markets with crowded shorts': '空头拥挤的市场',
  'Markets with long liquidations': '多头爆仓的市场',
  'Markets with short liquidations': '空头爆仓的市场',
  'Bitcoin’s regime and its score': '比特币的市场状态与评分',
  'Share of the markets': '市场占比',
  'No chart of an alert': '没有警报的图表',
  'No such alert is kept, or it has none. "{market}" shows how things are now.':
    '该警报已不再保存，或没有图表。“{market}”显示当前行情。',
  'a side from': '方向起点',
  'burst from': '集中爆仓起点',
  'cascade from': '连环爆仓起点',
  'critical from': '严重起点',
  'high from': '偏高起点',
  'overheated from': '过热起点',
  'rapid from': '急速起点',
  '{symbol} funding per settlement': '{symbol} 每次结算的资金费率',
  '{symbol} liquidations per minute': '{symbol} 每分钟爆仓',
};
