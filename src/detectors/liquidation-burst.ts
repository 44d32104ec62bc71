import { z } from 'zod';
import { count, marketName, share, span, time as timeOf, usd, weeklyHour } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour, minute, second } from '../runtime/units.ts';
import { addToBurst, burst, burstPicture } from './kit/burst.ts';
import { defineEpisodes, type FactPair, type OptionsOf, setting } from './kit/define-episodes.ts';
import { series } from './kit/series.ts';
import {
  coverageFacts,
  distinct,
  type Liquidated,
  liquidationsAfter,
  rolledTape,
  rollTape,
  tapeLimit,
  windowSettings,
  windowSum,
} from './kit/tape.ts';

/** How many symbols have their open interest asked for in one look, and how long it is used, ms. */
const maxInterestRequests = 4;
const interestFreshFor = hour;

const options = {
  ...windowSettings,
  factor: setting.number(8, 'times the symbol’s normal window', '(1, ∞)'),
  minUsd: setting.positive(
    1_000_000,
    'USD in a window below which nothing is a burst: less may be one position',
  ),
  minShare: setting.number(0.0005, 'share of the symbol’s open interest, likewise; 0: not checked', '[0, 1]'),
  exit: setting.number(0.5, 'ends below this part of the level that fires', '(0, 1)'),
  critical: setting.number(3, 'times the level that fires', '(1, ∞)'),
  wave: setting.duration('30m', 'a burst in another market within this of the last joins its post'),
  cooldown: setting.duration('30m', 'after its end'),
};
type Options = OptionsOf<typeof options>;

const memory = rolledTape.extend({
  bursts: z.record(z.string(), burst),
  openInterest: z.record(z.string(), z.object({ at: z.number(), usd: z.number().nullable() })),
});
type Memory = z.output<typeof memory>;

/**
 * Alerts when the liquidations of one symbol in a rolling window are far above its own past windows, and large beside
 * its open interest. Time is that of the newest event of any symbol: while the feed is silent nothing ends. Every sum
 * is "at least": most exchanges publish at most one liquidation per symbol and second, and an answer holds at most 500.
 */
export default defineEpisodes({
  name: 'liquidation-burst',
  description: msg('Liquidations in a market far above normal'),
  preset: 'standard',
  smallest: ({ minUsd, window }) => msg('{usd} in {window}', { usd: usd(minUsd), window: span(window) }),
  schedule: '2,32 * * * * *',
  cost: 'one request for all symbols; a cascade is over in minutes',
  groupWait: 30 * second,
  options,
  memory,
  rules: ({ cooldown }) => ({ cooldown, breaks: 'critical', partial: true, keep: hour, news: true }),
  wave: ({ wave: length }) => ({ length, sideOf: () => 'ALL' }),
  sample: (now) => {
    const [longs, shorts] = [3_526_000, 574_000];
    // The shape of a burst that comes and goes: parts of the sums, one every two minutes.
    const minutes = [0.04, 0.08, 0.23, 0.3, 0.2, 0.1, 0.05].map((part, index) => ({
      minute: Math.floor(now / minute) - 12 + 2 * index,
      long: part * longs,
      short: part * shorts,
    }));
    const burstNow = () => ({ total: 0, longs: 0, minutes });
    const read = { last: now, recent: [], gaps: [] };
    const sums = {
      coverage: [],
      sum: longs + shorts,
      longs,
      enter: 1_680_000,
      usual: 210_000,
      oi: 5_200_000_000,
      hourKnown: false,
    };
    return {
      transition: { side: 'BURST', severity: 'warning' },
      seen: { key: 'ETHUSDT', ...sums, burstNow, read },
    };
  },
  async observe({ data, state, options, now, signal }) {
    const { rows, coverage } = await liquidationsAfter(state?.memory, data, signal);
    const near = state?.memory ? nearBursts(state.memory, { ...options, rows, now }) : [];
    // Open interest that cannot be had is kept as null: the symbol is judged without it, and it is not asked for at
    // every look.
    const openInterest = near.map(async (symbol) => {
      const newest = series((await ifAnswered(data.oi({ symbol, limit: 1 }, signal)))?.data ?? [], {
        now,
      }).at(-1);
      const usd = Number(newest?.oi_value_usd);
      return [symbol, { at: now, usd: usd > 0 ? usd : null }] as const;
    });
    return { rows, coverage, openInterest: Object.fromEntries(await Promise.all(openInterest)) };
  },

  look({ rows, coverage, openInterest: newOpenInterest }, { options, now, values, memory: past, baseline }) {
    const { window, exit, critical, minShare } = options;
    const rules = { ...options, now };
    const { tape, events, windows, judged, hourKnown } = rollTape(past, {
      rows,
      rules,
      nameOf: ({ symbol }) => symbol,
    });
    const known = Object.entries({ ...past?.openInterest, ...newOpenInterest });
    const openInterest = Object.fromEntries(known.filter(([, { at }]) => now - at < interestFreshFor));
    const { bursts = {} } = past ?? {};
    if (windows.length === 0) return { seen: [], memory: { ...tape, bursts, openInterest }, able: judged };
    const at = tape.read.last;
    const eventsBySymbol = Map.groupBy(events, ({ symbol }) => symbol);

    const kept: Memory['bursts'] = {};
    const seen = windows.map(({ name: key, buckets, sum, usual, level }) => {
      const oi = openInterest[key]?.usd ?? null;
      const isInterestUnknown = minShare > 0 && openInterest[key] === undefined;
      const longs = windowSum(buckets, at, window, 'longs');
      const enter = Math.max(level, minShare * (oi ?? 0));
      // With too little past, or before open interest was asked for, a burst begins only at the baseline. There it is
      // silent, so that a burst that is under way then is not reported later either.
      const strong = sum >= enter && (baseline || (judged && !isInterestUnknown));
      const running = values[key]?.open ? bursts[key] : undefined;
      const events = running ? (eventsBySymbol.get(key) ?? []) : [];
      const burstNow = () => addToBurst(running ?? { total: sum, longs, minutes: [] }, events, buckets);
      if (running || strong) kept[key] = burstNow();
      const side = sum < enter * exit ? null : 'BURST';
      const severity = sum >= enter * critical ? ('critical' as const) : ('warning' as const);
      const samples = [{ at, side, strong, severity }];
      return { key, samples, sum, longs, enter, usual, oi, burstNow, hourKnown, read: tape.read, coverage };
    });
    return { seen, memory: { ...tape, bursts: kept, openInterest }, able: judged };
  },

  labelsOf: (symbol) => ({ symbol }),

  tell(
    { ended },
    { seen: { key: symbol, enter, usual, oi, burstNow, read, coverage, ...now }, options: { window } },
  ) {
    const burstSoFar = burstNow();
    const [sum, longs] = ended ? [burstSoFar.total, burstSoFar.longs] : [now.sum, now.longs];
    const values = { symbol: marketName(symbol), usd: usd(sum), minutes: count(window / minute) };
    const liquidated = ended ? msg('Liquidated in all') : msg('Liquidated in {minutes} min', values);
    return {
      title: ended
        ? msg('{symbol} liquidation burst over: at least {usd} in all', values)
        : msg('{symbol} liquidation burst: at least {usd} in {minutes} min', values),
      summary: ended
        ? msg('Liquidations are back to normal in this market.')
        : now.hourKnown
          ? msg('Positions are being liquidated far faster than usual in this market for {hour}.', {
              hour: weeklyHour(read.last),
            })
          : msg('Positions are being liquidated far faster than usual in this market.'),
      facts: [
        [liquidated, msg('at least {usd}', values)],
        [msg('Usual {minutes} min', values), usual < 1 ? msg('next to nothing') : usd(usual)],
        !ended && usual >= 1 && [msg('× normal'), count(sum / usual)],
        oi !== null && [msg('Share of open interest'), share(sum / oi, 2)],
        sum > 0 && [msg('Share of longs'), share(longs / sum)],
        ...coverageFacts(coverage),
        ...read.gaps.map((gap): FactPair => [msg('Missing'), missingIn(gap)]),
      ],
      picture:
        burstSoFar.minutes.length > 1
          ? burstPicture(symbol, { buckets: burstSoFar.minutes, enter, window, until: read.last })
          : undefined,
      prominence: sum,
    };
  },
});

const missingIn = ([from, to]: readonly [number, number]) =>
  msg('{seconds} s from {from}: more than {limit} events between two checks', {
    seconds: count((to - from) / second),
    from: timeOf(from),
    limit: count(tapeLimit),
  });

/** Returns symbols whose liquidations may come near a burst and whose open interest is not known, the largest sums first. */
function nearBursts(
  { read, rolling, openInterest }: Memory,
  { rows, window, minUsd, now }: { readonly rows: readonly Liquidated[]; readonly now: number } & Options,
): string[] {
  const names = Object.entries(rolling.names);
  const sums = new Map(names.map(([symbol, one]) => [symbol, windowSum(one.buckets, read.last, window)]));
  for (const { symbol, usd_value } of distinct(rows)) sums.set(symbol, (sums.get(symbol) ?? 0) + usd_value);
  const isKnown = (symbol: string) => now - (openInterest[symbol]?.at ?? 0) < interestFreshFor;
  return [...sums]
    .filter(([symbol, sum]) => sum >= minUsd && !isKnown(symbol))
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, maxInterestRequests)
    .map(([symbol]) => symbol);
}
