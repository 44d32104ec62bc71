import { iso } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { Liquidation } from '../archive/archive.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, requireSymbol } from './handler.ts';

export const liquidations: Handler<'liquidations'> = {
  needs: ['liquidations'],
  async answer({ symbol, since, limit }, context) {
    if (symbol !== undefined) requireSymbol(symbol, context);
    const events = await context.archive.liquidations({
      ...(symbol === undefined ? {} : { symbol }),
      ...(since === undefined ? {} : { after: Date.parse(since) }),
      to: context.now,
      limit,
    });
    return { data: events.map(rowOf) };
  },
};

const rowOf = ({ symbol, side, price, quantity, time }: Liquidation) => ({
  symbol,
  side,
  price: plainDecimal(price),
  quantity: plainDecimal(quantity),
  usd_value: round(price * quantity, 2),
  event_time: iso(time),
});
