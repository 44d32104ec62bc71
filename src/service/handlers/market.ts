import { contract, type EndpointAnswer } from '../../contract/index.ts';
import { timeOf } from '../../runtime/rows.ts';
import { hour, iso, minute } from '../../runtime/units.ts';
import { basisLabel, basisRows } from '../analytics/basis.ts';
import { volumeDelta } from '../analytics/cvd.ts';
import { describeRegime } from '../analytics/regime.ts';
import { masterScore } from '../analytics/signal.ts';
import { spread as spreadOf, spreadRows } from '../analytics/spread.ts';
import { round } from '../analytics/statistics.ts';
import type { Mark, Ratio } from '../archive/archive.ts';
import { columnsOf } from '../archive/columns.ts';
import { type Derivation, derived } from '../archive/derivation.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, lastWindow, noDataYet } from './handler.ts';
import { bySymbol, newestPrice } from './newest-price.ts';
import { newestRegime } from './regime.ts';
import { coinSignals, fearGreedAt } from './signals.ts';
import { locateRows } from './venue-rows.ts';

export const marketOverview: Handler<'marketOverview'> = {
  needs: ['candles1h', 'funding', 'regimes'],
  uses: ['marks', 'topRatio', 'observations'],
  async answer(_query, context) {
    const { archive, now } = context;
    const newestHour = await newestRegime(context, contract.marketOverview.path);
    const regime = describeRegime(newestHour);
    const [signals, marks, candles, settlements] = await Promise.all([
      coinSignals(context, context.universe),
      archive.latest('marks', now).then(bySymbol),
      archive.latest('candles1h', now - hour).then(bySymbol),
      archive.latest('funding', now).then(bySymbol),
    ]);
    let newest = newestHour.time + hour;
    for (const symbol of context.tracked ?? context.universe) {
      const candle = candles.get(symbol);
      const last = newestPrice(undefined, marks.get(symbol), candle);
      if (candle !== undefined && last !== undefined && settlements.has(symbol))
        newest = Math.max(newest, last.time);
    }
    // A coin that has no price or settlement yet (listed today, for example) gets no row: no value is made up.
    const coins = [...signals].flatMap(([symbol, signal]) => {
      const last = newestPrice(undefined, marks.get(symbol), candles.get(symbol));
      const funding = settlements.get(symbol)?.rate;
      if (last === undefined || funding === undefined) return [];
      return [{ symbol, price: last.price, signal, funding, master: masterScore(signal, regime.multiplier) }];
    });
    coins.sort((a, b) => Math.abs(b.signal) - Math.abs(a.signal) || (a.symbol < b.symbol ? -1 : 1));
    return {
      coins,
      regime: regime.label,
      fearGreed: await fearGreedAt(context, newestHour),
      timestamp: iso(newest),
    };
  },
};

export const intelligence: Handler<'intelligence'> = {
  needs: ['candles1h', 'funding', 'regimes'],
  uses: ['marks', 'openInterest', 'topRatio', 'observations', 'listed'],
  async answer({ symbol }, context) {
    const { archive, now } = context;
    const listed = context.listed?.get(symbol);
    const newestHour = await newestRegime(context, contract.intelligence.path);
    const regime = describeRegime(newestHour);
    const [signals, [mark], candles, settlements, snapshots] = await Promise.all([
      coinSignals(context, [symbol]),
      archive.last('marks', { symbol, count: 1, to: now }),
      archive.last('candles1h', { symbol, count: 24, to: now - hour }),
      archive.last('funding', { symbol, count: 10, to: now }),
      archive.last('openInterest', { symbol, count: 24, to: now }),
    ]);
    // Of the cadence that is stated, and the same from every service on one archive; what was heard stands in where nothing is kept.
    const kept = newestPrice(undefined, mark ?? listed?.mark, candles.at(-1))?.price;
    const price = kept ?? context.prices?.of(symbol)?.price ?? listed?.price;
    if (price === undefined) throw noDataYet(contract.intelligence.path, `price of ${symbol}`);
    const funding = settlements.at(-1)?.rate ?? listed?.mark?.estFunding;
    const interest = snapshots.length === 0 ? [listed?.interest ?? []].flat() : snapshots;
    return {
      symbol,
      price,
      funding,
      signal: signals.get(symbol),
      followedSince: listed?.askedSince === undefined ? undefined : iso(listed.askedSince),
      regime: regime.label,
      regimeScore: regime.score,
      fearGreed: await fearGreedAt(context, newestHour),
      candles24h: candles.map(({ time, close }) => ({ open_time: iso(time), c: plainDecimal(close) })),
      fundingHistory: settlements.map(({ time, rate }) => ({ timestamp: iso(time), rate: rate.toFixed(8) })),
      oiHistory: interest.map(({ time, valueUsd }) => ({
        timestamp: iso(time),
        oi_value_usd: valueUsd.toFixed(2),
      })),
    };
  },
};

/** Returns the row of a mark that is all that is known; none if it lacks a price. */
function basisOf(mark: Mark) {
  const row = basisRows.make(columnsOf([mark], ['markPrice', 'indexPrice', 'estFunding']), 0);
  return row === undefined ? [] : [row];
}

export const basis: Handler<'basis'> = {
  needs: ['marks'],
  uses: ['venueMarks', 'listed', 'state'],
  async answer({ symbol, hours, venue }, context) {
    const question = { path: contract.basis.path, symbol, venue };
    const { venueFields, ...rows } = await locateRows('marks', question, context);
    const window = lastWindow(hours * hour, context.now);
    const past = await derived(context.archive, { ...window, ...rows, derivation: basisRows });
    const mark = rows.name === 'marks' ? context.listed?.get(symbol)?.mark : undefined;
    const data = past.length === 0 && mark !== undefined ? basisOf(mark) : past;
    const current = data.at(-1);
    return {
      ...venueFields,
      symbol,
      data,
      dataPoints: data.length,
      current,
      signal: basisLabel(current?.basisPct ?? 0),
    };
  },
};

export const volumeCvd: Handler<'volumeCvd'> = {
  needs: ['candles1h', 'takerVolume'],
  async answer({ symbol, hours }, context) {
    // Hours that closed within the window.
    const window = lastWindow(hours * hour, context.now - hour);
    const candles = await context.archive.columns('candles1h', { symbol, window });
    return { symbol, ...volumeDelta(candles) };
  },
};

/**
 * Returns the time of the first row after the last hole; undefined if there is no hole. What a venue no longer keeps, or never
 * sent, cannot be fetched later: a window that begins with a hole says so, as one with a hole in it does.
 * @param rows ascending, within a window that begins at `from`, market ms
 * @param usual the longest time between two rows that is no hole, ms
 */
export function completeSince(
  rows: readonly { readonly timestamp: string }[],
  from: number,
  usual: number,
): string | undefined {
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const [row, before] = [rows[index], rows[index - 1]];
    if (row !== undefined && timeOf(row) - (before === undefined ? from : timeOf(before)) > usual)
      return row.timestamp;
  }
  return undefined;
}

/** Computes the shares as published: both have 4 decimals, and they sum to 1. */
export const ratioRows: Derivation<Ratio, EndpointAnswer<'lsRatioHistory'>['data'][number]> = {
  lead: 0,
  make(ratios, index) {
    const long = round(ratios.longRatio[index] as number, 4);
    return { timestamp: iso(ratios.time[index] as number), longRatio: long, shortRatio: round(1 - long, 4) };
  },
};

export const lsRatioHistory: Handler<'lsRatioHistory'> = {
  needs: ['globalRatio'],
  needsFor: ({ type }) => (type === 'top_position' ? ['topRatio'] : []),
  uses: ['topRatio'],
  async answer({ symbol, hours, type }, context) {
    const { archive, now } = context;
    const name = type === 'top_position' ? 'topRatio' : 'globalRatio';
    const window = lastWindow(hours * hour, now);
    const data = await derived(archive, { ...window, name, symbol, derivation: ratioRows });
    return {
      symbol,
      type,
      data,
      dataPoints: data.length,
      completeSince: completeSince(data, window.from, 25 * minute),
    };
  },
};

export const spread: Handler<'spread'> = {
  needs: ['book'],
  async answer({ symbol, hours }, context) {
    const { archive, now } = context;
    const window = lastWindow(hours * hour, now);
    const rows = await derived(archive, { ...window, name: 'book', symbol, derivation: spreadRows });
    return { ...spreadOf(symbol, rows), completeSince: completeSince(rows, window.from, 5 * minute) };
  },
};

/** Classifies a put/call ratio by the thresholds of the interface (rule 6). */
const optionsSignal = (putCallRatio: number) =>
  putCallRatio < 0.7 ? 'BULLISH_OPTIONS' : putCallRatio > 1.2 ? 'BEARISH_OPTIONS' : 'NEUTRAL';

export const optionsSummary: Handler<'optionsSummary'> = {
  needs: ['options'],
  async answer({ currency, hours }, { archive, now }) {
    const rows = await archive.read('options', { symbol: currency, window: lastWindow(hours * hour, now) });
    const data = rows
      .filter(({ callOI }) => callOI > 0)
      .map(({ time, callOI, putOI, maxPain, avgIV }) => ({
        timestamp: iso(time),
        callOI: round(callOI, 4),
        putOI: round(putOI, 4),
        putCallRatio: round(putOI / callOI, 4),
        maxPain,
        avgIV: round(avgIV, 2),
      }));
    const current = data.at(-1);
    return {
      currency,
      data,
      dataPoints: data.length,
      current,
      signal: current === undefined ? 'NEUTRAL' : optionsSignal(current.putCallRatio),
    };
  },
};
