import { contract } from '../../contract/index.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import { judgeZones } from '../analytics/judge-zones.ts';
import { simulateCascade } from '../analytics/liquidation-cascade.ts';
import { liquidationRisk } from '../analytics/liquidation-score.ts';
import { openPositions, usdNear, zonesOf, zonesWindow } from '../analytics/liquidation-zones.ts';
import { oiVelocity, velocityLead } from '../analytics/oi-velocity.ts';
import { seededRandom } from '../analytics/seeded-random.ts';
import { newestZ, standardDeviation } from '../analytics/statistics.ts';
import { type Handler, type HandlerContext, lastWindow, noDataYet } from './handler.ts';

const week = 7 * day;
/** Percent of the price within which positions count as near. */
const nearPct = 2;
const maxLiquidations = 100_000;

/** Returns the estimated positions of a symbol, and the newest snapshot of open interest that they are based on. */
async function positionsOf(symbol: string, context: HandlerContext, endpoint: string) {
  const { archive, now } = context;
  const snapshots = await archive.read('openInterest', {
    symbol,
    window: lastWindow(zonesWindow + velocityLead, now),
  });
  const last = snapshots.findLast(({ contracts, valueUsd }) => contracts > 0 && valueUsd > 0);
  if (last === undefined) throw noDataYet(endpoint, 'open interest', symbol);
  return { ...openPositions(snapshots), snapshots, last, price: last.valueUsd / last.contracts };
}

export const liquidationZones: Handler<'liquidationZones'> = {
  needs: ['openInterest'],
  uses: ['candles1h', 'liquidations'],
  async answer({ symbol }, context) {
    const { path } = contract.liquidationZones;
    const { positions, coverage, last, price } = await positionsOf(symbol, context, path);
    const zones = zonesOf(positions, price);
    const today = Math.floor(context.now / day);
    const judged = await context.figures.in(String(today), `zones ${symbol}`, () =>
      judgedZones(symbol, today * day, context),
    );
    return { symbol, estimate: true, price, zones, coverage, judged, timestamp: iso(last.time) };
  },
};

/** How many days before the present one are judged: open interest is kept for a month, of which a map needs a week. */
const judgedDays = 24;

/** Judges the maps of the days that are over by `end`. */
async function judgedZones(symbol: string, end: number, { archive }: HandlerContext) {
  const from = end - judgedDays * day;
  const window = { from: from - zonesWindow, to: end - 1 };
  const [snapshots, candles, liquidations] = await Promise.all([
    archive.read('openInterest', { symbol, window }),
    archive.read('candles1h', { symbol, window: { from, to: end - hour } }),
    archive.liquidations({ symbol, after: from - 1, to: end - 1, limit: maxLiquidations }),
  ]);
  // The same for everyone who asks on the same day.
  return judgeZones({ snapshots, candles, liquidations }, seededRandom(end / day));
}

export const liquidationCascade: Handler<'liquidationCascade'> = {
  needs: ['openInterest', 'candles1h'],
  async answer({ symbol, movePct }, context) {
    const { path } = contract.liquidationCascade;
    const { positions, last, price } = await positionsOf(symbol, context, path);
    const candles = await context.archive.read('candles1h', {
      symbol,
      window: lastWindow(week, context.now - hour),
    });
    if (candles.length < 24) throw noDataYet(path, 'day of candles', symbol);
    const returns = candles.map(({ open, close }) => Math.log(close / open));
    const volume = candles.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0);
    const cascade = simulateCascade({
      price,
      movePct,
      positions,
      dailyVolatility: standardDeviation(returns) * Math.sqrt(24),
      dailyVolumeUsd: (volume / candles.length) * 24,
    });
    const rounds = [...cascade.rounds];
    const timestamp = iso(last.time);
    return { symbol, estimate: true, movePct, startPrice: price, ...cascade, rounds, timestamp };
  },
};

export const liquidationScore: Handler<'liquidationScore'> = {
  needs: ['openInterest', 'liquidations'],
  uses: ['funding'],
  async answer({ symbol }, context) {
    const { path } = contract.liquidationScore;
    const { positions, snapshots, last, price } = await positionsOf(symbol, context, path);
    const { archive, now } = context;
    const [events, settlements] = await Promise.all([
      archive.liquidations({ symbol, after: now - week, to: now, limit: maxLiquidations }),
      archive.read('funding', { symbol, window: lastWindow(30 * day, now) }),
    ]);
    const velocities = oiVelocity(snapshots, now - week).data.map(({ velocityPct }) => velocityPct);
    const rates = settlements.map(({ rate }) => rate);
    const sides = usdNear(positions, price, nearPct);
    const { score, components } = liquidationRisk({
      liquidations: newestZ(hourlyUsd(events, now), 24),
      openInterest: newestZ(velocities, 24),
      funding: newestZ(rates, 20),
      proximity: (sides.LONG + sides.SHORT) / last.valueUsd,
    });
    return {
      symbol,
      estimate: true,
      score,
      sideAtRisk: sides.LONG > sides.SHORT ? 'LONG' : sides.SHORT > sides.LONG ? 'SHORT' : 'BALANCED',
      components,
      timestamp: iso(Math.max(last.time, events[0]?.time ?? 0)),
    };
  },
};

/** Returns the USD liquidated in each hour counted back from `now`, oldest first, from the hour of the oldest event. */
function hourlyUsd(
  events: readonly { readonly time: number; readonly price: number; readonly quantity: number }[],
  now: number,
): number[] {
  const age = ({ time }: { readonly time: number }) => Math.floor((now - time) / hour);
  const oldest = events.at(-1);
  if (oldest === undefined) return [];
  const hours = new Array<number>(age(oldest) + 1).fill(0);
  for (const event of events) hours[age(event)] = (hours[age(event)] ?? 0) + event.price * event.quantity;
  return hours.reverse();
}
