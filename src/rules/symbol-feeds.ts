import { maxDayAgo } from '../contract/day-ago.ts';
import { timeOf } from '../runtime/rows.ts';
import { hour, minute } from '../runtime/units.ts';
import { closeDayAgo } from './day-ago.ts';
import { emptyIfNotOffered, type Feed, type Question, type Reading } from './feed.ts';

const day = 24;
/** The longest past that most endpoints give, hours. */
const week = 168;
/** The longest past that is asked of the endpoints that give more, hours. */
const month = 30 * day;
/** How much older than an hour the row may be that is compared with, ms, as in /oi/movers: rows come every 5 minutes. */
const maxStep = 7.5 * minute;
/** The symbols that have options, and their currencies. */
const currencies: Readonly<Record<string, 'BTC' | 'ETH'>> = { BTCUSDT: 'BTC', ETHUSDT: 'ETH' };

/** The feeds that can only be asked about one symbol at a time. */
export const symbolFeeds = {
  coin: symbolFeed({ interval: 5 * minute, validFor: 30 * minute, pastHours: month }, (symbol, question) =>
    question.hours === undefined
      ? coinNow(symbol, question)
      : coinPast(symbol, { ...question, hours: question.hours }),
  ),
  openInterest: symbolFeed(
    // The change at the first moment asked for needs the hour before it.
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week - 1 },
    async (symbol, { data, hours, signal }) => {
      const asked = hours === undefined ? {} : { hours: Math.min(hours + 1, week) };
      const { data: rows } = await data.oiMomentum({ symbol, ...asked }, signal);
      const newestBy = newestOf(rows, timeOf);
      return readingsOf(symbol, hours === undefined ? rows.slice(-1) : rows, (row) => {
        const anHourAgo = timeOf(row) - hour;
        const earlier = newestBy(anHourAgo);
        const before = earlier === undefined || anHourAgo - timeOf(earlier) >= maxStep ? 0 : earlier.oi;
        return {
          'oi.ratePct': row.ratePct,
          'oi.accelerationPct': row.accelerationPct,
          'oi.change1hPct': before > 0 ? (row.oi / before - 1) * 100 : undefined,
        };
      });
    },
  ),
  oiVelocity: symbolFeed(
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.oiVelocity({ symbol, hours }, signal);
      return readingsOf(symbol, rows, ({ velocityPct }) => ({ 'oi.velocityPct': velocityPct }));
    },
  ),
  leverage: presentFeed(async (symbol, { data, signal }) => {
    const answer = await data.leverage({ symbol }, signal);
    return readingsOf(symbol, [answer], ({ estimatedLeverage, oiToVolume }) => ({
      'leverage.implied': estimatedLeverage,
      'leverage.oiToVolume': oiToVolume,
    }));
  }),
  liquidationScore: presentFeed(async (symbol, { data, signal }) => {
    const answer = await data.liquidationScore({ symbol }, signal);
    return readingsOf(symbol, [answer], ({ score }) => ({ 'liquidation.score': score }));
  }),
  liquidationZones: presentFeed(async (symbol, { data, signal }) => {
    const answer = await data.liquidationZones({ symbol }, signal);
    return readingsOf(symbol, [answer], ({ zones, price }) => {
      const largest = zones
        .toSorted((a, b) => b.estimatedUsd - a.estimatedUsd)
        .slice(0, Math.ceil(zones.length / 4));
      const distances = largest.map((zone) => Math.abs(zone.price / price - 1) * 100);
      return { 'liquidation.zoneDistancePct': distances.length === 0 ? undefined : Math.min(...distances) };
    });
  }),
  basis: symbolFeed(
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.basis({ symbol, hours }, signal);
      return readingsOf(symbol, rows, ({ basisPct }) => ({ 'basis.pct': basisPct }));
    },
  ),
  volume: symbolFeed(
    // The sum over the first hour asked for needs the 23 before it.
    { interval: 30 * minute, validFor: 3 * hour, pastHours: week - day + 1, length: hour },
    async (symbol, { data, hours, signal }) => {
      const asked = hours === undefined ? day : Math.min(hours + day, week);
      const { data: rows } = await data.volumeCvd({ symbol, hours: asked }, signal);
      const newestBy = newestOf(rows, timeOf);
      const begin = rows[0] === undefined ? 0 : timeOf(rows[0]);
      // The CVD is summed from the start of the answer's window. Its total over 24 h is what it has grown by since the
      // day before.
      const readings = readingsOf(symbol, rows, (row) => {
        const dayAgo = timeOf(row) - day * hour;
        const isWhole = asked === day || begin <= dayAgo + hour;
        return {
          'cvd.total24h': isWhole ? row.cvd - (newestBy(dayAgo)?.cvd ?? 0) : undefined,
          'cvd.buyPct': row.buyRatio,
        };
      });
      return readings.slice(-(hours ?? day));
    },
  ),
  ratio: symbolFeed(
    { interval: 15 * minute, validFor: hour, pastHours: month },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.lsRatioHistory({ symbol, hours }, signal);
      return readingsOf(symbol, rows, ({ longRatio }) => ({ 'ratio.longPct': longRatio * 100 }));
    },
  ),
  spread: symbolFeed(
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.spread({ symbol, hours }, signal);
      return readingsOf(symbol, rows, ({ spreadPct, imbalance }) => ({
        'spread.pct': spreadPct,
        'spread.imbalance': imbalance,
      }));
    },
  ),
  options: symbolFeed(
    { interval: 15 * minute, validFor: hour, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const currency = currencies[symbol];
      if (currency === undefined) return [];
      const { data: rows } = await data.optionsSummary({ currency, hours }, signal);
      return readingsOf(symbol, rows, ({ putCallRatio, maxPain, avgIV }) => ({
        'options.putCallRatio': putCallRatio,
        'options.maxPain': maxPain,
        'options.avgIvPct': avgIV,
      }));
    },
  ),
};

async function coinNow(symbol: string, { data, now, signal }: Question): Promise<Reading[]> {
  const [{ price, candles24h, oiHistory }, dayAgo] = await Promise.all([
    data.intelligence({ symbol }, signal),
    closeDayAgo(symbol, { data, now, signal }),
  ]);
  // The first of the answer's 24 closes is an hour younger at worst.
  const first = candles24h[0];
  const isDayOld = first !== undefined && now - Date.parse(first.open_time) > 22 * hour;
  const before = dayAgo ?? (isDayOld ? Number(first.c) : 0);
  return [
    ...readingsOf(symbol, oiHistory.slice(-1), openInterestOf),
    {
      symbol,
      time: now,
      values: { 'price.change24hPct': before > 0 ? (price / before - 1) * 100 : undefined },
    },
  ];
}

/**
 * Returns the past readings of a coin: the 24 h change at full hours, as `coinNow` would have returned it then, and the
 * open interest as far back as the service has it.
 */
async function coinPast(
  symbol: string,
  { data, hours, signal }: Question & { readonly hours: number },
): Promise<Reading[]> {
  const [candles, snapshots] = await Promise.all([
    data
      .candles({ symbol, interval: '1h', limit: hours + day }, signal)
      .then(({ data: rows }) => rows, emptyIfNotOffered),
    data.oi({ symbol, limit: 1_000 }, signal),
  ]);
  const closedAt = ({ open_time }: { readonly open_time: string }) => Date.parse(open_time) + hour;
  const newestBy = newestOf(candles, closedAt);
  return [
    ...readingsOf(symbol, snapshots.data, openInterestOf),
    ...candles.flatMap((candle) => {
      const time = closedAt(candle);
      const before = newestBy(time - day * hour);
      if (before === undefined || time - closedAt(before) >= maxDayAgo) return [];
      const change = (Number(candle.c) / Number(before.c) - 1) * 100;
      return [{ symbol, time, values: { 'price.change24hPct': change } }];
    }),
  ];
}

/**
 * Returns a function that gives the newest of the ascending rows at or before a time; undefined if there is none. It is asked
 * for ascending times. Rows are not counted instead, because hours that are missing would make the distance longer.
 */
function newestOf<Row>(
  rows: readonly Row[],
  timeOfRow: (row: Row) => number,
): (time: number) => Row | undefined {
  let count = 0;
  return (time) => {
    for (let next = rows[count]; next !== undefined && timeOfRow(next) <= time; next = rows[count])
      count += 1;
    return rows[count - 1];
  };
}

function symbolFeed(
  cadence: Omit<Feed, 'isPerSymbol' | 'read'>,
  read: (symbol: string, question: Question) => Promise<readonly Reading[]>,
): Feed {
  return { isPerSymbol: true, ...cadence, read: (question) => read(question.symbols[0] ?? '', question) };
}

/** A feed of estimates, of which the service gives the present alone. */
function presentFeed(read: (symbol: string, question: Question) => Promise<readonly Reading[]>): Feed {
  return symbolFeed({ interval: 5 * minute, validFor: 20 * minute }, read);
}

const openInterestOf = ({ oi_value_usd }: { readonly oi_value_usd: number | string }) => ({
  'oi.valueUsd': Number(oi_value_usd),
});

/** Returns a reading of each row, at the time of the row. */
function readingsOf<Row extends { readonly timestamp: string }>(
  symbol: string,
  rows: readonly Row[],
  values: (row: Row, index: number) => Reading['values'],
): Reading[] {
  return rows.map((row, index) => ({ symbol, time: Date.parse(row.timestamp), values: values(row, index) }));
}
