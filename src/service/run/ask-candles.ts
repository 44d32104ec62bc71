import { type CandleInterval, candleLengths } from '../../contract/candle-interval.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { Candle, TimeRange } from '../archive/archive.ts';
import { isPossible } from '../archive/possible.ts';
import { pagesOf } from '../collecting/pages.ts';
import { publicationLag } from '../collecting/rounds.ts';
import { isUnknown } from '../exchanges/failure.ts';
import type { AskCandles } from '../handlers/handler.ts';
import type { Exchanges } from '../venues/open-exchanges.ts';

/** Of how many markets and intervals the last candles are kept: a thousand candles are some 150 kB. */
const keptQuestions = 100;

/** What is listed may have no past yet, and then some venues know no such market. @throws the error, if it says something else */
const none = (error: unknown): readonly Candle[] => {
  if (!isUnknown(error)) throw error;
  return [];
};

interface Question extends TimeRange {
  readonly rows: Promise<readonly Candle[]>;
}

/**
 * Returns a function that asks the primary venue for closed candles that the archive does not have, within the venue's
 * limits. Of a market's interval it asks once in a candle, however many people want to see it.
 */
export function createAskCandles({
  exchanges,
  clock,
  wall,
  signal,
}: {
  readonly exchanges: () => Exchanges | undefined;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
}): AskCandles {
  const asked = new Map<string, Question>();

  const fetch = async (
    { venue, markets }: Exchanges,
    {
      symbol,
      interval,
      from,
      to,
    }: { readonly symbol: string; readonly interval: CandleInterval } & TimeRange,
  ): Promise<readonly Candle[]> => {
    const { candles: role } = venue.roles;
    if (role === undefined || markets.candles === undefined)
      throw new ApiError('/candles', 'not_offered', `${venue.title} does not publish candles`);
    const length = candleLengths[interval];
    // A candle may still change for a moment after its end.
    await wall.sleep(Math.max(0, clock.wallUntil(to + length + publicationLag)), signal);
    const rows: Candle[] = [];
    const oldest = Math.max(from, to - (role.kept ?? Number.POSITIVE_INFINITY) * length);
    for (const page of pagesOf({ from: oldest, to }, length, role.rows).reverse())
      rows.push(
        ...(await markets.candles(symbol, { interval, page: { ...page, urgent: true } }).catch(none)),
      );
    const isAsked = ({ time }: Candle) => time >= from && time <= to && time % length === 0;
    // A venue may send its rows in any order, and one of them twice.
    const byTime = new Map(
      rows.filter((row) => isAsked(row) && isPossible(row)).map((row) => [row.time, row]),
    );
    return [...byTime.values()].sort((a, b) => a.time - b.time);
  };

  return (symbol, { interval, from, to }) => {
    const current = exchanges();
    if (current === undefined)
      return Promise.reject(new ApiError('/candles', 'server_error', 'no venue has been chosen yet'));
    const key = `${current.venue.name} ${symbol} ${interval}`;
    const known = asked.get(key);
    if (known !== undefined && known.from <= from && known.to === to)
      return known.rows.then((rows) => rows.filter(({ time }) => time >= from));
    const rows = fetch(current, { symbol, interval, from, to });
    const question = { from, to, rows };
    asked.delete(key);
    asked.set(key, question);
    rows.catch(() => asked.get(key) === question && asked.delete(key));
    for (const oldest of asked.keys()) {
      if (asked.size <= keptQuestions) break;
      asked.delete(oldest);
    }
    return rows;
  };
}
