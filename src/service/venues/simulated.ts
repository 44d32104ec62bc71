import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { MarginTiers } from '../../runtime/liquidation-price.ts';
import { day, minute } from '../../runtime/units.ts';
import type { TimeRange } from '../archive/archive.ts';
import type { MacroProvider } from '../exchanges/macro.ts';
import { everyStep } from '../simulation/every-step.ts';
import { imitateVenue, isImitated } from '../simulation/imitated-venue.ts';
import { macroCadence } from '../simulation/macro.ts';
import {
  type Instrument,
  type MacroSeries,
  type Market,
  macroSeries,
  type SimulatedUpstream,
} from '../simulation/market.ts';
import { temporaryListings } from '../simulation/temporary-listings.ts';
import type { Exchanges } from './open-exchanges.ts';
import type { OtherVenues } from './others.ts';
import { type Listing, simulatedVenue, type Venue, type VenueClient } from './venue.ts';

/** The market's list has one perpetual that has not begun and one that has ended, as real ones mostly have. */
const notTraded = [
  { symbol: 'SOONUSDT', state: 'PENDING', fundingHours: 8 },
  { symbol: 'OCEANUSDT', state: 'ENDED', fundingHours: 8 },
] as const;

/** What simulated venues ask for positions in any market: about what exchanges ask for one that is much traded. */
const simulatedTiers: MarginTiers = {
  unit: 'USD',
  tiers: [
    { upTo: 1_000_000, maintenanceRate: 0.005, maxLeverage: 100 },
    { upTo: 5_000_000, maintenanceRate: 0.01, maxLeverage: 50 },
    { upTo: 20_000_000, maintenanceRate: 0.025, maxLeverage: 20 },
    { upTo: 100_000_000, maintenanceRate: 0.05, maxLeverage: 10 },
    { upTo: 300_000_000, maintenanceRate: 0.1, maxLeverage: 5 },
  ],
};

/** What simulated upstreams answer from. */
interface PlayedMarket {
  readonly market: Market;
  /** Market time, beyond which nothing is answered. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Returns the market's present, ms. A recorded market stops at the end of its recording. */
const presentOf = ({ market, clock }: PlayedMarket): number =>
  Math.floor(Math.min(clock.now(), market.latest));

let lastTurn = Promise.resolve();
/**
 * Returns a function that answers as an upstream does, with an error during a played outage of one of the `upstreams`. Each
 * answer has a turn of the event loop: a question put to the service waits for one of a backfill's, not for one of each feed.
 */
const answering =
  (source: PlayedMarket) =>
  async <Answer>(
    endpoint: string,
    upstreams: readonly SimulatedUpstream[],
    answer: (now: number) => Answer,
  ): Promise<Answer> => {
    lastTurn = lastTurn.then(() => yieldToOthers());
    await lastTurn;
    source.signal.throwIfAborted();
    const now = presentOf(source);
    if (source.market.outages(now, now).some(({ upstream }) => upstreams.includes(upstream)))
      throw new ApiError(endpoint, 'server_error', 'no answer during an outage: asked again on schedule');
    return answer(now);
  };

/** Opens a client that answers for a venue from the market's model. */
function openSimulatedVenue({ name, roles }: Venue, source: PlayedMarket): VenueClient {
  const { market } = source;
  const imitated = imitateVenue(market, name);
  const { listed, fundingHours } = imitated;
  const isPrimary = name === simulatedVenue;
  const endpoint = `simulated ${name}`;
  const answer = answering(source);
  const ask = <Answer>(answered: (now: number) => Answer) =>
    answer(endpoint, isPrimary ? ['binance'] : [], answered);
  const askStatistics = <Answer>(answered: (now: number) => Answer) =>
    answer(endpoint, isPrimary ? ['binance', 'openInterest'] : [], answered);
  const instrumentOf = (symbol: string): Instrument => {
    const instrument = listed.get(symbol);
    if (instrument === undefined) throw new ApiError(endpoint, 'invalid_request', `${symbol} is not listed`);
    return instrument;
  };
  const all = (symbols: readonly string[]) => symbols.flatMap((symbol) => listed.get(symbol) ?? []);
  const within = ({ from, to }: TimeRange, now: number): TimeRange => ({
    from: Math.max(from, market.earliest),
    to: Math.min(to, now),
  });
  const listingOf = (instrument: Instrument, now: number): Listing => {
    const { symbol, kind } = instrument;
    const price = market.price(symbol, now);
    return {
      symbol,
      kind,
      listed: market.earliest,
      volume: imitated.volume(instrument, now),
      price,
      fundingHours: fundingHours(instrument),
    };
  };

  const client: Required<Omit<VenueClient, 'contractSizes'>> = {
    close: async () => {},
    serverTime: () => ask((now) => now),
    listings: () =>
      ask((now) => [
        ...[...listed.values()].map((instrument) => listingOf(instrument, now)),
        ...(isPrimary ? [...notTraded, ...temporaryListings(market, now)] : []).map((each) => ({
          listed: market.earliest,
          ...each,
          volume: 0,
        })),
      ]),
    candles: (symbol, { interval, page }) =>
      ask((now) => imitated.candles(instrumentOf(symbol), { ...page, interval, now })),
    funding: (of, { from, to }) =>
      ask((now) => {
        const span = { from, to: Math.min(to, now) };
        return typeof of === 'string'
          ? imitated.settlements(instrumentOf(of), span)
          : imitated.settlementsOfMany(all(of), span);
      }),
    intervals: (symbols) =>
      ask(() => all(symbols).map((each) => ({ symbol: each.symbol, hours: fundingHours(each) }))),
    marks: (symbols, at) =>
      ask((now) => all(symbols).map((each) => ({ ...imitated.mark(each, now), time: at }))),
    closes: (price, { symbol, page }) =>
      ask((now) => {
        const instrument = instrumentOf(symbol);
        return everyStep(within(page, now), 5 * minute).map((time) => {
          const { markPrice, indexPrice } = market.mark(instrument.symbol, Math.min(time + 5 * minute, now));
          return { time, close: price === 'mark' ? markPrice : indexPrice };
        });
      }),
    openInterest: (symbols, at) =>
      ask((now) => all(symbols).map((each) => ({ ...imitated.interest(each, now), time: at }))),
    pastOpenInterest: (symbol, page) =>
      askStatistics((now) => {
        const instrument = instrumentOf(symbol);
        return everyStep(within(page, now), 5 * minute).map((time) => ({
          ...imitated.interest(instrument, time),
          time,
        }));
      }),
    ratios: (of, { symbol, ...page }) =>
      askStatistics((now) => {
        const instrument = instrumentOf(symbol);
        return everyStep(within(page, now), 15 * minute).map((time) => ({
          symbol,
          time,
          longRatio: imitated.longRatio(instrument, of, time),
        }));
      }),
    prices: () =>
      ask((now) =>
        [...listed.keys()].map((symbol) => {
          const { markPrice, indexPrice } = market.mark(symbol, now);
          return { symbol, price: market.price(symbol, now), markPrice, indexPrice, time: now };
        }),
      ),
    book: (symbols) =>
      ask((now) =>
        all(symbols).map(({ symbol }) => {
          const { bidPrice, bidQuantity, askPrice, askQuantity } = market.topOfBook(symbol, now);
          const imbalance = (bidQuantity - askQuantity) / (bidQuantity + askQuantity);
          return { symbol, bidPrice, askPrice, imbalance };
        }),
      ),
    marginTiers: (symbol) => ask(() => instrumentOf(symbol) && simulatedTiers),
    pastBook: (symbol, page) =>
      answer(endpoint, [], (now) => market.books(instrumentOf(symbol).symbol, within(page, now))),
    pastLiquidations: (page) =>
      answer(endpoint, ['liquidations'], (now) => {
        const { from, to } = within(page, now);
        return imitated.liquidations({ from, to });
      }),
  };
  const always: readonly string[] = ['close', 'serverTime', 'listings'];
  const offered = Object.entries(client).filter(([method]) => always.includes(method) || method in roles);
  return Object.fromEntries(offered) as unknown as VenueClient;
}

/** Returns a venue as a simulated market imitates it: it also tells what the real one keeps to itself or does not keep. */
export const simulatedVenueOf = (venue: Venue): Venue =>
  venue.name === simulatedVenue
    ? { ...venue, roles: { ...venue.roles, marginTiers: {}, pastBook: {}, pastLiquidations: {} } }
    : venue.roles.liquidations === undefined
      ? venue
      : { ...venue, roles: { ...venue.roles, pastLiquidations: {} } };

/** The venues of a simulated or recorded market, and the other upstreams: all answer from the market's model. */
export function simulatedExchanges(venue: Venue, source: PlayedMarket): Exchanges {
  const { market } = source;
  const answer = answering(source);
  const close = async () => {};
  return {
    venue,
    markets: openSimulatedVenue(venue, source),
    deribit: {
      close,
      chain: (currency) => answer('simulated deribit', ['deribit'], (now) => market.chain(currency, now)),
      past: (currency, { from, to }) =>
        answer('simulated deribit', [], (now) => market.options(currency, { from, to: Math.min(to, now) })),
    },
    fearGreed: {
      close,
      index: (days) =>
        answer('simulated fear-greed', [], (now) => market.fearGreed(now - days * day, now).slice(-days)),
    },
    stablecoins: {
      close,
      supply: () => answer('simulated stablecoins', [], (now) => market.stablecoins(market.earliest, now)),
    },
    close,
  };
}

export const simulatedMacro = (source: PlayedMarket): MacroProvider => ({
  series: macroSeries,
  step: macroCadence,
  read: (series, { from, to }) =>
    answering(source)('simulated macro', [], (now) =>
      source.market.macro(series as MacroSeries, { from, to: Math.min(to, now) }),
    ),
});

/** Returns those of the venues that a market simulates, beside the primary one. */
export function simulatedOthers(venues: readonly Venue[], source: PlayedMarket): OtherVenues {
  const opened = venues
    .filter(({ name }) => isImitated(name))
    .map(simulatedVenueOf)
    .map((venue) => ({ venue, client: openSimulatedVenue(venue, source) }));
  return {
    except: (primary) => opened.filter(({ venue }) => venue.name !== primary),
    close: async () => {},
  };
}
