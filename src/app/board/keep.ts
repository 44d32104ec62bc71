import type { Logger } from 'pino';
import type { DataClient } from '../../contract/data-client.ts';
import type { Figure } from '../../platforms/board.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { type Loop, startLoop } from '../../runtime/loop.ts';
import { day, hour, minute, second } from '../../runtime/units.ts';
import type { FilledBoard } from './board.ts';
import { settlementsShown } from './market.ts';

interface Question {
  readonly name: string;
  /** Market ms after which it is asked again. */
  readonly every: number;
  ask(): Promise<unknown>;
}

/** Wall ms between two questions: a market that runs fast does not make the board a burden. */
const pace = second / 2;
/** Market ms after which is asked again what could not be had. */
const patience = 15 * minute;

/**
 * Asks what the board shows and no detector asks: one question at a time, of the people’s share, whether anybody looks
 * or not, so that a page that is opened finds the board filled and costs nothing.
 */
export function keepBoard(
  board: Pick<FilledBoard, 'heard' | 'symbols'>,
  {
    data,
    market,
    tracked,
    wall,
    log,
  }: {
    readonly data: DataClient;
    readonly market: () => MarketClock;
    /** Markets that the data service tracks; none before it was heard. */
    readonly tracked: () => readonly string[];
    readonly wall: WallClock;
    readonly log: Pick<Logger, 'error'>;
  },
): Loop {
  /** When each question is due. */
  const due = new Map<string, number>();
  const each = (ask: (symbol: string) => readonly Question[]) => board.symbols().flatMap(ask);
  /** What detectors ask anyway, where they do not: another process watches, say. */
  const unlessHeard = (figure: Figure, { every, ask }: Omit<Question, 'name'>): readonly Question[] =>
    recent(board.heard(figure), 3 * every) ? [] : [{ name: figure, every, ask }];
  const general = (): readonly Question[] => [
    ...unlessHeard('price', { every: 5 * minute, ask: () => data.marketOverview({}) }),
    ...unlessHeard('regime', { every: 5 * minute, ask: () => data.regimeProbabilities({}) }),
    ...unlessHeard('funding', { every: 15 * minute, ask: () => data.fundingCurrent({}) }),
    ...unlessHeard('liquidations', { every: 5 * minute, ask: () => data.liquidations({ limit: 500 }) }),
    { name: 'regimes', every: hour, ask: () => data.regimeHistory({ days: 30 }) },
    {
      name: 'prices',
      every: hour,
      ask: () => data.candles({ symbol: 'BTCUSDT', interval: '1h', limit: 30 * 24 }),
    },
    { name: 'z', every: 15 * minute, ask: () => data.fundingStandings({}) },
  ];
  // What is shown of all markets first, then what is finer.
  const wanted = (): readonly Question[] => [
    ...general(),
    ...each((symbol) => [
      {
        name: `settlements ${symbol}`,
        every: 10 * day,
        ask: () => data.fundingHistory({ symbol, limit: settlementsShown }),
      },
    ]),
    ...each((symbol) => [
      { name: `closes ${symbol}`, every: hour, ask: () => data.intelligence({ symbol }) },
    ]),
    ...each((symbol) =>
      recent(board.heard('interest', symbol), hour)
        ? []
        : [{ name: `interest ${symbol}`, every: hour, ask: () => data.oiMomentum({ symbol }) }],
    ),
  ];
  const recent = (at: number | undefined, within: number) => at !== undefined && market().now() - at < within;

  return startLoop(
    async () => {
      if (tracked().length === 0) return pace;
      const now = market().now();
      const dueAt = ({ name, every }: Question) => {
        const at = due.get(name) ?? Number.NEGATIVE_INFINITY;
        // Market time that has gone back is another market's.
        return at > now + every ? Number.NEGATIVE_INFINITY : at;
      };
      const [next] = wanted().toSorted((a, b) => (dueAt(a) === dueAt(b) ? 0 : dueAt(a) - dueAt(b)));
      if (next === undefined || dueAt(next) > now) return Math.max(pace, minute / market().speed);
      due.set(next.name, now + next.every);
      try {
        await next.ask();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        due.set(next.name, now + Math.min(patience, next.every));
      }
      return pace;
    },
    { wall, onError: (error) => log.error({ err: error }, 'could not fill the board; retrying') },
  );
}
