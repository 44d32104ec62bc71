import type { EndpointAnswer } from '../contract/index.ts';
import { amount, count, marketName, price as quote, share, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { timeOf } from '../runtime/rows.ts';
import { hour, second } from '../runtime/units.ts';
import { askMarkets, defineEpisodes, type Facts, maxDataGap, setting } from './kit/define-episodes.ts';
import type { Sample } from './kit/episode.ts';
import { points, series, seriesOf } from './kit/series.ts';

/** The fewest hours with a known price and CVD (cumulative volume delta) in which a new high or low is looked for. */
const minHours = 18;
/** The latest hours, in which the new high or low must be. It is compared with the hours before them. */
const recentHours = 6;
/** The age above which the newest hour says nothing about the present. One hour closes every hour. */
const staleAfter = 3 * hour;

/** An hour in which both the price at its close and the CVD are known. `at` is when the hour opened, market ms. */
type Point = Readonly<Record<'at' | 'price' | 'cvd', number>>;
type Divergence = NonNullable<ReturnType<typeof findDivergence>>;

/**
 * Alerts when the price makes a new high of its day and the cumulative volume delta (CVD) does not, or likewise a new
 * low. Divergence has no public standard beyond that. Here the highest close of the last 6 hours is above the highest
 * of the hours before them, while the CVD is lower than it was then, by at least `enter` of its range over the day. The
 * episode ends below `exit`. Only differences of the CVD count, as they do not depend on when its sum starts.
 */
export default defineEpisodes({
  name: 'cvd-divergence',
  description: msg('A new 24 h high or low that taker volume does not back (CVD divergence)'),
  preset: 'everything',
  smallest: ({ minPct, minUsd }) =>
    msg('{size} beyond the earlier extreme, with {usd} of volume delta missing', {
      size: share(minPct / 100, 1),
      usd: usd(minUsd),
    }),
  prediction: {
    directionOf: ({ side }) => (side === 'BULLISH' ? 'up' : 'down'),
    phrase: msg('back from its new extreme'),
  },
  schedule: '50 1 * * * *',
  cost: 'hours close every hour',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(5, 'two requests each, every hour', 100),
    enter: setting.number(0.4, 'part of the CVD’s range over the day by which it stayed behind', '(0, 1]'),
    exit: setting.number(0.1, 'ends below this part', '[0, 1]'),
    minPct: setting.number(
      0.2,
      'percent by which the price must be beyond its earlier extreme: less is noise',
    ),
    minUsd: setting.number(
      1_000_000,
      'USD of volume delta by which takers stayed behind; less is a few orders',
    ),
    confirm: setting.integer(2, 'hours in a row'),
    calm: setting.integer(2, 'hours in a row without it before it has ended'),
    cooldown: setting.duration('24h', 'after its end'),
  },
  rules: (options) => ({ ...options, keep: maxDataGap }),
  observe: (context) =>
    askMarkets(context, async (symbol) => ({
      volume: (await context.data.volumeCvd({ symbol, hours: 24 }, context.signal)).data,
      candles: (await context.data.intelligence({ symbol }, context.signal)).candles24h,
    })),

  look: (answers, { options, now, values }) =>
    answers.flatMap(({ symbol: key, volume, candles }) => {
      const known = readHours(volume, candles, now);
      const current = known.at(-1);
      if (current === undefined || now - current.at > staleAfter) return [];
      const samples = known.flatMap(({ at }, index): Sample<never>[] => {
        if (at <= (values[key]?.seen ?? 0) || index + 1 < minHours) return [];
        const found = findDivergence(known.slice(0, index + 1));
        if (found === undefined || found.gap < options.exit) return [{ at, side: null }];
        return [
          { at, side: found.side, strong: found.gap >= options.enter && isLargeEnough(found, options) },
        ];
      });
      return [{ key, samples, known, dataTime: Math.min(current.at + hour, now) }];
    }),

  labelsOf: (symbol, side) => ({ symbol, side }),
  endsUnseen: true,

  tell({ ended, side }, { seen: { key: symbol, known, dataTime } }) {
    const latest = findDivergence(known);
    const found = latest?.side === side ? latest : undefined;
    const name = marketName(symbol);
    return {
      title: ended
        ? msg('{symbol}: price/CVD divergence over', { symbol: name })
        : msg(
            '{symbol}: {side, select, BEARISH {new 24 h high while takers are not buying (bearish divergence)} other {new 24 h low while takers are not selling (bullish divergence)}}',
            { symbol: name, side },
          ),
      summary: ended
        ? msg('The volume has followed, or the price has come back.')
        : msg(
            '{side, select, BEARISH {The price closed above its earlier high, while takers bought less than they sold since.} other {The price closed below its earlier low, while takers sold less than they bought since.}} A divergence can go on for long and often leads nowhere.',
            { side },
          ),
      facts: found ? factsOf(found) : [],
      picture: {
        subject: msg('{symbol}: price and volume delta', { symbol: name }),
        unit: 'USDT',
        line: [msg('Price'), points(known, ({ price }) => price)],
        marks: [found && [side === 'BEARISH' ? msg('earlier high') : msg('earlier low'), found.before.price]],
        below: { line: ['CVD', points(known, ({ cvd }) => cvd)] },
      },
      prominence: Math.max(0, found?.gap ?? 0),
      dataTime,
    };
  },
});

const factsOf = ({ before, after, gap }: Divergence): Facts => [
  [msg('Price'), msg('{before} → {after}', { before: quote(before.price), after: quote(after.price) })],
  [msg('Volume delta since'), msg('{delta} coins', { delta: amount(after.cvd - before.cvd) })],
  [msg('Share of the day’s CVD range'), share(gap)],
  [msg('Hours apart'), count((after.at - before.at) / hour)],
];

const isLargeEnough = ({ before, after }: Divergence, least: Record<'minPct' | 'minUsd', number>) =>
  Math.abs(after.price / before.price - 1) * 100 >= least.minPct &&
  Math.abs(after.cvd - before.cvd) * after.price >= least.minUsd;

/** Returns the hours in which both the close and the CVD are known, oldest first. */
function readHours(
  volume: EndpointAnswer<'volumeCvd'>['data'],
  candles: EndpointAnswer<'intelligence'>['candles24h'],
  now: number,
): readonly Point[] {
  const hourOf = (at: number) => Math.floor(at / hour);
  const volumes = seriesOf(volume, { now, make: (row) => ({ at: timeOf(row), cvd: row.cvd }) });
  const cvdByHour = new Map(volumes.map(({ at, cvd }) => [hourOf(at), cvd]));
  const closes = candles.map(({ open_time: timestamp, c }) => ({ timestamp, c }));
  return series(closes, { now }).flatMap(({ at, c }) => {
    const cvd = cvdByHour.get(hourOf(at));
    return cvd === undefined ? [] : [{ at, price: Number(c), cvd }];
  });
}

/**
 * Returns the divergence as of the last point. If the price made a new high and a new low, this is the side with the
 * larger gap. `gap`: how far the CVD stayed behind, as a part of its range over the window.
 */
function findDivergence(known: readonly Point[]) {
  const values = known.map(({ cvd }) => cvd);
  const range = Math.max(...values) - Math.min(...values);
  const found = (['BEARISH', 'BULLISH'] as const).flatMap((side) => {
    const up = side === 'BEARISH' ? 1 : -1;
    const before = extremeHour(known.slice(0, -recentHours), up);
    const after = extremeHour(known.slice(-recentHours), up);
    if (before === undefined || after === undefined || (after.price - before.price) * up <= 0) return [];
    return [{ side, gap: ((before.cvd - after.cvd) * up) / range, before, after }];
  });
  return range > 0 ? found.sort((a, b) => b.gap - a.gap)[0] : undefined;
}

/** Returns the hour with the highest close, or with the lowest where `up` is −1; the first of several. */
const extremeHour = (known: readonly Point[], up: 1 | -1): Point | undefined => {
  let extreme = known[0];
  for (const point of known)
    if (extreme !== undefined && (point.price - extreme.price) * up > 0) extreme = point;
  return extreme;
};
