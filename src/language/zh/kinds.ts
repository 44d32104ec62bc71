/** What each kind of alert is about, as lists of kinds and test alerts say it. */
export default {
  'A subscribed alert has lost or regained its data': '已订阅的警报失去或恢复了数据',
  'A price moves in 1 h or 24 h by far more than is usual for it':
    '价格在 1 小时或 24 小时内的变动远超其常态',
  'Bitcoin’s correlation with the S&P 500, gold or the dollar breaks from its usual':
    '比特币与标普 500、黄金或美元的相关性脱离常态',
  'Conditions that people set for themselves with "alert create"': '人们用“alert create”为自己设定的条件',
  'Far more of a market is liquidated than is usual for it': '交易对的爆仓远超其常态',
  'Funding of a market changes its sign and stays: the side that pays is another':
    '交易对的资金费率正负翻转并保持：付费方易位',
  'Funding of a market stands out against its own last 30 days, grows, eases and ends':
    '交易对的资金费率明显偏离其近 30 天，加剧、缓和及结束',
  'Funding of many markets at once is extreme on one side, and calms down':
    '许多交易对的资金费率同时在同一侧走向极端，以及降温',
  'Longs or shorts of a market crowd far beyond their own last 30 days':
    '交易对的多头或空头拥挤程度远超其近 30 天',
  'Many markets are liquidated on one side at once, far beyond what is usual for them':
    '许多交易对同时在同一侧爆仓，远超其常态',
  'Open interest of a market builds up or unwinds rapidly, and calms down':
    '交易对的持仓量急增或急减，以及恢复平静',
  'The bid-ask spread of a market is far above its usual for minutes, and narrows again':
    '交易对的买卖价差连续数分钟远高于平时，以及重新收窄',
  'The market data becomes stale or incomplete, and recovers': '市场数据过时或不完整，以及恢复',
  'The market enters extreme fear or extreme greed, and leaves it': '市场进入极度恐惧或极度贪婪，以及脱离',
  'The market turns between risk-on and risk-off': '市场在风险偏好与避险之间转变',
  'The open interest in puts of BTC or ETH overtakes that in calls, or falls behind it':
    'BTC 或 ETH 看跌期权的持仓量超过看涨期权，或落后于它',
  'The perpetual of a market goes from above its index to below it, or back, and stays there':
    '交易对的永续合约由高于指数转为低于指数或反之，并保持',
  'The price of BTC or ETH is near max pain as the monthly options approach their expiry':
    '月度期权临近到期时，BTC 或 ETH 的价格接近最大痛点',
  'The price of a large market crosses a round level': '大型交易对的价格穿越整数关口',
  'The price of a market makes a new high or low of its day without the volume behind it':
    '交易对的价格创日内新高或新低，但没有成交量差支持',
  'Volatility of the market becomes high or low against its last year, and ordinary again':
    '市场波动率相对近一年变高或变低，以及恢复正常',
} satisfies Readonly<Record<string, string>>;
