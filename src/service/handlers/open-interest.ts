import { hour, iso } from '../../runtime/units.ts';
import { oiMomentum as momentum, oiLead } from '../analytics/oi-momentum.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, lastly, requireSymbol } from './handler.ts';

export const oi: Handler<'oi'> = {
  needs: ['openInterest'],
  async answer({ symbol, limit }, context) {
    requireSymbol(symbol, context);
    const snapshots = await context.archive.last('openInterest', symbol, limit, context.now);
    return {
      symbol,
      data: snapshots.map(({ time, contracts, valueUsd }) => ({
        timestamp: iso(time),
        oi_contracts: plainDecimal(contracts),
        oi_value_usd: valueUsd.toFixed(2),
      })),
    };
  },
};

export const oiMomentum: Handler<'oiMomentum'> = {
  needs: ['openInterest'],
  async answer({ symbol, hours }, context) {
    requireSymbol(symbol, context);
    const { from, to } = lastly(hours * hour, context.now);
    const snapshots = await context.archive.read('openInterest', symbol, { from: from - oiLead, to });
    return { symbol, ...momentum(snapshots, from) };
  },
};
