import { closeDayBefore, maxDayAgo } from '../../contract/day-ago.ts';
import { contract } from '../../contract/index.ts';
import { InputError } from '../../runtime/errors.ts';
import { day, hour, iso, minute } from '../../runtime/units.ts';
import { basisLabel, basisRows } from '../analytics/basis.ts';
import { completeSince } from '../analytics/complete-since.ts';
import { volumeDelta } from '../analytics/cvd.ts';
import { ratioRows } from '../analytics/ratios.ts';
import { describeRegime } from '../analytics/regime.ts';
import { masterScore } from '../analytics/signal.ts';
import { spread as spreadOf, spreadRows } from '../analytics/spread.ts';
import { round } from '../analytics/statistics.ts';
import { derived } from '../archive/derivation.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, lastWindow, noDataYet, requireSymbol } from './handler.ts';
import { newestRegime } from './regime.ts';
import { coinSignals, fearGreedAt } from './signals.ts';
import { locateRows } from './venue-rows.ts';

/** Returns the newer of mark price and last close, with its time. */
const newestPrice = (
  mark: { readonly time: number; readonly markPrice: number } | undefined,
  candle: { readonly time: number; readonly close: number } | undefined,
): { readonly price: number; readonly time: number } | undefined => {
  const closed = candle && { price: candle.close, time: candle.time + hour };
  const marked = mark && { price: mark.markPrice, time: mark.time };
  return closed === undefined || (marked !== undefined && marked.time >= closed.time) ? marked : closed;
};

const bySymbol = <Row extends { readonly symbol: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.symbol, row]));

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
      const last = newestPrice(marks.get(symbol), candle);
      if (candle !== undefined && last !== undefined && settlements.has(symbol))
        newest = Math.max(newest, last.time);
    }
    // A coin that has no price or settlement yet (listed today, for example) gets no row: no value is made up.
    const coins = [...signals].flatMap(([symbol, signal]) => {
      const last = newestPrice(marks.get(symbol), candles.get(symbol));
      const funding = settlements.get(symbol)?.rate;
      if (last === undefined || funding === undefined) return [];
      return [{ symbol, price: last.price, signal, funding, master: masterScore(signal, regime.multiplier) }];
    });
    coins.sort((a, b) => Math.abs(b.signal) - Math.abs(a.signal) || (a.symbol < b.symbol ? -1 : 1));
    return {
      coins,
      regime: regime.label,
      ...(await fearGreedAt(context, newestHour)),
      timestamp: iso(newest),
    };
  },
};

/** How much older than an hour the price may be that one of an hour ago is compared with, ms. */
const hourSlack = 10 * minute;
/** What is older than this is not of now, ms. */
const markFreshFor = 15 * minute;
const ratioFreshFor = hour;

const changePct = (price: number, before: number | undefined): number | undefined =>
  before === undefined || !(before > 0) ? undefined : round((price / before - 1) * 100, 4);

export const prices: Handler<'prices'> = {
  needs: ['candles1h'],
  uses: ['marks', 'topRatio'],
  async answer(_query, { archive, now, universe }) {
    const [marks, candles, ratios, marksBefore, closesBefore] = await Promise.all([
      archive.latest('marks', now).then(bySymbol),
      archive.latest('candles1h', now - hour).then(bySymbol),
      archive.latest('topRatio', now).then(bySymbol),
      archive.readAll('marks', { from: now - 2 * hour - hourSlack, to: now - hour }),
      archive.readAll('candles1h', { from: now - maxDayAgo - 2 * hour, to: now - day - hour }),
    ]);
    const hourAgo = Map.groupBy(marksBefore, ({ symbol }) => symbol);
    const dayAgo = Map.groupBy(closesBefore, ({ symbol }) => symbol);
    const data = universe.flatMap((symbol) => {
      const mark = marks.get(symbol);
      const ratio = ratios.get(symbol);
      const last = newestPrice(mark, candles.get(symbol));
      if (last === undefined) return [];
      const { price, time } = last;
      const before = hourAgo.get(symbol)?.findLast((row) => row.time <= time - hour);
      const closes = (dayAgo.get(symbol) ?? []).map((row) => [row.time + hour, row.close] as const);
      const isHourOld = before !== undefined && time - before.time <= hour + hourSlack;
      return [
        {
          symbol,
          price,
          timestamp: iso(time),
          change1hPct: isHourOld ? changePct(price, before.markPrice) : undefined,
          change24hPct: changePct(price, closeDayBefore(closes, time)),
          basisPct:
            mark && now - mark.time <= markFreshFor ? changePct(mark.markPrice, mark.indexPrice) : undefined,
          longRatio: ratio && now - ratio.time <= ratioFreshFor ? round(ratio.longRatio, 4) : undefined,
        },
      ];
    });
    return { data, count: data.length };
  },
};

export const intelligence: Handler<'intelligence'> = {
  needs: ['candles1h', 'funding', 'regimes'],
  uses: ['marks', 'openInterest', 'topRatio', 'observations'],
  async answer({ symbol }, context) {
    requireSymbol(symbol, context);
    const { archive, now } = context;
    const newestHour = await newestRegime(context, contract.intelligence.path);
    const regime = describeRegime(newestHour);
    const [signals, [mark], candles, settlements, snapshots] = await Promise.all([
      coinSignals(context, [symbol]),
      archive.last('marks', { symbol, count: 1, to: now }),
      archive.columns('candles1h', { symbol, count: 24, to: now - hour }),
      archive.columns('funding', { symbol, count: 10, to: now }),
      archive.columns('openInterest', { symbol, count: 24, to: now }),
    ]);
    const [time, close] = [candles.time.at(-1), candles.close.at(-1)];
    const last = newestPrice(mark, time === undefined || close === undefined ? undefined : { time, close });
    const signal = signals.get(symbol);
    const funding = settlements.rate.at(-1);
    if (last === undefined || signal === undefined || funding === undefined) {
      const missing = `price and settlement of ${symbol}`;
      // A perpetual that was listed today first settles hours later: it does not help to ask again in a moment.
      if ((await archive.latest('funding', now)).length > 0) throw new InputError(`no ${missing} yet`);
      throw noDataYet(contract.intelligence.path, missing);
    }
    return {
      symbol,
      price: last.price,
      funding,
      signal,
      regime: regime.label,
      regimeScore: regime.score,
      ...(await fearGreedAt(context, newestHour)),
      candles24h: Array.from(candles.time, (time, index) => ({
        open_time: iso(time),
        c: plainDecimal(candles.close[index] as number),
      })),
      // Getters, so that the decimals are written only for callers that read them.
      get fundingHistory() {
        return Array.from(settlements.time, (time, index) => ({
          timestamp: iso(time),
          rate: (settlements.rate[index] as number).toFixed(8),
        }));
      },
      get oiHistory() {
        return Array.from(snapshots.time, (time, index) => ({
          timestamp: iso(time),
          oi_value_usd: (snapshots.valueUsd[index] as number).toFixed(2),
        }));
      },
    };
  },
};

export const basis: Handler<'basis'> = {
  needs: ['marks'],
  uses: ['venueMarks', 'state'],
  async answer({ symbol, hours, venue }, context) {
    const question = { path: contract.basis.path, symbol, venue };
    const { venueFields, ...rows } = await locateRows('marks', question, context);
    const window = lastWindow(hours * hour, context.now);
    const data = await derived(context.archive, { ...window, ...rows, derivation: basisRows });
    const current = data.at(-1);
    return {
      ...venueFields,
      symbol,
      data,
      dataPoints: data.length,
      ...(current === undefined ? {} : { current }),
      signal: basisLabel(current?.basisPct ?? 0),
    };
  },
};

export const volumeCvd: Handler<'volumeCvd'> = {
  needs: ['candles1h', 'takerVolume'],
  async answer({ symbol, hours }, context) {
    requireSymbol(symbol, context);
    // Hours that closed within the window.
    const window = lastWindow(hours * hour, context.now - hour);
    const candles = await context.archive.columns('candles1h', { symbol, window });
    return { symbol, ...volumeDelta(candles) };
  },
};

export const lsRatioHistory: Handler<'lsRatioHistory'> = {
  needs: ['globalRatio'],
  needsFor: ({ type }) => (type === 'top_position' ? ['topRatio'] : []),
  uses: ['topRatio'],
  async answer({ symbol, hours, type }, context) {
    requireSymbol(symbol, context);
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
    requireSymbol(symbol, context);
    const { archive, now } = context;
    const window = lastWindow(hours * hour, now);
    const rows = await derived(archive, { ...window, name: 'book', symbol, derivation: spreadRows });
    return Object.assign(spreadOf(symbol, rows), {
      completeSince: completeSince(rows, window.from, 5 * minute),
    });
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
      ...(current === undefined ? {} : { current }),
      signal: current === undefined ? 'NEUTRAL' : optionsSignal(current.putCallRatio),
    };
  },
};
