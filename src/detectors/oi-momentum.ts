import { z } from 'zod';
import type { Annotations, Change } from '../alert/alert.ts';
import { askEach } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, price as quote, signed } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { ApiError } from '../runtime/errors.ts';
import { day, duration, minute, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { opened } from './kit/follow.ts';
import { overTitle, storyOf } from './kit/oi-story.ts';
import { charted } from './kit/series.ts';
import { inWaves, waves } from './kit/wave.ts';

const directions: Readonly<Record<string, 1 | -1>> = { RAPID_BUILDUP: 1, RAPID_UNWIND: -1 };
/** Snapshots come every 5 minutes: two missing, and what is going on is not known. */
const stale = 15 * minute;
/** What is worth acting on is asked of the change over this. */
const over = 15 * minute;
/** The look before, with one missed. */
const latest = 11 * minute;

const open = z.object({
  signal: z.string(),
  /** True where it was there at the baseline: nobody was told. */
  quiet: z.boolean(),
  severity: z.enum(['warning', 'critical']),
  /** Snapshots in a row below the exit level. */
  calm: z.int(),
  /** What was open before it began, contracts, and when: its end says how far it went. */
  from: z.object({ oi: z.number(), at: z.number() }).optional(),
});
const watched = z.object({
  /** Time of the last snapshot counted. */
  seen: z.number(),
  open: open.nullable(),
  ended: z.object({ signal: z.string(), at: z.number() }).nullable(),
});
type Open = z.output<typeof open>;
type Watched = z.output<typeof watched>;

/**
 * Open interest that builds up or unwinds rapidly, as the service's own signal says. It ends when the rate has
 * been below `exit` for `calm` snapshots, counted over the series, so that a missed poll misses none.
 * The price's move beside it says which it may be: see `stories`. It is no label, because it can turn within the episode.
 * Asked within the budget: open alerts first, then what people subscribed to, then the overview's movers.
 */
export default defineDetector({
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
  state: z.object({
    symbols: z.record(z.string(), watched),
    /** Prices of the run before, so that the move beside the signal can be told, and when that was. */
    prices: z.record(z.string(), z.number()),
    pricesAt: z.number(),
    waves: waves.default({}),
  }),

  async observe({ data, options, state, symbols, signal }) {
    const began = opened(state?.symbols);
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
      answers: chosen.flatMap((symbol) => {
        const answer = answers.get(symbol);
        return answer === undefined ? [] : [{ ...answer, symbol }];
      }),
      prices: Object.fromEntries(coins.map(({ symbol, price }) => [symbol, price])),
    };
  },

  step(state, { answers, prices }, { options, now }) {
    const symbols: Record<string, Watched> = { ...state?.symbols };
    const changes: Change[] = [];
    for (const answer of answers) {
      const { symbol } = answer;
      const current = answer.current ?? answer.data.at(-1);
      const time = Date.parse(current?.timestamp ?? '');
      const past = symbols[symbol];
      // Also where there is no snapshot at all: NaN compares false.
      if (!(time <= now && now - time <= stale) || time <= (past?.seen ?? 0) || current === undefined)
        continue;

      // A move over more than a look missed is not that of the 5 minutes.
      const before = now - (state?.pricesAt ?? 0) <= latest ? state?.prices[symbol] : undefined;
      const price = prices[symbol];
      const move =
        before !== undefined && price !== undefined && before > 0 ? (price / before - 1) * 100 : undefined;
      const tell = (status: Change['status'], running: Open) =>
        changes.push(change(status, running, answer, current, { price, move, flat: options.flat }));

      let running = past?.open ?? null;
      let ended = past?.ended ?? null;
      const rapid = directions[answer.signal] === undefined ? undefined : answer.signal;
      const severity = Math.abs(current.ratePct) >= options.critical ? 'critical' : 'warning';
      if (running !== null) {
        const calm = calmFor(running, answer, past?.seen ?? 0, options.exit);
        const reversed = rapid !== undefined && rapid !== running.signal;
        if (reversed || (rapid === undefined && calm >= options.calm)) {
          if (!running.quiet) tell('resolved', running);
          ended = { signal: running.signal, at: time };
          running = null;
        } else {
          const worse = rapid !== undefined && severity === 'critical' && running.severity === 'warning';
          running = {
            ...running,
            calm: rapid === undefined ? calm : 0,
            ...(worse ? { severity, quiet: false } : {}),
          };
          if (worse) tell(past?.open?.quiet === true ? 'firing' : 'updated', running);
        }
      }
      const cooling = rapid === ended?.signal && time - (ended?.at ?? 0) < options.cooldown;
      const worth = rapid !== undefined && isWorth(answer, current, price, options);
      if (running === null && worth && (!cooling || severity === 'critical')) {
        running = {
          signal: rapid,
          quiet: state === undefined,
          severity,
          calm: 0,
          from: beforeIt(answer.data, time),
        };
        if (!running.quiet) tell('firing', running);
      }
      symbols[symbol] = { seen: time, open: running, ended };
    }
    const remembered = Object.entries(symbols).filter(
      ([, { seen, open }]) => open !== null || now - seen < day,
    );
    const { wave: length } = options;
    const told = inWaves(state?.waves ?? {}, changes, {
      now,
      length,
      sideOf: ({ labels }) => labels.signal ?? '',
    });
    return {
      // An empty overview is one that could not be had: the prices before it are kept.
      state: {
        symbols: Object.fromEntries(remembered),
        waves: told.waves,
        ...(Object.keys(prices).length > 0
          ? { prices, pricesAt: now }
          : { prices: state?.prices ?? {}, pricesAt: state?.pricesAt ?? 0 }),
      },
      changes: told.changes,
    };
  },
});

/** Over its last snapshots it is enough to act on. */
function isWorth(
  { signal, data }: EndpointAnswer<'oiMomentum'>,
  { timestamp, oi }: EndpointAnswer<'oiMomentum'>['data'][number],
  price: number | undefined,
  { minPct, minUsd }: { readonly minPct: number; readonly minUsd: number },
): boolean {
  const direction = directions[signal] ?? 1;
  const since = Date.parse(timestamp) - over;
  const grown = data
    .filter((row) => Date.parse(row.timestamp) > since)
    .reduce((product, { ratePct }) => product * (1 + ratePct / 100), 1);
  const usd = Math.abs(oi - oi / grown) * (price ?? Number.POSITIVE_INFINITY);
  return (grown - 1) * 100 * direction >= minPct && !(usd < minUsd);
}

/** The newest snapshot that is older than what was looked at. */
function beforeIt(rows: EndpointAnswer<'oiMomentum'>['data'], time: number): Open['from'] {
  const row = rows.findLast(({ timestamp }) => Date.parse(timestamp) <= time - over) ?? rows[0];
  return row && { oi: row.oi, at: Date.parse(row.timestamp) };
}

/** Snapshots in a row below the exit level, up to the newest. */
function calmFor(
  { signal, calm }: Open,
  answer: EndpointAnswer<'oiMomentum'>,
  seen: number,
  exit: number,
): number {
  const fresh = answer.data.filter(({ timestamp }) => Date.parse(timestamp) > seen);
  const rows = fresh.length === 0 && answer.current !== undefined ? [answer.current] : fresh;
  return rows.reduce((run, { ratePct }) => (ratePct * (directions[signal] ?? 1) < exit ? run + 1 : 0), calm);
}

function change(
  status: Change['status'],
  { signal, severity, from }: Open,
  { symbol, data }: EndpointAnswer<'oiMomentum'>,
  current: EndpointAnswer<'oiMomentum'>['data'][number],
  seen: { readonly price: number | undefined; readonly move: number | undefined; readonly flat: number },
): Change {
  const { price, move, flat } = seen;
  const rate = percent(current.ratePct);
  const story = status === 'resolved' ? undefined : storyOf(signal, move, flat);
  const annotations: Annotations = {
    title:
      story?.title({ symbol: marketName(symbol), rate }) ??
      overTitle(signal, marketName(symbol), from, { oi: current.oi, at: Date.parse(current.timestamp) }),
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
    ...(data.length > 1 && {
      chart: charted(msg('Open interest of {symbol}', { symbol: marketName(symbol) }), {
        unit: msg('contracts'),
        series: [
          {
            name: marketName(symbol),
            points: data.map(({ timestamp, oi }) => [Date.parse(timestamp), oi] as const),
          },
        ],
        below: {
          unit: '%',
          series: [
            {
              name: msg('Change in 5 min'),
              shape: 'bars',
              points: data.map(({ timestamp, ratePct }) => [Date.parse(timestamp), ratePct] as const),
            },
          ],
          marks: [{ name: msg('rapid from'), value: directions[signal] ?? 1 }],
        },
      }),
    }),
    prominence: Math.abs(current.ratePct),
    inGroup: {
      name: signal === 'RAPID_UNWIND' ? msg('OI unwinds') : msg('OI builds up'),
      row: msg('{symbol}: {rate}', { symbol: marketName(symbol), rate }),
      change: { symbol, pct: current.ratePct },
    },
    dataTime: Date.parse(current.timestamp),
  };
  return { status, labels: { kind: 'oi-momentum', symbol, signal }, severity, annotations };
}
