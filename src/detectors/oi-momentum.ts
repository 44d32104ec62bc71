import { z } from 'zod';
import { askEach, isRefusal } from '../client/ask-each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, price as quote, share, signed, span, usd } from '../language/format.ts';
import { msg, msgIn, type Text, type Values } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { type TimedRow, timeOf } from '../runtime/rows.ts';
import { day, minute, second } from '../runtime/units.ts';
import { defineEpisodes, hasTurned, setting } from './kit/define-episodes.ts';
import { openNames } from './kit/episode.ts';
import { points, series } from './kit/series.ts';

const directions: Readonly<Record<string, 1 | -1>> = { RAPID_BUILDUP: 1, RAPID_UNWIND: -1 };
/** The age above which a snapshot says nothing about the present. Snapshots come every 5 minutes. */
const staleAfter = 15 * minute;
/** The time over which a change must reach `minPct` and `minUsd`. */
const changeWindow = 15 * minute;
/** The greatest age of the previous look's prices for a comparison with them: one look may have been missed. */
const maxPriceAge = 11 * minute;

/** Open interest before the episode began, in contracts, and when that was: the end says how far it went from there. */
const note = z.object({ oi: z.number(), at: z.number() });

type Snapshot = TimedRow<EndpointAnswer<'oiMomentum'>['data'][number]>;

/**
 * Alerts when open interest builds up or unwinds rapidly, as the service's own signal says. The episode ends when the
 * rate has been below `exit` for `calm` snapshots, counted over the series, so that a missed poll misses none. The
 * price's move beside the signal says what may be behind it: see `readings`. It is no label, because it can turn within
 * the episode. A service that offers /oi/movers is asked only about markets that move rapidly or have an open alert; the
 * others are judged by their newest snapshot. Any other service is asked about the overview's movers. In both cases open
 * alerts come first, then symbols that people subscribe to.
 */
export default defineEpisodes({
  name: 'oi-momentum',
  description: msg('A market’s open interest builds up or unwinds rapidly'),
  preset: 'everything',
  smallest: ({ minPct, minUsd, minMove }) =>
    msg('{size} of the open interest and {usd} in {window}, while the price moves {move}', {
      size: share(minPct / 100),
      usd: usd(minUsd),
      window: span(changeWindow),
      move: share(minMove / 100, 1),
    }),
  schedule: '20 */5 * * * *',
  cost: 'snapshots come every 5 minutes',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(
      20,
      'requests every 5 minutes: 60 of the 300 in 15 minutes; the embedded service is asked for rapid markets only',
    ),
    minMove: setting.number(
      0.5,
      'percent in 5 minutes that the price must move beside it: open interest alone has shown nothing',
    ),
    flat: setting.number(0.1, 'percent in 5 minutes by which a price must move to have risen or fallen'),
    minPct: setting.number(
      1,
      'percent over the last 15 min: a snapshot that takes back the one before it is none',
    ),
    minUsd: setting.number(500_000, 'USD opened or closed over the last 15 min; less may be one position'),
    exit: setting.number(0.5, 'percent per snapshot; it begins above 1', '(0, 1]'),
    calm: setting.integer(2, 'snapshots below exit before it has ended'),
    critical: setting.number(5, 'percent per snapshot', '[1, ∞)'),
    wave: setting.duration('6h', 'what begins in another market within this of the last joins its post'),
    cooldown: setting.duration('30m', 'after its end, of the same signal unless it is critical'),
  },
  note,
  /** The prices of the previous run, which give the price's move beside the signal, and when that run was, market ms. */
  memory: z.object({ prices: z.record(z.string(), z.number()), pricesAt: z.number() }),
  rules: ({ calm, cooldown }) => ({ calm, cooldown, breaks: 'critical', keep: day, news: true }),
  wave: ({ wave: length }) => ({ length, sideOf: () => 'ALL' }),

  async observe({ data, options, state, symbols, signal }) {
    const open = openNames(state?.values);
    const wanted = [...open, ...symbols];
    const movers = (await ifAnswered(data.oiMovers({}, signal)))?.data;
    const overview = data.marketOverview({}, signal);
    // The overview gives prices, and the movers if the service offers none. Symbols known from elsewhere are judged without it.
    const isNeeded = movers === undefined && wanted.length === 0;
    const { coins } = (isNeeded ? await overview : await ifAnswered(overview)) ?? { coins: [] };
    const quiet = (movers ?? []).filter(
      (mover) => directions[mover.signal] === undefined && !open.includes(mover.symbol),
    );
    const chosen = new Set([...wanted, ...(movers ?? coins).map(({ symbol }) => symbol)]);
    for (const { symbol } of quiet) chosen.delete(symbol);
    const ask = (symbol: string) => data.oiMomentum({ symbol }, signal);
    const names = [...chosen];
    const answers = await askEach(names.slice(0, options.maxSymbols), ask).catch((error: unknown) => {
      // Markets that are no longer tracked are refused. If all were, the others are looked at nevertheless.
      const next = names.slice(options.maxSymbols, 2 * options.maxSymbols);
      if (!isRefusal(error) || next.length + quiet.length === 0) throw error;
      return askEach(next, ask);
    });
    return {
      answers: [
        // The other fields are left alone: the service computes them only when they are read.
        ...[...answers].map(([symbol, { signal, current, data }]) => ({ symbol, signal, current, data })),
        ...quiet.map(({ symbol, signal, ...current }) => ({ symbol, signal, current, data: [current] })),
      ],
      prices: Object.fromEntries(coins.map(({ symbol, price }) => [symbol, price])),
    };
  },

  look({ answers, prices }, { options, now, values, memory = { prices: {}, pricesAt: 0 } }) {
    // If more than one look was missed, the difference of the prices is no move of 5 minutes.
    const pricesBefore = now - memory.pricesAt <= maxPriceAge ? memory.prices : {};
    const seen = answers.flatMap(({ symbol: key, signal, current: given, data }) => {
      const newest = given ?? data.at(-1);
      if (newest === undefined) return [];
      const at = timeOf(newest);
      if (!(at <= now && now - at <= staleAfter)) return [];
      const current = { ...newest, at };
      const price = prices[key];
      const priceBefore = pricesBefore[key] ?? 0;
      const move = price !== undefined && priceBefore > 0 ? (price / priceBefore - 1) * 100 : undefined;
      const { seen: counted = 0, open = null } = values[key] ?? {};
      const sideOf = ({ ratePct }: Pick<Snapshot, 'ratePct'>) =>
        ratePct >= options.exit ? 'RAPID_BUILDUP' : ratePct <= -options.exit ? 'RAPID_UNWIND' : null;
      const sign = directions[signal];
      const rapidSide = sign && signal;
      // The factor by which open interest has changed over the last snapshots: the change must be worth acting on.
      const latest = sign === undefined ? [] : series(data, { now: at, since: at - changeWindow });
      const growth = latest.reduce((all, { ratePct }) => all * (1 + ratePct / 100), 1);
      const usd = Math.abs(current.oi - current.oi / growth) * (price ?? Number.POSITIVE_INFINITY);
      const strong =
        sign !== undefined &&
        (growth - 1) * 100 * sign >= options.minPct &&
        usd >= options.minUsd &&
        // A move that is not known holds nothing back.
        (move === undefined || Math.abs(move) >= options.minMove);
      const rows = strong && rapidSide !== open?.side ? series(data, { now }) : [];
      const from = rows.findLast((row) => row.at <= at - changeWindow) ?? rows[0];
      const isCritical = sign !== undefined && Math.abs(current.ratePct) >= options.critical;
      const samples = [
        ...series(data, { now, since: counted })
          .filter((row) => row.at < at)
          .map((row) => ({ at: row.at, side: sideOf(row) })),
        {
          at,
          side: rapidSide ?? sideOf(current),
          strong,
          severity: isCritical ? ('critical' as const) : ('info' as const),
          // The opposite signal ends an open episode, even if it is too weak to begin one.
          ends: open !== null && rapidSide !== undefined && rapidSide !== open.side,
          ...(from && { note: { oi: from.oi, at: from.at } }),
        },
      ];
      return [{ key, samples, data, current, price, move }];
    });
    // An overview without prices could not be had: the previous prices are kept.
    return { seen, memory: Object.keys(prices).length > 0 ? { prices, pricesAt: now } : memory };
  },

  labelsOf: (symbol, signal) => ({ symbol, signal }),
  endsUnseen: true,

  tell(transition, { seen, options: { flat }, now }) {
    const { ended, side: signal, note: from } = transition;
    const { key: symbol, data, current, price, move } = seen;
    const rows = series(data, { now });
    const moved = move === undefined || Math.abs(move) < flat ? 'unclear' : move > 0 ? 'rising' : 'falling';
    const values = { symbol: marketName(symbol), signal, moved, rate: percent(current.ratePct) };
    return {
      title: ended
        ? endTitle(values, from, current)
        : msg(
            '{symbol} open interest {signal, select, RAPID_UNWIND {unwinds} other {builds up}}{moved, select, rising { as the price rises} falling { as the price falls} other {}}: {rate} in 5 min',
            values,
          ),
      summary: ended
        ? hasTurned(transition, seen)
          ? msg(
              'Open interest has turned round: it now {way, select, up {builds up} other {unwinds}} instead.',
              { way: signal === 'RAPID_UNWIND' ? 'up' : 'down' },
            )
          : msg('Open interest is changing at its normal pace again.')
        : readings[signal === 'RAPID_UNWIND' ? signal : 'RAPID_BUILDUP'][moved],
      facts: [
        [msgIn('change', 'Rate'), msg('{rate} in 5 min', values)],
        [msg('Acceleration'), msg('{points} points', { points: signed(current.accelerationPct) })],
        [msg('Open interest'), msg('{amount} contracts', { amount: amount(current.oi) })],
        price !== undefined && [msg('Price'), quote(price)],
        move !== undefined && [msg('Price since last check'), percent(move)],
      ],
      picture: {
        subject: msg('Open interest of {symbol}', values),
        unit: msg('contracts'),
        line: [values.symbol, points(rows, ({ oi }) => oi)],
        below: {
          unit: '%',
          series: [
            { name: msg('Change in 5 min'), shape: 'bars', points: points(rows, ({ ratePct }) => ratePct) },
          ],
          marks: [[msg('rapid from'), directions[signal] ?? 1]],
        },
      },
      prominence: Math.abs(current.ratePct),
      inGroup: {
        name: msg('Open interest changes fast'),
        row: msg('{symbol}: {rate}', values),
        change: { symbol, pct: current.ratePct },
      },
    };
  },
});

/** What open interest and price together are usually taken to mean. Who is behind them is not known. */
const readings = {
  RAPID_BUILDUP: {
    rising: msg('Open interest is rising fast as the price rises: probably new longs.'),
    falling: msg('Open interest is rising fast as the price falls: probably new shorts.'),
    unclear: msg('Open interest is rising fast; the price doesn’t show which side is adding.'),
  },
  RAPID_UNWIND: {
    rising: msg('Open interest is falling fast as the price rises: probably short covering.'),
    falling: msg(
      'Open interest is falling fast as the price falls: longs are probably closing or being liquidated.',
    ),
    unclear: msg('Open interest is falling fast; the price doesn’t show which side is leaving.'),
  },
} as const;

type Measured = z.output<typeof note>;

/** Returns the title of an end. It says how far open interest went if its value before the episode is known. */
function endTitle(values: Values, from: Measured | undefined, to: Measured): Text {
  if (from === undefined || !(from.oi > 0))
    return msg('{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over', values);
  return msg('{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over: {move} in {length}', {
    ...values,
    move: percent((to.oi / from.oi - 1) * 100, 1),
    length: span(to.at - from.at),
  });
}
