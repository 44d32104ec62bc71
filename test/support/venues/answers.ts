import { type Clock, type MarketClock, wallClock } from '#src/runtime/clock.ts';
import type { Market, SimulatedUpstream } from '#src/service/simulation/market.ts';
import { historyRoutes } from './binance/history.ts';
import { createLimits } from './binance/limits.ts';
import { presentRoutes } from './binance/present.ts';
import { binanceErrorBody } from './binance/query.ts';
import { bybitAnswers } from './bybit/answers.ts';
import { hyperliquidInfo } from './hyperliquid/info.ts';
import { okxAnswers } from './okx/answers.ts';
import { deribitErrorBody, deribitRoutes, plainErrorBody, sentimentRoutes } from './other-upstreams.ts';
import { type ErrorBodyOf, jsonAnswer, type Routes, reply, type SimulatedAnswer } from './route.ts';

export interface SimulatedAnswersOptions {
  readonly market: Market;
  /** Market time; no answer goes beyond it. */
  readonly clock: MarketClock;
  /** The clock by which the limits are counted. Absent: the system clock. */
  readonly wall?: Clock;
  /**
   * Whether requests beyond the limits are refused. If not, the used weight is still reported, but nothing is refused, so
   * that a first backfill does not wait for simulated limits.
   */
  readonly limited?: boolean;
  /** Delay after its timestamp with which a row of /futures/data appears, market ms. Absent: 0. */
  readonly publicationDelay?: number;
}

/** Returns a function that gives the current market time. In a recorded market it stops at the end of the recording. */
export const marketNow =
  (market: Market, clock: Clock): (() => number) =>
  () =>
    Math.floor(Math.min(clock.now(), market.latest));

/** Returns the upstreams whose simulated outages affect the path. */
const upstreamsOf = (path: string): readonly SimulatedUpstream[] => {
  if (path.startsWith('/api/v2/')) return ['deribit'];
  if (path.startsWith('/futures/data/') || path === '/fapi/v1/openInterest')
    return ['binance', 'openInterest'];
  return path.startsWith('/fapi/') ? ['binance'] : [];
};

const errorBodyFor = (path: string): ErrorBodyOf => {
  if (path.startsWith('/api/v2/')) return deribitErrorBody;
  return path.startsWith('/fapi/') || path.startsWith('/futures/') ? binanceErrorBody : plainErrorBody;
};

/** Path prefixes of the other simulated venues. They keep the venues' paths apart from Binance's and from each other. */
export const venueRoots = { bybit: '/bybit', hyperliquid: '/hyperliquid', okx: '/okx' } as const;

/** Returns a function that gives the simulated upstreams' response to a URL and, for POST, to the posted body. */
export function createAnswers(
  options: SimulatedAnswersOptions,
): (url: URL, posted?: string) => SimulatedAnswer {
  const { market, clock, wall = wallClock, limited = false, publicationDelay = 0 } = options;
  const now = marketNow(market, clock);
  const limits = createLimits(wall);
  const routes: Routes = {
    ...presentRoutes(market),
    ...historyRoutes(market, publicationDelay),
    ...deribitRoutes(market),
    ...sentimentRoutes(market),
  };

  const info = hyperliquidInfo({ market, wall, limited });
  const venueAnswers = {
    bybit: bybitAnswers({ market, wall, limited }),
    okx: okxAnswers({ market, wall, limited }),
  };

  return ({ pathname: path, searchParams }, posted) => {
    const at = now();
    if (path === `${venueRoots.hyperliquid}/info` && posted !== undefined) return info(posted, at);
    for (const venue of ['bybit', 'okx'] as const) {
      const root = venueRoots[venue];
      if (path.startsWith(`${root}/`))
        return venueAnswers[venue]({ path: path.slice(root.length), parameters: searchParams }, at);
    }
    if (market.outages(at, at).some(({ upstream }) => upstreamsOf(path).includes(upstream))) {
      return { status: 503, body: 'Service Unavailable', headers: { 'content-type': 'text/plain' } };
    }
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) {
      return jsonAnswer(404, { error: `no such path: ${path}` });
    }
    const { status, body, weight } = reply(route, {
      parameters: searchParams,
      now: at,
      errorBody: errorBodyFor(path),
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
