import { day, hour, iso } from '../../runtime/units.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, requireSymbol } from './handler.ts';

export const candles: Handler<'candles'> = {
  needs: ['candles1h'],
  uses: ['candles1d'],
  async answer({ symbol, interval, limit }, context) {
    requireSymbol(symbol, context);
    const { archive, now } = context;
    // Only closed candles are returned.
    const rows =
      interval === '1d'
        ? await archive.last('candles1d', { symbol, count: limit, to: now - day })
        : await archive.last('candles1h', { symbol, count: limit, to: now - hour });
    return {
      symbol,
      interval,
      data: rows.map(({ time, open, high, low, close, volume, quoteVolume }) => ({
        open_time: iso(time),
        o: plainDecimal(open),
        h: plainDecimal(high),
        l: plainDecimal(low),
        c: plainDecimal(close),
        v: plainDecimal(volume),
        quote_volume: plainDecimal(quoteVolume),
      })),
    };
  },
};
