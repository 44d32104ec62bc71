import { type CandleInterval, candleIntervals, candleLengths } from '../../contract/candle-interval.ts';
import { contract, type EndpointAnswer } from '../../contract/index.ts';
import { ApiError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { type Derivation, derived } from '../archive/derivation.ts';
import { joinCandles } from '../archive/group-candles.ts';
import { seriesDescriptions } from '../archive/series.ts';
import { plainDecimal } from './decimal.ts';
import type { Handler } from './handler.ts';

type Row = EndpointAnswer<'candles'>['data'][number];
type Held = 'candles5m' | 'candles1h' | 'candles1d';

/** The archived candles that each interval's are made of. Those of one minute are not archived: the venue is asked for them. */
const heldFor: Readonly<Record<CandleInterval, Held | undefined>> = {
  '1m': undefined,
  '5m': 'candles5m',
  '15m': 'candles5m',
  '30m': 'candles5m',
  '1h': 'candles1h',
  '4h': 'candles1h',
  '1d': 'candles1d',
};

/** Returns a sum without the digits that binary fractions add to it. */
const amount = (sum: number): number => Number(sum.toPrecision(15));

const rowOf = ({ time, open, high, low, close, volume, quoteVolume, takerBuy }: Candle): Row => ({
  open_time: iso(time),
  o: plainDecimal(open),
  h: plainDecimal(high),
  l: plainDecimal(low),
  c: plainDecimal(close),
  v: plainDecimal(amount(volume)),
  quote_volume: plainDecimal(amount(quoteVolume)),
  taker_buy: plainDecimal(amount(takerBuy)),
});

const candleAt = (rows: Columns<Candle>, index: number): Candle => ({
  symbol: '',
  time: rows.time[index] as number,
  open: rows.open[index] as number,
  high: rows.high[index] as number,
  low: rows.low[index] as number,
  close: rows.close[index] as number,
  volume: rows.volume[index] as number,
  takerBuy: rows.takerBuy[index] as number,
  quoteVolume: rows.quoteVolume[index] as number,
});

/** Makes each candle at its last part. A candle that lacks a part is left out: its extremes and volume are not known. */
const derivationOf = (interval: CandleInterval, step: number): Derivation<Candle, Row> => {
  const length = candleLengths[interval];
  const count = length / step;
  return {
    lead: length - step,
    make(rows, index) {
      const time = (rows.time[index] as number) + step - length;
      const first = index - count + 1;
      if (time % length !== 0 || rows.time[first] !== time) return undefined;
      const opening = candleAt(rows, first);
      const others = Array.from({ length: count - 1 }, (_, part) => candleAt(rows, first + 1 + part));
      return rowOf(joinCandles([opening, ...others]));
    },
  };
};

const derivations = new Map(
  candleIntervals.flatMap((interval) => {
    const held = heldFor[interval];
    const step = held && seriesDescriptions[held].length;
    if (held === undefined || step === undefined) return [];
    return [[interval, { held, step, derivation: derivationOf(interval, step) }] as const];
  }),
);

export const candles: Handler<'candles'> = {
  needs: ['candles1h'],
  needsFor: ({ interval }) => [heldFor[interval] ?? []].flat(),
  uses: ['candles5m', 'candles1d'],
  async answer({ symbol, interval, limit }, { archive, now, universe, askCandles, state }) {
    const length = candleLengths[interval];
    // Only closed candles are returned.
    const to = Math.floor(now / length) * length - length;
    const from = to - (limit - 1) * length;
    const made = derivations.get(interval);
    const rows =
      made === undefined || !universe.includes(symbol)
        ? []
        : await derived(archive, {
            ...{ name: made.held, symbol, derivation: made.derivation },
            from: from + length - made.step,
            to: to + length - made.step,
          });
    const isTold = state.unpublished?.has('takerVolume') !== true;
    const answer = (data: readonly Row[]) => ({
      symbol,
      interval,
      data: isTold ? [...data] : data.map(({ taker_buy: _, ...row }) => row),
    });
    // The window has as many candles as were asked for, so that all are here.
    if (rows.length === limit) return answer(rows);
    if (askCandles === undefined) {
      if (made === undefined)
        throw new ApiError(contract.candles.path, 'not_offered', `candles of ${interval} are not kept`);
      return answer(rows);
    }
    const missing = rows.findIndex((row, index) => row.open_time !== iso(from + index * length));
    const complete = missing < 0 ? rows : rows.slice(0, missing);
    const asked = { interval, from: from + complete.length * length, to };
    try {
      return answer([...complete, ...(await askCandles(symbol, asked)).map(rowOf)]);
    } catch (error) {
      // What the archive has is better than nothing while the venue does not answer.
      if (error instanceof ApiError && rows.length > 0) return answer(rows);
      throw error;
    }
  },
};
