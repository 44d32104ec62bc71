import type { EndpointAnswer } from '../../contract/index.ts';
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

type Row = EndpointAnswer<'liquidations'>['data'][number];

/** The response row of each event, cached because responses over a past in memory repeat the same events. */
const rowByEvent = new WeakMap<Liquidation, Row>();

function rowOf(event: Liquidation): Row {
  const known = rowByEvent.get(event);
  if (known !== undefined) return known;
  const row = {
    symbol: event.symbol,
    side: event.side,
    price: plainDecimal(event.price),
    quantity: plainDecimal(event.quantity),
    usd_value: round(event.price * event.quantity, 2),
    event_time: iso(event.time),
  };
  rowByEvent.set(event, row);
  return row;
}
