import { z } from 'zod';
import { fundingHours } from '../client/funding-hours.ts';
import { isCut, mostExtremes, yearlyPct } from '../contract/settlements.ts';
import { count, marketName, percent, share as shareOf, time as timeOf } from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { mean } from '../runtime/statistics.ts';
import { duration, msOf } from '../runtime/units.ts';
import { againstTheCrowd } from './kit/crowd.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { costs, fundingFloor, isRecent, minSpread, spreadIn8h } from './kit/funding-floor.ts';
import { lineOf } from './kit/series.ts';

/** Symbols that are named. */
const shown = 5;

const options = z
  .object({
    z: z.number().min(1.5).default(2).describe('z-score from which a symbol counts'),
    floor: fundingFloor.describe('what funding must cost to be worth an alert'),
    minSpread,
    enter: z.number().gt(0).max(1).default(0.2).describe('share of the tracked symbols, on one side'),
    exit: z.number().gt(0).max(1).default(0.1).describe('ends below this share'),
    critical: z.number().gt(0).max(1).default(0.4).describe('share'),
    minSymbols: z.int().min(2).default(10).describe('tracked symbols needed before anything is judged'),
    calm: z.int().min(1).default(2).describe('newer settlements in a row below exit before it has ended'),
    cooldown: duration.prefault('24h').describe('after the settlement at which it ended, unless it is worse'),
  })
  .refine(
    ({ enter, exit, critical }) => exit < enter && enter <= critical,
    'exit < enter ≤ critical is expected',
  );

/**
 * The whole market's funding is extreme on one side: the share of tracked symbols whose funding costs enough to act on
 * and has |z| ≥ `z` against its own last 30 days there. A rate stands until its next settlement, so there is nothing to confirm between two.
 * Where the answer was cut at its limit above `z`, the share is "at least": that begins an alert and ends none.
 */
export default defineEpisodes({
  name: 'funding-overheated',
  description: msg('Funding is extreme on one side in many markets at once'),
  preset: 'quiet',
  claim: againstTheCrowd('direction'),
  schedule: '20 */5 * * * *',
  cost: 'two requests, which funding-flip and funding-extreme share',
  options,
  /** Percent of the markets at 60 settlements: ten days of every eight hours, more where some settle in between. */
  trail: { every: 1, most: 60, reach: Number.POSITIVE_INFINITY },
  // A rate stands until its next settlement, and the settlements of one time come little by little.
  rules: (options) => ({ ...options, breaks: 'worse', partial: true, news: true }),
  async observe({ data, signal }) {
    const [current, extremes, hours] = await Promise.all([
      data.fundingCurrent({}, signal),
      data.fundingExtremes({ limit: mostExtremes.asked }, signal),
      fundingHours(data, signal),
    ]);
    return { current: current.data, extremes, hours };
  },

  look({ current, extremes, hours }, { options, now, values, trails }) {
    const { data } = extremes;
    const settled = current.filter(({ timestamp }) => isRecent(timestamp, now));
    const tracked = new Set(settled.map(({ symbol }) => symbol));
    const at = Math.max(...settled.map(({ timestamp }) => msOf(timestamp)));
    const before = Math.max(0, ...Object.values(values).map(({ seen }) => seen));
    if (tracked.size < options.minSymbols || at < before) return [];

    const rows = data.filter(
      (row) =>
        isRecent(row.timestamp, now) &&
        tracked.has(row.symbol) &&
        Math.abs(row.zScore) >= options.z &&
        costs(row.currentRate, hours.get(row.symbol), options.floor) &&
        spreadIn8h(row, hours.get(row.symbol)) >= options.minSpread,
    );
    const atLeast = isCut(extremes) && data.every(({ zScore }) => Math.abs(zScore) >= options.z);
    const directions = new Set([
      ...Object.keys(values),
      ...Object.keys(trails),
      ...rows.map((row) => row.direction),
    ]);
    return [...directions].sort().map((key) => {
      const among = rows.filter((row) => row.direction === key);
      const part = new Set(among.map(({ symbol }) => symbol)).size / tracked.size;
      const side = part >= options.exit ? key : null;
      const severity = part >= options.critical ? ('critical' as const) : ('warning' as const);
      // Of an answer that was cut the share may be larger: it is not known that it is small.
      const samples = atLeast && side === null ? [] : [{ at, side, strong: part >= options.enter, severity }];
      const trace = [at, part * 100] as const;
      return { key, samples, trace, among, hours, part, all: tracked.size, atLeast, dataTime: at };
    });
  },

  tell(
    { status },
    { key: direction, among, hours, part, all: tracked, atLeast, dataTime },
    { options: { enter }, past },
  ) {
    const share = atLeast ? msg('at least {share}', { share: shareOf(part) }) : shareOf(part);
    const short = direction.endsWith('SHORT');
    // Over the markets whose interval is known.
    const yearly = among.flatMap(
      ({ symbol, currentRate }) => yearlyPct(currentRate, hours.get(symbol)) ?? [],
    );
    const highest = [...among].sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore)).slice(0, shown);
    return {
      labels: { direction },
      title:
        status === 'resolved'
          ? msg('Market funding calmed down: still extreme in {share} of markets', { share })
          : short
            ? msg('Market funding overheated, shorts crowded: extreme in {share} of markets', { share })
            : msg('Market funding overheated, longs crowded: extreme in {share} of markets', { share }),
      summary:
        status === 'resolved'
          ? msg('Funding is back near its 30-day normal in most markets.')
          : short
            ? msg('In many markets at once shorts pay longs far more than usual over the last 30 days.')
            : msg('In many markets at once longs pay shorts far more than usual over the last 30 days.'),
      facts: [
        {
          name: msg('Markets'),
          value: msg('{some} of {all}', { some: count(among.length), all: count(tracked) }),
        },
        ...(among.length === 0
          ? []
          : [
              ...(yearly.length === 0
                ? []
                : [{ name: msg('Their mean per year'), value: percent(mean(yearly), 1) }]),
              {
                name: msg('Most extreme'),
                value: listOf(highest.map(({ symbol }) => marketName(symbol))),
              },
            ]),
        { name: msg('Settled'), value: timeOf(dataTime) },
      ],
      ...lineOf(short ? msg('Markets with crowded shorts') : msg('Markets with crowded longs'), past, {
        unit: '%',
        name: msg('Share of the markets'),
        marks: [{ name: msg('overheated from'), value: enter * 100 }],
      }),
      dataTime,
    };
  },
});
