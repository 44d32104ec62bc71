import { z } from 'zod';
import type { DataClient } from '../contract/data-client.ts';
import { count, marketName, share, time as timeOf, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { duration, hour, minute, second } from '../runtime/units.ts';
import { burst, burstChart, grown } from './kit/burst.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { rolledTape, rollTape, standingOut, windowLongs, windowSum } from './kit/rolling.ts';
import { type Liquidated, liquidationsAfter, tapeLimit } from './kit/tape.ts';

/** Open interest is asked for where liquidations come near a burst: of so many symbols a look, and anew after this. */
const openInterestPerLook = 4;
const openInterestFresh = hour;

const openInterest = z.object({ at: z.number(), usd: z.number().nullable() });
type OpenInterest = Readonly<Record<string, z.output<typeof openInterest>>>;

const options = z.object({
  window: duration.prefault('15m').describe('what is summed up'),
  factor: z.number().gt(1).default(8).describe('times the symbol’s normal window'),
  minUsd: z
    .number()
    .positive()
    .default(500_000)
    .describe('USD in a window below which nothing is a burst: less may be one position'),
  minShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.0002)
    .describe('share of the symbol’s open interest, likewise; 0: not checked'),
  exit: z.number().gt(0).lt(1).default(0.5).describe('ends below this part of the level that fires'),
  critical: z.number().gt(1).default(3).describe('times the level that fires'),
  halfLife: duration.prefault('3d').describe('half of the past is younger than this'),
  minHistory: z.number().min(1).default(4).describe('past windows needed before anything is judged'),
  wave: duration.prefault('30m').describe('a burst in another market within this of the last joins its post'),
  cooldown: duration.prefault('30m').describe('after its end'),
});
type Options = z.output<typeof options>;

const memory = rolledTape.extend({
  bursts: z.record(z.string(), burst),
  openInterest: z.record(z.string(), openInterest),
});
type Memory = z.output<typeof memory>;

/**
 * Liquidations of one symbol in a rolling window, against that symbol's own past windows and its open interest. Time
 * is that of the newest event of any symbol: while the feed is silent nothing ends.
 * Every sum is "at least": exchanges publish one liquidation per symbol and second at most, an answer 500.
 */
export default defineEpisodes({
  name: 'liquidation-burst',
  description: msg('Liquidations in a market far above normal'),
  preset: 'standard',
  schedule: '5,35 * * * * *',
  cost: 'one request for all symbols; a cascade is over in minutes',
  groupWait: 30 * second,
  options,
  memory,
  rules: ({ cooldown }) => ({ cooldown, breaks: 'critical', partial: true, keep: hour, news: true }),
  wave: ({ wave: length }) => ({ length, sideOf: () => 'ALL' }),
  sample: (now) => {
    const [longs, shorts] = [3_526_000, 574_000];
    // As a burst comes and goes.
    const buckets = [0.04, 0.08, 0.23, 0.3, 0.2, 0.1, 0.05].map((part, index) => ({
      minute: Math.floor(now / minute) - 12 + 2 * index,
      long: part * longs,
      short: part * shorts,
    }));
    const about = { since: now, severity: 'warning', peak: 'warning', seen: now, stands: null } as const;
    return {
      transition: { status: 'firing', side: 'BURST', ...about },
      seen: {
        key: 'ETHUSDT',
        samples: [],
        sum: longs + shorts,
        longs,
        enter: 1_680_000,
        usual: 210_000,
        oi: 5_200_000_000,
        whole: { total: 0, longs: 0, minutes: buckets },
        read: { last: now, recent: [], gaps: [] },
      },
    };
  },
  async observe({ data, state, options, now, signal }) {
    const memory = state?.memory;
    const rows = await liquidationsAfter(memory?.read, data, signal);
    const asked = memory === undefined ? [] : nearBursts(memory, rows, options, now);
    return { rows, openInterest: await openInterestOf(asked, now, data, signal) };
  },

  look({ rows, openInterest }, { options, now, values, memory, baseline }) {
    const { window, exit, critical, minShare, minHistory } = options;
    const tape = rollTape(memory, rows, ({ symbol }) => symbol, { ...options, now });
    const { read, rolling: rolled, events } = tape;
    const known = Object.fromEntries(
      Object.entries({ ...memory?.openInterest, ...openInterest }).filter(
        ([, { at }]) => now - at < openInterestFresh,
      ),
    );
    const bursts = memory?.bursts ?? {};
    if (events.length === 0)
      return { seen: [], memory: { read, rolling: rolled, bursts, openInterest: known } };
    const { last: at } = read;
    const added = Map.groupBy(events, ({ symbol }) => symbol);

    const kept: Memory = { read, rolling: { ...rolled, names: {} }, bursts: {}, openInterest: known };
    const seen = Object.entries(rolled.names).map(([key, one]) => {
      const oi = known[key]?.usd ?? null;
      const unasked = minShare > 0 && known[key] === undefined;
      const sum = windowSum(one, at, window);
      const longs = windowLongs(one, at, window);
      const enter = Math.max(standingOut(one, rolled.weight, options), minShare * (oi ?? 0));
      // Too early to begin, except in silence, so that what is under way at the baseline is not told later either.
      const early = (rolled.weight < minHistory || unasked) && !baseline;
      const strong = sum >= enter && !early;
      const running = values[key]?.open ? bursts[key] : undefined;
      const whole = grown(
        running ?? { total: sum, longs, minutes: [] },
        running ? added.get(key) : [],
        one.buckets,
      );
      if (running || strong) kept.bursts[key] = whole;
      if (running || strong || one.past >= 1 || one.buckets.length > 0) kept.rolling.names[key] = one;
      const side = sum < enter * exit ? null : 'BURST';
      const severity = sum >= enter * critical ? ('critical' as const) : ('warning' as const);
      const usual = rolled.weight === 0 ? 0 : one.past / rolled.weight;
      return { key, samples: [{ at, side, strong, severity }], sum, longs, enter, usual, oi, whole, read };
    });
    return { seen, memory: kept };
  },

  tell({ status }, { key: symbol, enter, usual, oi, whole, read, ...now }, { options: { window } }) {
    const over = status === 'resolved';
    const [sum, longs] = over ? [whole.total, whole.longs] : [now.sum, now.longs];
    const minutes = count(window / minute);
    const name = marketName(symbol);
    return {
      labels: { symbol },
      title: over
        ? msg('{symbol} liquidation burst over: at least {usd} in all', { symbol: name, usd: usd(sum) })
        : msg('{symbol} liquidation burst: at least {usd} in {minutes} min', {
            symbol: name,
            usd: usd(sum),
            minutes,
          }),
      summary: over
        ? msg('Liquidations are back to normal in this market.')
        : msg('Positions are being liquidated far faster than usual in this market.'),
      facts: [
        {
          name: over ? msg('Liquidated in all') : msg('Liquidated in {minutes} min', { minutes }),
          value: msg('at least {usd}', { usd: usd(sum) }),
        },
        {
          name: msg('Usual {minutes} min', { minutes }),
          value: usual < 1 ? msg('next to nothing') : usd(usual),
        },
        ...(over || usual < 1 ? [] : [{ name: msg('× normal'), value: count(sum / usual) }]),
        ...(oi === null ? [] : [{ name: msg('Share of open interest'), value: share(sum / oi, 2) }]),
        ...(sum > 0 ? [{ name: msg('Share of longs'), value: share(longs / sum) }] : []),
        ...read.gaps.map(([from, to]) => ({
          name: msg('Missing'),
          value: msg('{seconds} s from {from}: more than {limit} events between two checks', {
            seconds: count((to - from) / second),
            from: timeOf(from),
            limit: count(tapeLimit),
          }),
        })),
      ],
      ...(whole.minutes.length > 1 && {
        chart: burstChart({ symbol, minutes: whole.minutes, enter, window, until: read.last }),
      }),
      prominence: sum,
      dataTime: read.last,
    };
  },
});

/** Symbols whose liquidations may come near a burst and whose open interest is not known, largest first. */
function nearBursts(
  { read, rolling, openInterest }: Memory,
  rows: readonly Liquidated[],
  { window, minUsd }: Options,
  now: number,
): string[] {
  const sums = new Map(
    Object.entries(rolling.names).map(([symbol, one]) => [symbol, windowSum(one, read.last, window)]),
  );
  for (const { symbol, usd_value } of rows) sums.set(symbol, (sums.get(symbol) ?? 0) + usd_value);
  return [...sums]
    .filter(([symbol, sum]) => {
      const known = openInterest[symbol];
      return sum >= minUsd && (known === undefined || now - known.at >= openInterestFresh);
    })
    .sort(([, a], [, b]) => b - a)
    .slice(0, openInterestPerLook)
    .map(([symbol]) => symbol);
}

/** What cannot be had is not asked for again at every look: the symbol is judged without it. */
async function openInterestOf(
  symbols: readonly string[],
  now: number,
  data: Pick<DataClient, 'oi'>,
  signal: AbortSignal,
): Promise<OpenInterest> {
  const found = await Promise.all(
    symbols.map(async (symbol) => {
      const newest = (await ifAnswered(data.oi({ symbol, limit: 1 }, signal)))?.data.at(-1);
      const usd = Number(newest?.oi_value_usd);
      return [symbol, { at: now, usd: usd > 0 ? usd : null }] as const;
    }),
  );
  return Object.fromEntries(found);
}
