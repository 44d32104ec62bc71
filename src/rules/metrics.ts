import { amount, count, number, percent, price, share, usd, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { FeedName } from './feed.ts';

/** What a condition may be about: a number or a label, of each symbol or of the whole market. */
export interface Metric {
  /** Which question to the data service answers it. */
  readonly feed: FeedName;
  readonly about: 'symbol' | 'market';
  readonly description: Text;
  /** How its value is written. */
  readonly show: (value: number | string) => Text;
  /** How far behind a level a number must fall before it is over, where nothing else is said. Absent: a label. */
  readonly slack?: (level: number) => number;
  /** Labels it may have. */
  readonly labels?: readonly string[];
}

type Show = (value: number, digits?: number) => Text;
const shown =
  (show: Show, digits?: number): Metric['show'] =>
  (value) =>
    typeof value === 'number' ? show(value, digits) : value;
/** A part of a whole: it has no sign. */
const portion: Show = (value, digits) => share(value / 100, digits);
const label: Metric['show'] = (value) => words(String(value));

/** A part of the level itself. */
const part = (share: number) => (level: number) => Math.abs(level) * share;
const fixed = (slack: number) => () => slack;
const ofSymbol = { about: 'symbol' } as const;
const ofMarket = { about: 'market' } as const;

/**
 * All there is, by name. The slack is about what a value moves by between two looks while nothing happens. Numbers
 * in percent are percent, not fractions: a level reads as it is shown.
 */
export const metrics = {
  'price.last': {
    ...ofSymbol,
    feed: 'overview',
    description: msg('Price, USD'),
    show: shown(price),
    slack: part(0.005),
  },
  'price.change24hPct': {
    ...ofSymbol,
    feed: 'coin',
    description: msg('Price change over 24 hours, percent'),
    show: shown(percent),
    slack: fixed(1),
  },
  'signal.strength': {
    ...ofSymbol,
    feed: 'overview',
    description: msg('The service’s aggregated signal: below 0 bearish, above bullish'),
    show: shown(number),
    slack: fixed(0.1),
  },
  'signal.master': {
    ...ofSymbol,
    feed: 'overview',
    description: msg('The service’s master score: 0 to 100, above 50 bullish'),
    show: shown(number, 1),
    slack: fixed(3),
  },
  'funding.ratePct': {
    ...ofSymbol,
    feed: 'funding',
    description: msg('Funding at the last settlement, percent per settlement'),
    show: shown(percent, 4),
    slack: part(0.2),
  },
  'funding.annualizedPct': {
    ...ofSymbol,
    feed: 'funding',
    description: msg('Funding at the last settlement × 3 × 365, percent, whatever the market’s interval'),
    show: shown(percent, 1),
    slack: part(0.2),
  },
  'funding.perYearPct': {
    ...ofSymbol,
    feed: 'funding',
    description: msg('Funding at the last settlement, percent a year at the market’s own interval'),
    show: shown(percent, 1),
    slack: part(0.2),
  },
  'funding.z': {
    ...ofSymbol,
    feed: 'fundingExtremes',
    description: msg('Funding z-score over 30 days (hosted services may say 0 within ±1.5)'),
    show: shown(number),
    slack: fixed(0.25),
  },
  'oi.ratePct': {
    ...ofSymbol,
    feed: 'openInterest',
    description: msg('Open interest change over 5 minutes, percent'),
    show: shown(percent),
    slack: part(0.5),
  },
  'oi.accelerationPct': {
    ...ofSymbol,
    feed: 'openInterest',
    description: msg('Change of oi.ratePct over 5 minutes'),
    show: shown(percent),
    slack: part(0.5),
  },
  'oi.change1hPct': {
    ...ofSymbol,
    feed: 'openInterest',
    description: msg('Open interest change over an hour, percent'),
    show: shown(percent),
    slack: part(0.3),
  },
  'oi.valueUsd': {
    ...ofSymbol,
    feed: 'coin',
    description: msg('Open interest, USD'),
    show: shown(usd),
    slack: part(0.01),
  },
  'basis.pct': {
    ...ofSymbol,
    feed: 'basis',
    description: msg('Basis: mark over index price, percent'),
    show: shown(percent, 3),
    slack: fixed(0.02),
  },
  'cvd.total24h': {
    ...ofSymbol,
    feed: 'volume',
    description: msg('Volume delta (CVD) of the last 24 hours: taker buys minus sells, in coins'),
    show: shown(amount),
    slack: part(0.1),
  },
  'cvd.buyPct': {
    ...ofSymbol,
    feed: 'volume',
    description: msg('Taker buys in the volume of the last hour, percent'),
    show: shown(portion, 1),
    slack: fixed(2),
  },
  'ratio.longPct': {
    ...ofSymbol,
    feed: 'ratio',
    description: msg('Longs among the positions of top traders, percent'),
    show: shown(portion, 1),
    slack: fixed(1),
  },
  'spread.pct': {
    ...ofSymbol,
    feed: 'spread',
    description: msg('Bid-ask spread, percent of the price'),
    show: shown(portion, 4),
    slack: part(0.3),
  },
  'spread.imbalance': {
    ...ofSymbol,
    feed: 'spread',
    description: msg('Order book imbalance: −1 all asks, 1 all bids'),
    show: shown(number),
    slack: fixed(0.1),
  },
  'liquidations.longUsd1h': {
    ...ofSymbol,
    feed: 'liquidations',
    description: msg('Longs liquidated in the last hour, USD, at least'),
    show: shown(usd),
    slack: part(0.3),
  },
  'liquidations.shortUsd1h': {
    ...ofSymbol,
    feed: 'liquidations',
    description: msg('Shorts liquidated in the last hour, USD, at least'),
    show: shown(usd),
    slack: part(0.3),
  },
  'options.putCallRatio': {
    ...ofSymbol,
    feed: 'options',
    description: msg('Open puts over open calls (BTC, ETH)'),
    show: shown(number),
    slack: fixed(0.05),
  },
  'options.maxPain': {
    ...ofSymbol,
    feed: 'options',
    description: msg('Max pain of the nearest monthly expiry, USD (BTC, ETH)'),
    show: shown(price),
    slack: part(0.005),
  },
  'options.avgIvPct': {
    ...ofSymbol,
    feed: 'options',
    description: msg('Implied volatility weighted by open interest, percent (BTC, ETH)'),
    show: shown(portion, 1),
    slack: fixed(2),
  },
  'regime.state': {
    ...ofMarket,
    feed: 'regime',
    description: msg('The market’s confirmed regime'),
    show: label,
    labels: ['RISK_ON', 'RISK_OFF', 'TRANSITION'],
  },
  'regime.riskOn': {
    ...ofMarket,
    feed: 'regime',
    description: msg('Probability of risk-on, 0 to 1'),
    show: shown(number),
    slack: fixed(0.1),
  },
  'regime.riskOff': {
    ...ofMarket,
    feed: 'regime',
    description: msg('Probability of risk-off, 0 to 1'),
    show: shown(number),
    slack: fixed(0.1),
  },
  'regime.score': {
    ...ofMarket,
    feed: 'regime',
    description: msg('The regime’s score'),
    show: shown(number),
    slack: fixed(0.1),
  },
  'volatility.percentile': {
    ...ofMarket,
    feed: 'regime',
    description: msg('Volatility against its own past: 0 to 100'),
    show: shown(count),
    slack: fixed(5),
  },
  'fearGreed.value': {
    ...ofMarket,
    feed: 'overview',
    description: msg('Fear and greed: 0 to 100'),
    show: shown(count),
    slack: fixed(3),
  },
  'quality.score': {
    ...ofMarket,
    feed: 'quality',
    description: msg('How fresh and complete the data is: 0 to 100'),
    show: shown(count),
    slack: fixed(5),
  },
  'macro.sp500': {
    ...ofMarket,
    feed: 'macro',
    description: msg('S&P 500, where a provider supplies it'),
    show: shown(price),
    slack: part(0.003),
  },
  'macro.gold': {
    ...ofMarket,
    feed: 'macro',
    description: msg('Gold, where a provider supplies it'),
    show: shown(price),
    slack: part(0.003),
  },
  'macro.dxy': {
    ...ofMarket,
    feed: 'macro',
    description: msg('Dollar index (from FRED the broad one), where a provider supplies it'),
    show: shown(price),
    slack: part(0.002),
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as readonly MetricName[];
export const isMetric = (name: string): name is MetricName => Object.hasOwn(metrics, name);
export const metricOf = (name: MetricName): Metric => metrics[name];
