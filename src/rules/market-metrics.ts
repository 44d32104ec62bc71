import { fixedSlack, relativeSlack } from '../alert/slack.ts';
import { msg, type Text } from '../language/text.ts';
import {
  atLeastZero,
  label,
  level,
  type MetricEntry,
  percentage,
  plain,
  points,
  portion,
  probability,
} from './metric-entry.ts';

function correlation(other: Text): MetricEntry {
  return {
    feed: 'macro',
    words: msg('BTC’s correlation with {other}', { other }),
    description: msg('Correlation of BTC with {other}, −1 to 1, where a provider supplies it', { other }),
    ...plain({ slack: fixedSlack(0.05), range: { min: -1, max: 1 } }),
  };
}

/** The metrics of the whole market that a condition can name. */
export const marketMetrics = {
  'regime.state': {
    feed: 'regime',
    words: msg('Market regime'),
    description: msg('The market’s confirmed regime'),
    ...label,
    labels: ['RISK_ON', 'RISK_OFF', 'TRANSITION'],
  },
  'regime.riskOn': {
    feed: 'regime',
    words: msg('Risk-on probability'),
    description: msg('Probability of risk-on, 0 to 1'),
    ...probability,
  },
  'regime.riskOff': {
    feed: 'regime',
    words: msg('Risk-off probability'),
    description: msg('Probability of risk-off, 0 to 1'),
    ...probability,
  },
  'regime.transition': {
    feed: 'regime',
    words: msg('Transition probability'),
    description: msg('Probability of a transition, 0 to 1'),
    ...probability,
  },
  'regime.confidence': {
    feed: 'regime',
    words: msg('Regime confidence'),
    description: msg('How sure the published regime is, 0 to 1'),
    ...probability,
  },
  'regime.score': {
    feed: 'regime',
    words: msg('Regime score'),
    description: msg('The regime’s score'),
    ...plain({ slack: fixedSlack(0.1) }),
  },
  'volatility.percentile': {
    feed: 'regime',
    words: msg('Volatility percentile'),
    description: msg('Volatility against its own past: 0 to 100'),
    ...points(5),
  },
  'fearGreed.value': {
    feed: 'overview',
    words: msg('Fear & greed'),
    description: msg('Fear and greed: 0 to 100'),
    ...points(3),
  },
  'quality.score': {
    feed: 'quality',
    words: msg('Data quality score'),
    description: msg('How fresh and complete the data is: 0 to 100'),
    ...points(5),
  },
  'macro.sp500': {
    feed: 'macro',
    words: 'S&P 500',
    description: msg('S&P 500 by the provider, or else by a venue’s perpetual on it'),
    ...level({ slack: relativeSlack(0.003), range: atLeastZero }),
  },
  'macro.gold': {
    feed: 'macro',
    words: msg('Gold'),
    description: msg('Gold by the provider, or else by a venue’s perpetual on it'),
    ...level({ slack: relativeSlack(0.003), range: atLeastZero }),
  },
  'macro.dxy': {
    feed: 'macro',
    words: msg('Dollar index'),
    description: msg('Dollar index (from FRED the broad one), where a provider supplies it'),
    ...level({ slack: relativeSlack(0.002), range: atLeastZero }),
  },
  'macro.sp500Corr': correlation('S&P 500'),
  'macro.goldCorr': correlation(msg('Gold')),
  'macro.dxyCorr': correlation(msg('Dollar index')),
  'macro.vix': {
    feed: 'regime',
    words: 'VIX',
    description: msg('VIX, expected volatility of the S&P 500, where a provider supplies it'),
    ...level({ slack: relativeSlack(0.03), range: atLeastZero }),
  },
  'breadth.riskOnPct': {
    feed: 'coinRegimes',
    words: msg('markets in risk-on'),
    description: msg('Followed markets whose own regime is risk-on, percent'),
    ...portion({ digits: 0, slack: fixedSlack(5), range: percentage }),
  },
  'breadth.riskOffPct': {
    feed: 'coinRegimes',
    words: msg('markets in risk-off'),
    description: msg('Followed markets whose own regime is risk-off, percent'),
    ...portion({ digits: 0, slack: fixedSlack(5), range: percentage }),
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;
