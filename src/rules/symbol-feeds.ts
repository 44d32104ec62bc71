import { hour, minute, msOf } from '../runtime/units.ts';
import { closeDayAgo } from './day-ago.ts';
import { emptyIfNotOffered, type Feed, type Question, type Reading } from './feed.ts';

/** Hours of a day. */
const day = 24;
/** The longest past that most endpoints give, hours. */
const week = 168;
/** The longest past that is asked of the endpoints that give more, hours. */
const month = 30 * day;
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
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours, signal }) => {
      const { data: rows } = await data.oiMomentum({ symbol, ...(hours !== undefined && { hours }) }, signal);
      // The number of rows that are at least an hour older than the row whose values are made; both move on together.
      let older = 0;
      const isOlder = (timestamp: string) => {
        const row = rows[older];
        return row !== undefined && msOf(row.timestamp) <= msOf(timestamp) - hour;
      };
      return readingsOf(symbol, {
        rows: hours === undefined ? rows.slice(-1) : rows,
        values: ({ timestamp, oi, ratePct, accelerationPct }) => {
          while (isOlder(timestamp)) older += 1;
          const before = rows[older - 1]?.oi ?? 0;
          return {
            'oi.ratePct': ratePct,
            'oi.accelerationPct': accelerationPct,
            'oi.change1hPct': before > 0 ? (oi / before - 1) * 100 : undefined,
          };
        },
      });
    },
  ),
  basis: symbolFeed(
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.basis({ symbol, hours }, signal);
      return readingsOf(symbol, { rows, values: ({ basisPct }) => ({ 'basis.pct': basisPct }) });
    },
  ),
  volume: symbolFeed(
    { interval: 30 * minute, validFor: 3 * hour, pastHours: week, length: hour },
    async (symbol, { data, hours, signal }) => {
      const asked = hours === undefined ? day : Math.min(hours + day, week);
      const { data: rows } = await data.volumeCvd({ symbol, hours: asked }, signal);
      // The CVD is summed from the start of the answer's window. Its total over 24 h is what it has grown by since the
      // day before.
      const readings = readingsOf(symbol, {
        rows,
        values: ({ cvd, buyRatio }, i) => ({
          'cvd.total24h': asked > day && i < day - 1 ? undefined : cvd - (rows[i - day]?.cvd ?? 0),
          'cvd.buyPct': buyRatio,
        }),
      });
      return readings.slice(-(hours ?? day));
    },
  ),
  ratio: symbolFeed(
    { interval: 15 * minute, validFor: hour, pastHours: month },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.lsRatioHistory({ symbol, hours }, signal);
      return readingsOf(symbol, { rows, values: ({ longRatio }) => ({ 'ratio.longPct': longRatio * 100 }) });
    },
  ),
  spread: symbolFeed(
    { interval: 5 * minute, validFor: 20 * minute, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const { data: rows } = await data.spread({ symbol, hours }, signal);
      return readingsOf(symbol, {
        rows,
        values: ({ spreadPct, imbalance }) => ({
          'spread.pct': spreadPct,
          'spread.imbalance': imbalance,
        }),
      });
    },
  ),
  options: symbolFeed(
    { interval: 15 * minute, validFor: hour, pastHours: week },
    async (symbol, { data, hours = 1, signal }) => {
      const currency = currencies[symbol];
      if (currency === undefined) return [];
      const { data: rows } = await data.optionsSummary({ currency, hours }, signal);
      return readingsOf(symbol, {
        rows,
        values: ({ putCallRatio, maxPain, avgIV }) => ({
          'options.putCallRatio': putCallRatio,
          'options.maxPain': maxPain,
          'options.avgIvPct': avgIV,
        }),
      });
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
  const isDayOld = first !== undefined && now - msOf(first.open_time) > 22 * hour;
  const before = dayAgo ?? (isDayOld ? Number(first.c) : 0);
  return [
    ...readingsOf(symbol, {
      rows: oiHistory.slice(-1),
      values: ({ oi_value_usd }) => ({ 'oi.valueUsd': Number(oi_value_usd) }),
    }),
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
  return [
    ...readingsOf(symbol, {
      rows: snapshots.data,
      values: ({ oi_value_usd }) => ({ 'oi.valueUsd': Number(oi_value_usd) }),
    }),
    ...candles.slice(day).map(({ open_time, c }, i) => ({
      symbol,
      time: msOf(open_time) + hour,
      values: { 'price.change24hPct': (Number(c) / Number(candles[i]?.c) - 1) * 100 },
    })),
  ];
}

function symbolFeed(
  cadence: Omit<Feed, 'askedPer' | 'read'>,
  read: (symbol: string, question: Question) => Promise<readonly Reading[]>,
): Feed {
  return { askedPer: 'symbol', ...cadence, read: (question) => read(question.symbols[0] ?? '', question) };
}

/** Returns a reading of each row, at the time of the row. */
function readingsOf<Row extends { readonly timestamp: string }>(
  symbol: string,
  {
    rows,
    values,
  }: { readonly rows: readonly Row[]; readonly values: (row: Row, index: number) => Reading['values'] },
): Reading[] {
  return rows.map((row, index) => ({ symbol, time: msOf(row.timestamp), values: values(row, index) }));
}
