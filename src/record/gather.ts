import type { Logger } from 'pino';
import type { DataClient } from '../contract/data-client.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { day, hour, minute, second } from '../runtime/units.ts';
import type { OutcomeLog, PriceLook } from './outcome-log.ts';
import { priceBetween } from './price-between.ts';

interface GatherOptions {
  readonly data: Pick<DataClient, 'marketOverview' | 'candles'>;
  readonly outcomes: OutcomeLog;
  /** Outcomes and prices of different markets are not mixed. */
  readonly market: string;
  /** Market time, ms. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'debug' | 'error'>;
  readonly signal: AbortSignal;
}

/** How much later than the wanted time a price may be: the service's marks come every 5 minutes. */
const tolerance = 6 * minute;
/** How long a price is waited for. */
const patience = day;
/** Looks handled in one turn. */
const atOnce = 200;
/** Symbols whose candles are requested in one turn: the request budget is shared with the rest of the bot. */
const candlesAtOnce = 4;
/** How long the prices of a call's symbol are completed after it, which is some time after its end. */
const callsAsked = 3 * day;
/** The most candles that the service returns: 41 days. */
const candlesAsked = 1_000;

/**
 * Gathers the data of the record: the price at each alert and after each horizon, and every symbol's price at full
 * hours. A price is the first that the market overview gives at or after the wanted time, within the tolerance; an
 * earlier price would attribute earlier moves to the alert. If the bot was not running at that time, the price is
 * interpolated between two hourly prices, from candles if the service offers them, and marked as estimated.
 * @returns a function that does one turn and returns true if a price of an alert, or a symbol's candles, were stored
 */
export function createGatherer({ data, outcomes, market, now, log, signal }: GatherOptions) {
  /** The last full hour whose prices are stored or cannot be had any more. */
  let sampledHour = Number.NEGATIVE_INFINITY;
  /** Symbol → market ms at which its candles were requested; undefined once the service is known to offer none. */
  let filledAt: Map<string, number> | undefined = new Map();
  /** Symbols of alerts and calls, whose usual moves are needed, and whose candles are still to be requested. */
  const unfilled = new Set<string>();
  /** How many symbols may still have their candles requested in this turn. */
  let fillsLeft = 0;
  /** Whether candles have been stored in this turn. */
  let hasFilled = false;

  async function overview() {
    const { coins, timestamp } = await data.marketOverview({}, signal);
    return { at: Date.parse(timestamp), prices: new Map(coins.map(({ symbol, price }) => [symbol, price])) };
  }

  async function sample(seen: Awaited<ReturnType<typeof overview>> | undefined): Promise<void> {
    const at = Math.floor(now() / hour) * hour;
    if (sampledHour === at || seen === undefined) return;
    const late = seen.at - at;
    if (late < 0 && now() - at <= tolerance) return;
    if (late >= 0 && late <= tolerance)
      await outcomes.addPrices(
        market,
        [...seen.prices].map(([symbol, price]) => ({ symbol, at, price })),
      );
    sampledHour = at;
  }

  /**
   * Stores a symbol's missing hourly prices from candles, if the service offers them, unless this was done after
   * `after`. Returns false if no more candles may be requested in this turn.
   */
  async function fill(symbol: string, after: number): Promise<boolean> {
    if (filledAt === undefined || (filledAt.get(symbol) ?? Number.NEGATIVE_INFINITY) >= after) return true;
    if (fillsLeft === 0) return false;
    fillsLeft -= 1;
    const requestedAt = now();
    try {
      const answer = await data.candles({ symbol, interval: '1h', limit: candlesAsked }, signal);
      await outcomes.addPrices(market, closesOf(symbol, answer));
      hasFilled = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === 'not_offered') filledAt = undefined;
      // Candles of a symbol that the service no longer knows are not requested again today.
      if (error.reason !== 'not_offered' && error.reason !== 'invalid_request') throw error;
    }
    filledAt?.set(symbol, requestedAt);
    return true;
  }

  /** Returns the price of a look; undefined if it may still arrive. */
  async function priceOf(
    { symbol, at }: PriceLook,
    seen: Awaited<ReturnType<typeof overview>> | undefined,
  ): Promise<{ readonly price: number | null; readonly estimated: boolean } | undefined> {
    const price = seen?.prices.get(symbol);
    if (price !== undefined && seen !== undefined && seen.at >= at && seen.at - at <= tolerance)
      return { price, estimated: false };
    if (now() - at <= tolerance) return undefined;
    const hours = () => outcomes.prices(market, { symbol, since: at - hour });
    const known = priceBetween(await hours(), at);
    if (known !== undefined) return { price: known, estimated: true };
    // The hour that contains the time must have closed, and its candle must have been collected.
    const closedAt = Math.ceil(at / hour) * hour + tolerance;
    if (now() < closedAt) return undefined;
    if (!(await fill(symbol, closedAt))) return undefined;
    const brought = priceBetween(await hours(), at);
    if (brought !== undefined) return { price: brought, estimated: true };
    return now() - at > patience || filledAt === undefined ? { price: null, estimated: false } : undefined;
  }

  return async function turn(): Promise<boolean> {
    const looks = await outcomes.due(market, { now: now(), limit: atOnce });
    const hourIsNew = sampledHour !== Math.floor(now() / hour) * hour;
    if (looks.length === 0 && !hourIsNew && unfilled.size === 0) return false;
    fillsLeft = candlesAtOnce;
    hasFilled = false;
    const found: Parameters<OutcomeLog['keep']>[0][number][] = [];
    try {
      const seen = looks.length > 0 || hourIsNew ? await overview().catch(ignoreApiError) : undefined;
      if (hourIsNew) for (const symbol of await outcomes.called(now() - callsAsked)) unfilled.add(symbol);
      await sample(seen);
      for (const look of looks) {
        // A look whose candles are refused waits, and keeps no other waiting.
        const one = await priceOf(look, seen).catch(ignoreApiError);
        if (one === undefined) continue;
        found.push({ look, ...one });
        unfilled.add(look.symbol);
      }
      // The record also needs the symbols' usual moves, which can wait: a price that is there now cannot.
      for (const symbol of unfilled) {
        unfilled.delete(symbol);
        if (await fill(symbol, now() - day)) continue;
        unfilled.add(symbol);
        break;
      }
    } catch (error) {
      ignoreApiError(error);
    }
    if (found.length > 0) await outcomes.keep(found);
    return found.length > 0 || hasFilled;
  };

  /** Ignores an error of the data service: the price is requested again at the next turn. */
  function ignoreApiError(error: unknown): undefined {
    if (!(error instanceof ApiError)) throw error;
    log.debug({ err: error }, 'no price for the scorecard right now; asking again at the next turn');
  }
}

const closesOf = (symbol: string, { data }: Awaited<ReturnType<DataClient['candles']>>) =>
  data
    .map(({ open_time, c }) => ({ symbol, at: Date.parse(open_time) + hour, price: Number(c) }))
    .filter(({ price }) => Number.isFinite(price) && price > 0);

interface RecordingOptions extends Omit<GatherOptions, 'now' | 'signal'> {
  /** Called after prices of alerts have been stored. */
  readonly onPrice: () => void;
  /** Called each time: the service's clock may differ after its restart. */
  readonly clock: () => MarketClock;
  readonly wall: WallClock;
}

/** Follows what the price does after alerts. What stops it lets the step under way be stored. */
export function startRecording({ onPrice, clock, wall, ...gathering }: RecordingOptions) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const gather = createGatherer({ ...gathering, now: () => clock().now(), signal });
  const loop = startLoop(
    async () => {
      if (await gather()) onPrice();
      // So that there are two turns within the time by which a price may be late.
      return Math.min(minute, Math.max(second / 2, (2 * minute) / clock().speed));
    },
    {
      wall,
      onError(error) {
        if (!signal.aborted)
          gathering.log.error({ err: error }, 'error while recording outcomes; continuing');
      },
    },
  );
  return {
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}
