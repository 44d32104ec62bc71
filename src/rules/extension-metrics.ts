import { fixedSlack, relativeSlack } from '../alert/slack.ts';
import { msg } from '../language/text.ts';
import { inPercent, inUsd, type MetricEntry, plain, portion } from './metric-entry.ts';

/** The metrics of one market that come from extensions of the interface. */
export const extensionMetrics = {
  'funding.gapPct': {
    feed: 'fundingGap',
    words: msg('funding gap between venues'),
    description: msg('Gap between the highest and the lowest funding of the venues, percent a year'),
    ...portion(1),
    slack: relativeSlack(0.2),
    range: { min: 0 },
  },
  'coinRegime.riskOn': {
    feed: 'coinRegimes',
    words: msg('own risk-on probability'),
    description: msg('Probability that the market’s own regime is risk-on, 0 to 1'),
    ...plain(),
    slack: fixedSlack(0.1),
    range: { min: 0, max: 1 },
  },
  'coinRegime.riskOff': {
    feed: 'coinRegimes',
    words: msg('own risk-off probability'),
    description: msg('Probability that the market’s own regime is risk-off, 0 to 1'),
    ...plain(),
    slack: fixedSlack(0.1),
    range: { min: 0, max: 1 },
  },
  'coinRegime.score': {
    feed: 'coinRegimes',
    words: msg('own regime score'),
    description: msg('The score of the market’s own regime'),
    ...plain(),
    slack: fixedSlack(0.1),
  },
  'oi.allVenuesUsd': {
    feed: 'oiAllVenues',
    words: msg('open interest at all venues'),
    description: msg('Open interest at all venues together, USD'),
    ...inUsd,
    slack: relativeSlack(0.01),
    range: { min: 0 },
  },
  'oi.allVenuesChange1hPct': {
    feed: 'oiAllVenues',
    words: msg('1 h OI change at all venues'),
    description: msg('Change of the coins held at all venues over an hour, percent'),
    ...inPercent(),
    slack: relativeSlack(0.3),
    range: { min: -100 },
  },
  'oi.allVenuesChange24hPct': {
    feed: 'oiAllVenues',
    words: msg('24 h OI change at all venues'),
    description: msg('Change of the coins held at all venues over 24 hours, percent'),
    ...inPercent(),
    slack: relativeSlack(0.3),
    range: { min: -100 },
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;
