/** What each kind of alert is about, as lists of kinds and test alerts say it. */
export default {
  'A subscribed alert has lost or regained its data': '已订阅的警报失去或恢复了数据',
  'A price moves far more than usual in 1 h or 24 h': '价格在 1 小时或 24 小时内的变动远超其常态',
  'Bitcoin’s correlation with the S&P 500, gold or the dollar breaks from normal':
    '比特币与标普 500、黄金或美元的相关性脱离常态',
  'Your own alerts, set with "alert create"': '人们用“alert create”自建的警报',
  'Liquidations in a market far above normal': '交易对的爆仓远超其常态',
  'A market’s funding flips sign and stays flipped': '交易对的资金费率转正或转负，并保持',
  'A market’s funding is extreme against its own last 30 days': '交易对的资金费率相对其近 30 天达到极端',
  'Funding is extreme on one side in many markets at once': '许多交易对的资金费率同时在同一侧走向极端',
  'A market’s longs or shorts are crowded against their own last 30 days':
    '交易对的多头或空头拥挤程度远超其近 30 天',
  'Liquidations far above normal on one side of many markets at once':
    '许多交易对同时在同一侧爆仓，远超其常态',
  'A market’s open interest builds up or unwinds rapidly': '交易对的持仓量急增或急减',
  'A market’s bid-ask spread stays far above normal for minutes': '交易对的买卖价差连续数分钟远高于平时',
  'Market data is stale or incomplete, or recovers': '市场数据过时或不完整，以及恢复',
  'The market enters extreme fear or extreme greed, and leaves it': '市场进入极度恐惧或极度贪婪，以及脱离',
  'The market turns between risk-on and risk-off': '市场在风险偏好与避险之间转变',
  'BTC or ETH put open interest overtakes call open interest, or falls behind it':
    'BTC 或 ETH 看跌期权的持仓量超过看涨期权，或落后于它',
  'A perpetual’s basis turns positive or negative, and stays there': '永续合约的基差转正或转负，并保持',
  'The price of BTC or ETH is near max pain as the monthly options approach their expiry':
    '月度期权临近到期时，BTC 或 ETH 的价格接近最大痛点',
  'The price of a large market crosses a round level': '大型交易对的价格穿越整数关口',
  'A new 24 h high or low that taker volume does not back (CVD divergence)':
    '24 小时新高或新低，但主动成交量不支持（CVD 背离）',
  'Market volatility turns high or low against its last year': '市场波动率相对近一年变高或变低',
} satisfies Readonly<Record<string, string>>;
