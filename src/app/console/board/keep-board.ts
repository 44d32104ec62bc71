import type { Logger } from 'pino';
import { allLiquidations } from '../../../client/all-liquidations.ts';
import type { DataClient } from '../../../contract/data-client.ts';
import type { Figure } from '../../../platforms/web/ports/board.ts';
import { closedHours } from '../../../rules/day-ago.ts';
import type { MarketClock, WallClock } from '../../../runtime/clock.ts';
import { ApiError, ifOffered } from '../../../runtime/errors.ts';
import { type Loop, startLoop } from '../../../runtime/loop.ts';
import { day, hour, minute, second } from '../../../runtime/units.ts';
import type { FilledBoard } from './board.ts';
import { settlementsShown } from './market.ts';

interface Question {
  readonly name: string;
  /** Market ms after which the question is asked again. */
  readonly every: number;
  ask(): Promise<unknown>;
}

/** Wall ms between two questions, so that the board costs little even if market time runs fast. */
const askInterval = second / 2;
/** Wall ms after which a question about all markets may be asked again, so that they leave room for those about each. */
const shortestRepeat = 10 * second;
/** Market ms after which a market's closes are asked for again: meanwhile they are taken from its prices. */
const closesEvery = 6 * hour;
/** Market ms after which a question that failed is asked again. */
const retryDelay = 15 * minute;

/**
 * Requests what the board shows and no detector requests. Asks one question at a time from the people’s share of the budget,
 * whether a page is open or not, so that a page finds the board filled and costs no request.
 */
export function keepBoard(
  board: Pick<FilledBoard, 'updatedAt' | 'symbols'>,
  {
    data,
    market,
    tracked,
    wall,
    log,
  }: {
    readonly data: DataClient;
    readonly market: () => MarketClock;
    /** Markets that the data service tracks. Empty before its first answer. */
    readonly tracked: () => readonly string[];
    readonly wall: WallClock;
    readonly log: Pick<Logger, 'error'>;
  },
): Loop {
  const dueAtByName = new Map<string, number>();
  const perMarket = (ask: (symbol: string) => readonly Question[]) => board.symbols().flatMap(ask);
  /**
   * Returns a question that detectors usually ask, if they do not, for example because another process has the role
   * `watch`.
   */
  const unlessRecent = (figure: Figure, { every, ask }: Omit<Question, 'name'>): readonly Question[] =>
    isRecent(board.updatedAt(figure), 3 * every) ? [] : [{ name: figure, every, ask }];
  /** Returns a question about one market, unless its figure has come in otherwise. */
  const unlessRecentOf = (
    figure: Figure,
    symbol: string,
    ask: () => Promise<unknown>,
  ): readonly Question[] =>
    isRecent(board.updatedAt(figure, symbol), hour)
      ? []
      : [{ name: `${figure} ${symbol}`, every: hour, ask }];
  const generalQuestions = (): readonly Question[] => [
    ...unlessRecent('price', { every: 5 * minute, ask: () => data.marketOverview({}) }),
    ...unlessRecent('regime', { every: 5 * minute, ask: () => data.regimeProbabilities({}) }),
    ...unlessRecent('funding', { every: 15 * minute, ask: () => data.fundingCurrent({}) }),
    ...unlessRecent('liquidations', { every: 5 * minute, ask: () => allLiquidations(data, { limit: 500 }) }),
    { name: 'regimes', every: hour, ask: () => data.regimeHistory({ days: 30 }) },
    { name: 'regimes of markets', every: hour / 4, ask: () => data.regimeMarkets({}) },
    {
      name: 'prices',
      every: hour,
      ask: () => data.candles({ symbol: 'BTCUSDT', interval: '1h', limit: 30 * 24 }),
    },
    { name: 'changes', every: 15 * minute, ask: () => data.prices({}) },
    { name: 'z', every: 15 * minute, ask: () => data.fundingStandings({}) },
  ];
  const marketQuestions = (): readonly Question[] => [
    ...perMarket((symbol) => [
      {
        name: `settlements ${symbol}`,
        every: 10 * day,
        ask: () => data.fundingHistory({ symbol, limit: settlementsShown }),
      },
    ]),
    ...perMarket((symbol) => [
      { name: `closes ${symbol}`, every: closesEvery, ask: () => askCloses(symbol, data) },
    ]),
    ...perMarket((symbol) => [
      ...unlessRecentOf('interest', symbol, () => data.oiMomentum({ symbol })),
      ...unlessRecentOf('basis', symbol, () => data.basis({ symbol, hours: 1 })),
      ...unlessRecentOf('ratio', symbol, () => data.lsRatioHistory({ symbol, hours: 1 })),
    ]),
  ];
  const isRecent = (at: number | undefined, within: number) =>
    at !== undefined && market().now() - at < within;

  return startLoop(
    async () => {
      if (tracked().length === 0) return askInterval;
      const now = market().now();
      const pauseOf = ({ every }: Question) => Math.max(every, shortestRepeat * market().speed);
      const dueAt = (question: Question) => {
        const { name } = question;
        const at = dueAtByName.get(name) ?? Number.NEGATIVE_INFINITY;
        // If market time has gone back, it belongs to another market.
        return at > now + pauseOf(question) ? Number.NEGATIVE_INFINITY : at;
      };
      const general = generalQuestions();
      const questions = [...general, ...marketQuestions()];
      const names = new Set(questions.map(({ name }) => name));
      // When a market returns to the board, everything about it is asked at once.
      for (const name of dueAtByName.keys()) if (!names.has(name)) dueAtByName.delete(name);
      const firstDue = (of: readonly Question[]) =>
        of
          .filter((each) => dueAt(each) <= now)
          .toSorted((a, b) => (dueAt(a) === dueAt(b) ? 0 : dueAt(a) - dueAt(b)))[0];
      // First what is shown of all markets, then the details of each: the latter may be more than there is time for.
      const next = firstDue(general) ?? firstDue(questions);
      if (next === undefined) return Math.max(askInterval, minute / market().speed);
      dueAtByName.set(next.name, now + pauseOf(next));
      try {
        await next.ask();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        dueAtByName.set(next.name, now + Math.min(retryDelay, next.every));
      }
      return askInterval;
    },
    { wall, onError: (error) => log.error({ err: error }, 'could not fill the board; retrying') },
  );
}

/** Requests the closes of a day; of a service that has no candles, the 24 that it has, which fill a day in an hour. */
async function askCloses(symbol: string, data: DataClient): Promise<void> {
  const candles = await ifOffered(data.candles({ symbol, interval: '1h', limit: closedHours }));
  if (candles === undefined) await data.intelligence({ symbol });
}
