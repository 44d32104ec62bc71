import { type Clock, type MarketClock, wallClock } from '../../runtime/clock.ts';
import { historyRoutes } from './binance/history.ts';
import { createLimits } from './binance/limits.ts';
import { presentRoutes } from './binance/present.ts';
import { binanceComplaint } from './binance/query.ts';
import { bybitAnswers } from './bybit/answers.ts';
import { hyperliquidInfo } from './hyperliquid/info.ts';
import type { Market, SimulatedUpstream } from './market.ts';
import { okxAnswers } from './okx/answers.ts';
import {
  deribitComplaint,
  deribitRoutes,
  plainComplaint,
  sentimentRoutes,
  tapeRoutes,
} from './other-upstreams.ts';
import { type Complaint, jsonAnswer, type Routes, reply, type SimulatedAnswer } from './route.ts';

export interface SimulatedAnswersOptions {
  readonly market: Market;
  /** Market time; no answer goes beyond it. */
  readonly clock: MarketClock;
  /** Counts what is used, as the exchange does; absent: the machine's. */
  readonly wall?: Clock;
  /**
   * Refuses what is beyond the limits. Otherwise the weight used is told and nothing refused: a first backfill need
   * not wait on simulated limits.
   */
  readonly limited?: boolean;
  /** Ms after its moment at which a row of /futures/data appears; 0 where not said. */
  readonly publication?: number;
}

/** Now, by the market: one that was recorded stops at its end. */
export const marketNow =
  (market: Market, clock: Clock): (() => number) =>
  () =>
    Math.floor(Math.min(clock.now(), market.latest));

/** The upstreams whose outage a path knows. */
const dependencies = (path: string): readonly SimulatedUpstream[] => {
  if (path.startsWith('/api/v2/')) return ['deribit'];
  if (path.startsWith('/futures/data/') || path === '/fapi/v1/openInterest')
    return ['binance', 'openInterest'];
  return path.startsWith('/fapi/') ? ['binance'] : [];
};

const complaintOf = (path: string): Complaint => {
  if (path.startsWith('/api/v2/')) return deribitComplaint;
  return path.startsWith('/fapi/') || path.startsWith('/futures/') ? binanceComplaint : plainComplaint;
};

/** Below which each of the other venues is played: their paths are too plain to stand beside Binance's. */
export const roots = { bybit: '/bybit', hyperliquid: '/hyperliquid', okx: '/okx' } as const;

/** What the upstreams answer to a URL, or to what is posted there. */
export function createAnswers(
  options: SimulatedAnswersOptions,
): (url: URL, posted?: string) => SimulatedAnswer {
  const { market, clock, wall = wallClock, limited = false, publication = 0 } = options;
  const now = marketNow(market, clock);
  const limits = createLimits(wall);
  const routes: Routes = {
    ...presentRoutes(market),
    ...historyRoutes(market, publication),
    ...deribitRoutes(market),
    ...sentimentRoutes(market),
    ...tapeRoutes(market),
  };

  const info = hyperliquidInfo({ market, wall, limited });
  const below = {
    bybit: bybitAnswers({ market, wall, limited }),
    okx: okxAnswers({ market, wall, limited }),
  };

  return ({ pathname: path, searchParams }, posted) => {
    const at = now();
    if (path === `${roots.hyperliquid}/info` && posted !== undefined) return info(posted, at);
    for (const venue of ['bybit', 'okx'] as const) {
      const root = roots[venue];
      if (path.startsWith(`${root}/`))
        return below[venue]({ path: path.slice(root.length), parameters: searchParams }, at);
    }
    if (market.outages(at, at).some(({ upstream }) => dependencies(path).includes(upstream))) {
      return { status: 503, body: 'Service Unavailable', headers: { 'content-type': 'text/plain' } };
    }
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) {
      return jsonAnswer(404, { error: `no such path: ${path}` });
    }
    const { status, body, weight } = reply(route, {
      parameters: searchParams,
      now: at,
      complaint: complaintOf(path),
    });
    const refused = limits.spend(path, weight);
    const used = limits.used(path);
    const headers: Record<string, string> =
      used === undefined ? {} : { 'x-mbx-used-weight-1m': String(used) };
    if (limited && refused !== undefined) {
      return { ...jsonAnswer(refused.status, refused.body), headers };
    }
    return { ...jsonAnswer(status, body), headers };
  };
}
