import { z } from 'zod';
import { askEach } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, price as quote, signed } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { ApiError } from '../runtime/errors.ts';
import { timeOf } from '../runtime/rows.ts';
import { day, duration, minute, second } from '../runtime/units.ts';
import { opened } from './kit/episode.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { overTitle, storyOf } from './kit/oi-story.ts';
import { charted, points, series, type Timed } from './kit/series.ts';

const directions: Readonly<Record<string, 1 | -1>> = { RAPID_BUILDUP: 1, RAPID_UNWIND: -1 };
/** Snapshots come every 5 minutes: two missing, and what is going on is not known. */
const stale = 15 * minute;
/** What is worth acting on is asked of the change over this. */
const over = 15 * minute;
/** The look before, with one missed. */
const latest = 11 * minute;

/** What was open before it began, contracts, and when: its end says how far it went. */
const note = z.object({ oi: z.number(), at: z.number() });

type Answer = EndpointAnswer<'oiMomentum'>;
type Snapshot = Timed<Answer['data'][number]>;

/**
 * Open interest that builds up or unwinds rapidly, as the service's own signal says. It ends when the rate has
 * been below `exit` for `calm` snapshots, counted over the series, so that a missed poll misses none.
 * The price's move beside it says which it may be: see `stories`. It is no label, because it can turn within the episode.
 * Asked within the budget: open alerts first, then what people subscribed to, then the overview's movers.
 */
export default defineEpisodes({
  name: 'oi-momentum',
  description: msg('A market’s open interest builds up or unwinds rapidly'),
  preset: 'everything',
  schedule: '45 */5 * * * *',
  cost: 'snapshots come every 5 minutes',
  groupWait: 30 * second,
  options: z.object({
    maxSymbols: z
      .int()
      .min(1)
      .max(200)
      .default(20)
      .describe('requests every 5 minutes: 60 of the 300 in 15 minutes'),
    flat: z
      .number()
      .min(0)
      .default(0.1)
      .describe('percent in 5 minutes by which a price must move to have risen or fallen'),
    minPct: z
      .number()
      .min(0)
      .default(1)
      .describe('percent over the last 15 min: a snapshot that takes back the one before it is none'),
    minUsd: z
      .number()
      .min(0)
      .default(500_000)
      .describe('USD opened or closed over the last 15 min; less may be one position'),
    exit: z.number().positive().max(1).default(0.5).describe('percent per snapshot; it begins above 1'),
    calm: z.int().min(1).default(2).describe('snapshots below exit before it has ended'),
    critical: z.number().min(1).default(3).describe('percent per snapshot'),
    wave: duration
      .prefault('30m')
      .describe('what begins in another market within this of the last joins its post'),
    cooldown: duration.prefault('30m').describe('after its end, of the same signal unless it is critical'),
  }),
  note,
  /** Prices of the run before, so that the move beside the signal can be told, and when that was. */
  memory: z.object({ prices: z.record(z.string(), z.number()), pricesAt: z.number() }),
  rules: ({ calm, cooldown }) => ({ calm, cooldown, breaks: 'critical', keep: day, news: true }),
  wave: ({ wave: length }) => ({ length, sideOf: ({ labels }) => labels.signal ?? '' }),

  async observe({ data, options, state, symbols, signal }) {
    const began = opened(state?.values);
    const wanted = [...began, ...symbols];
    const overview = await data.marketOverview({}, signal).catch((error: unknown) => {
      if (error instanceof ApiError && wanted.length > 0) return undefined;
      throw error;
    });
    const coins = overview?.coins ?? [];
    const chosen = [...new Set([...wanted, ...coins.map(({ symbol }) => symbol)])].slice(
      0,
      options.maxSymbols,
    );
    const answers = await askEach(chosen, (symbol) => data.oiMomentum({ symbol }, signal));
    return {
      answers: [...answers].map(([symbol, answer]) => ({ ...answer, symbol })),
      prices: Object.fromEntries(coins.map(({ symbol, price }) => [symbol, price])),
    };
  },

  look({ answers, prices }, { options, now, values, memory = { prices: {}, pricesAt: 0 } }) {
    const seen = answers.flatMap(({ symbol: key, signal, current: given, data }) => {
      const newest = given ?? data.at(-1);
      const at = newest === undefined ? Number.NaN : timeOf(newest);
      // Also where there is no snapshot at all: NaN compares false.
      if (!(at <= now && now - at <= stale) || newest === undefined) return [];
      const current = { ...newest, at };
      // A move over more than a look missed is not that of the 5 minutes.
      const before = now - memory.pricesAt <= latest ? memory.prices[key] : undefined;
      const price = prices[key];
      const move =
        before !== undefined && price !== undefined && before > 0 ? (price / before - 1) * 100 : undefined;

      const { seen: counted = 0, open = null } = values[key] ?? {};
      const standing = ({ ratePct }: Pick<Snapshot, 'ratePct'>) =>
        ratePct >= options.exit ? 'RAPID_BUILDUP' : ratePct <= -options.exit ? 'RAPID_UNWIND' : null;
      const passed = series(data, now, counted).filter((row) => row.at < at);
      const rapid = directions[signal] === undefined ? undefined : signal;
      const critical = rapid !== undefined && Math.abs(current.ratePct) >= options.critical;
      const strong = rapid !== undefined && isWorth({ signal, data }, current, price, options);
      const from = strong && rapid !== open?.side ? beforeIt(series(data, now), at) : undefined;
      const samples = [
        ...passed.map((row) => ({ at: row.at, side: standing(row), strong: false })),
        {
          at,
          side: rapid ?? standing(current),
          strong,
          severity: critical ? ('critical' as const) : ('warning' as const),
          // The opposite ends it, also where it is worth nothing itself.
          over: open !== null && rapid !== undefined && rapid !== open.side,
          ...(from && { note: { oi: from.oi, at: from.at } }),
        },
      ];
      return [{ key, samples, data, current, price, move }];
    });
    // An empty overview is one that could not be had: the prices before it are kept.
    return { seen, memory: Object.keys(prices).length > 0 ? { prices, pricesAt: now } : memory };
  },

  tell(
    { status, side: signal, note: from },
    { key: symbol, data, current, price, move },
    { options: { flat }, now },
  ) {
    const rate = percent(current.ratePct);
    const name = marketName(symbol);
    const rows = series(data, now);
    const story = status === 'resolved' ? undefined : storyOf(signal, move, flat);
    return {
      labels: { symbol, signal },
      title: story?.title({ symbol: name, rate }) ?? overTitle(signal, name, from, current),
      summary: story?.summary ?? msg('Open interest is changing at its normal pace again.'),
      facts: [
        { name: msgIn('change', 'Rate'), value: msg('{rate} in 5 min', { rate }) },
        {
          name: msg('Acceleration'),
          value: msg('{points} points', { points: signed(current.accelerationPct) }),
        },
        { name: msg('Open interest'), value: msg('{amount} contracts', { amount: amount(current.oi) }) },
        ...(price === undefined ? [] : [{ name: msg('Price'), value: quote(price) }]),
        ...(move === undefined ? [] : [{ name: msg('Price since last check'), value: percent(move) }]),
      ],
      ...(rows.length > 1 && {
        chart: charted(msg('Open interest of {symbol}', { symbol: name }), {
          unit: msg('contracts'),
          series: [{ name, points: points(rows, ({ oi }) => oi) }],
          below: {
            unit: '%',
            series: [
              { name: msg('Change in 5 min'), shape: 'bars', points: points(rows, ({ ratePct }) => ratePct) },
            ],
            marks: [{ name: msg('rapid from'), value: directions[signal] ?? 1 }],
          },
        }),
      }),
      prominence: Math.abs(current.ratePct),
      inGroup: {
        name: signal === 'RAPID_UNWIND' ? msg('OI unwinds') : msg('OI builds up'),
        row: msg('{symbol}: {rate}', { symbol: name, rate }),
        change: { symbol, pct: current.ratePct },
      },
      dataTime: current.at,
    };
  },
});

/** Over its last snapshots it is enough to act on. */
function isWorth(
  { signal, data }: Pick<Answer, 'signal' | 'data'>,
  { at, oi }: Snapshot,
  price: number | undefined,
  { minPct, minUsd }: { readonly minPct: number; readonly minUsd: number },
): boolean {
  const direction = directions[signal] ?? 1;
  const since = at - over;
  const grown = data
    .filter((row) => timeOf(row) > since)
    .reduce((product, { ratePct }) => product * (1 + ratePct / 100), 1);
  const usd = Math.abs(oi - oi / grown) * (price ?? Number.POSITIVE_INFINITY);
  return (grown - 1) * 100 * direction >= minPct && !(usd < minUsd);
}

/** The newest snapshot that is older than what was looked at. */
const beforeIt = (rows: readonly Snapshot[], at: number): Snapshot | undefined =>
  rows.findLast((row) => row.at <= at - over) ?? rows[0];
