import { isTruncated, yearlyPct } from '../contract/settlements.ts';
import { count, marketName, percent, share as shareOf, time as timeOf } from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { mean } from '../runtime/statistics.ts';
import { againstTheCrowd, defineEpisodes, largest, setting } from './kit/define-episodes.ts';
import * as funding from './kit/funding.ts';

/**
 * Alerts when the whole market's funding is extreme on one side. It is judged by the share of tracked symbols whose
 * funding costs enough to act on and has |z| ≥ `z` on that side against their own last 30 days. A rate stands until its
 * next settlement, so there is nothing to confirm in between. If the answer was cut at its limit above `z`, the share
 * is "at least": it can begin an alert but not end one.
 */
export default defineEpisodes({
  name: 'funding-overheated',
  description: msg('Funding is extreme on one side in many markets at once'),
  preset: 'everything',
  smallest: ({ enter }) => msg('{size} of the markets', { size: shareOf(enter) }),
  prediction: againstTheCrowd('direction'),
  schedule: '20 */5 * * * *',
  cost: 'two requests, which funding-flip and funding-extreme share',
  options: {
    z: setting.number(2, 'z-score from which a symbol counts', '[1.5, ∞)'),
    floor: funding.floorSetting.describe('what funding must cost to be worth an alert'),
    minSpread: funding.minSpreadSetting,
    enter: setting.number(0.2, 'share of the tracked symbols, on one side', '(0, 1]'),
    exit: setting.number(0.1, 'ends below this share', '(0, 1]'),
    critical: setting.number(0.4, 'share', '(0, 1]'),
    minSymbols: setting.integer(10, 'tracked symbols needed before anything is judged', '[2, ∞)'),
    calm: setting.integer(2, 'newer settlements in a row below exit before it has ended'),
    cooldown: setting.duration('24h', 'after the settlement at which it ended, unless it is worse'),
  },
  check: setting.levelsAscend,
  /** Share of the markets, percent, at the last 60 settlement times. */
  trail: { interval: 1, maxValues: 60, reach: Number.POSITIVE_INFINITY },
  // The settlements of one time come little by little.
  rules: (options) => ({ ...options, breaks: 'worse', partial: true, news: true }),
  observe: ({ data, signal }) => funding.askRates(data, signal),

  look({ current, extremes, hours }, { options, now, values, trails }) {
    const { data } = extremes;
    const settled = current.filter(({ timestamp }) => funding.isRecent(timestamp, now));
    const tracked = new Set(settled.map(({ symbol }) => symbol));
    const at = Math.max(...settled.map(({ timestamp }) => Date.parse(timestamp)));
    const before = Math.max(0, ...Object.values(values).map(({ seen }) => seen));
    if (tracked.size < options.minSymbols || at < before) return [];

    const rows = data.filter(
      (row) =>
        funding.isRecent(row.timestamp, now) &&
        tracked.has(row.symbol) &&
        Math.abs(row.zScore) >= options.z &&
        funding.standsOut(row, { ...options, hours: hours.get(row.symbol) }),
    );
    const atLeast = isTruncated(extremes) && data.every(({ zScore }) => Math.abs(zScore) >= options.z);
    const listed = rows.map(({ direction }) => direction);
    const directions = new Set([...Object.keys(values), ...Object.keys(trails), ...listed]);
    return [...directions].sort().map((key) => {
      const among = rows.filter((row) => row.direction === key);
      const part = new Set(among.map(({ symbol }) => symbol)).size / tracked.size;
      const side = part >= options.exit ? key : null;
      const severity = part >= options.critical ? ('critical' as const) : ('warning' as const);
      // The true share may be larger if the answer was cut, so a small share says nothing.
      const samples = atLeast && side === null ? [] : [{ at, side, strong: part >= options.enter, severity }];
      const trace = [at, part * 100] as const;
      return { key, samples, trace, among, hours, part, all: tracked.size, atLeast };
    });
  },

  labelsOf: (direction) => ({ direction }),

  tell({ ended, seen: at }, { seen, options, past }) {
    const { key: direction, among, hours, part, all, atLeast } = seen;
    const share = atLeast ? msg('at least {share}', { share: shareOf(part) }) : shareOf(part);
    const side = direction.endsWith('SHORT') ? 'SHORT' : 'LONG';
    // Only markets with a known interval are counted.
    const yearly = among.flatMap((row) => yearlyPct(row.currentRate, hours.get(row.symbol)) ?? []);
    const highest = largest(among, ({ zScore }) => Math.abs(zScore)).map(({ symbol }) => marketName(symbol));
    return {
      title: ended
        ? msg('Market funding calmed down: still extreme in {share} of markets', { share })
        : msg(
            'Market funding overheated, {side, select, LONG {longs} other {shorts}} crowded: extreme in {share} of markets',
            { side, share },
          ),
      summary: ended
        ? msg('Funding is back near its 30-day normal in most markets.')
        : msg(
            'In many markets at once {side, select, LONG {longs pay shorts} other {shorts pay longs}} far more than usual over the last 30 days.',
            { side },
          ),
      facts: [
        [msg('Markets'), msg('{some} of {all}', { some: count(among.length), all: count(all) })],
        yearly.length > 0 && [msg('Their mean per year'), percent(mean(yearly), 1)],
        among.length > 0 && [msg('Most extreme'), listOf(highest)],
        [msg('Settled'), timeOf(at)],
      ],
      picture: {
        subject: msg('Markets with crowded {side, select, LONG {longs} other {shorts}}', { side }),
        unit: '%',
        line: [msg('Share of the markets'), past],
        marks: [[msg('overheated from'), options.enter * 100]],
      },
    };
  },
});
