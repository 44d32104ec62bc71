import { hour, minute } from '../runtime/units.ts';
import type { Feed, Question, Reading } from './feed.ts';

/** Only these have options. */
const currencies: Readonly<Record<string, 'BTC' | 'ETH'>> = { BTCUSDT: 'BTC', ETHUSDT: 'ETH' };

/** One question for each symbol: there is no other way to ask. */
export const symbolFeeds = {
  coin: ofSymbol({ every: 5 * minute, lasts: 30 * minute }, async (symbol, { data, now, signal }) => {
    const { price, candles24h, oiHistory } = await data.intelligence({ symbol }, signal);
    const first = candles24h[0];
    const day = first !== undefined && now - at(first.open_time) > 22 * hour ? Number(first.c) : 0;
    return [
      {
        symbol,
        time: now,
        values: { 'price.change24hPct': day > 0 ? (price / day - 1) * 100 : undefined },
      },
      ...newest(symbol, oiHistory.at(-1), ({ oi_value_usd }) => ({ 'oi.valueUsd': Number(oi_value_usd) })),
    ];
  }),
  openInterest: ofSymbol({ every: 5 * minute, lasts: 20 * minute }, async (symbol, { data, signal }) => {
    const { data: rows, current } = await data.oiMomentum({ symbol }, signal);
    return newest(symbol, current, ({ timestamp, oi, ratePct, accelerationPct }) => {
      const before = rows.findLast((row) => at(row.timestamp) <= at(timestamp) - hour)?.oi ?? 0;
      return {
        'oi.ratePct': ratePct,
        'oi.accelerationPct': accelerationPct,
        'oi.change1hPct': before > 0 ? (oi / before - 1) * 100 : undefined,
      };
    });
  }),
  basis: ofSymbol({ every: 5 * minute, lasts: 20 * minute }, async (symbol, { data, signal }) => {
    const { current } = await data.basis({ symbol, hours: 1 }, signal);
    return newest(symbol, current, ({ basisPct }) => ({ 'basis.pct': basisPct }));
  }),
  volume: ofSymbol({ every: 30 * minute, lasts: 3 * hour }, async (symbol, { data, signal }) => {
    const { data: rows, totalCvd } = await data.volumeCvd({ symbol }, signal);
    return newest(symbol, rows.at(-1), ({ buyRatio }) => ({
      'cvd.total24h': totalCvd,
      'cvd.buyPct': buyRatio,
    }));
  }),
  ratio: ofSymbol({ every: 15 * minute, lasts: hour }, async (symbol, { data, signal }) => {
    const { data: rows } = await data.lsRatioHistory({ symbol, hours: 1 }, signal);
    return newest(symbol, rows.at(-1), ({ longRatio }) => ({ 'ratio.longPct': longRatio * 100 }));
  }),
  spread: ofSymbol({ every: 5 * minute, lasts: 20 * minute }, async (symbol, { data, signal }) => {
    const { current } = await data.spread({ symbol, hours: 1 }, signal);
    return newest(symbol, current, ({ spreadPct, imbalance }) => ({
      'spread.pct': spreadPct,
      'spread.imbalance': imbalance,
    }));
  }),
  options: ofSymbol({ every: 15 * minute, lasts: hour }, async (symbol, { data, signal }) => {
    const currency = currencies[symbol];
    if (currency === undefined) return [];
    const { current } = await data.optionsSummary({ currency, hours: 1 }, signal);
    return newest(symbol, current, ({ putCallRatio, maxPain, avgIV }) => ({
      'options.putCallRatio': putCallRatio,
      'options.maxPain': maxPain,
      'options.avgIvPct': avgIV,
    }));
  }),
};

function ofSymbol(
  cadence: Pick<Feed, 'every' | 'lasts'>,
  read: (symbol: string, question: Question) => Promise<readonly Reading[]>,
): Feed {
  return { per: 'symbol', ...cadence, read: (question) => read(question.symbols[0] ?? '', question) };
}

/** What the newest row of an answer says, at its own time; nothing where there is none. */
function newest<Row extends { readonly timestamp: string }>(
  symbol: string,
  row: Row | undefined,
  values: (row: Row) => Reading['values'],
): readonly Reading[] {
  return row === undefined ? [] : [{ symbol, time: at(row.timestamp), values: values(row) }];
}

function at(timestamp: string): number {
  return Date.parse(timestamp);
}
