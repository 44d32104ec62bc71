import { iso } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { Liquidation } from '../archive/archive.ts';
import { venueAndSymbol } from '../archive/identity.ts';
import { plainDecimal } from './decimal.ts';
import type { Handler } from './handler.ts';
import { comparableLegs, currentMarks } from './venue-legs.ts';

export const liquidations: Handler<'liquidations'> = {
  needs: ['liquidations'],
  async answer({ symbol, since, limit }, { archive, now }) {
    const events = await archive.liquidations({ symbol, after: afterOf(since), to: now, limit });
    return { data: events.map(rowOf) };
  },
};

export const venueLiquidations: Handler<'venueLiquidations'> = {
  needs: ['liquidations'],
  uses: ['state'],
  async answer({ symbol, since, limit }, context) {
    const { archive, now, state } = context;
    const [primary, ...others] = (state.venues ?? []).filter(({ roles }) => roles.liquidations !== undefined);
    const [events, { excluded }] = await Promise.all([
      archive.liquidations({
        venues: others.map(({ name }) => name),
        symbol,
        after: afterOf(since),
        to: now,
        limit,
      }),
      currentMarks(context, { symbol }).then((legs) =>
        comparableLegs(context, legs, ({ markPrice }) => markPrice),
      ),
    ]);
    return {
      data: events.flatMap((event) => {
        if (!event.symbol.includes('/')) return [{ venue: primary?.name ?? '', ...rowOf(event) }];
        const [venue, market] = venueAndSymbol(event.symbol);
        // One name may be a coin here and something else there.
        const isOther = excluded.get(market)?.some((leg) => leg.venue === venue) === true;
        return isOther ? [] : [{ venue, ...rowOf({ ...event, symbol: market }) }];
      }),
      coverage: [primary ?? [], others].flat().map(({ name, title, roles }) => ({
        venue: name,
        title,
        publishes: roles.liquidations?.all ? ('ALL' as const) : ('ONE_A_SECOND' as const),
      })),
    };
  },
};

const afterOf = (since: string | undefined): number | undefined =>
  since === undefined ? undefined : Date.parse(since);

const rowOf = ({ symbol, side, price, quantity, time }: Liquidation) => ({
  symbol,
  side,
  price: plainDecimal(price),
  quantity: plainDecimal(quantity),
  usd_value: round(price * quantity, 2),
  event_time: iso(time),
});
