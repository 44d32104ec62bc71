import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { day, second } from '../../runtime/units.ts';
import { eachBounded } from '../exchanges/bounded.ts';
import { isInvalid, isRefusal, isUnknown } from '../exchanges/failure.ts';
import { messageOf } from './catch-up.ts';
import type { AnyHistory } from './collectors/collector.ts';
import { type Gap, gapsOf, type MissingPage, pagesOf, rowsIn } from './pages.ts';
import { pauseAfter, type RunningCollector } from './rounds.ts';
import type { Universe } from './universe.ts';

/**
 * The most requests under way for one feed: more until the service is ready; afterwards room is left for requests for the
 * present.
 */
const maxParallel = { beforeReady: 8, afterReady: 1 } as const;
/**
 * The longest outage that is repaired after the service is ready, ms. A longer outage leaves the windows almost empty, so it
 * is repaired before.
 */
const maxBackgroundOutage = day;
/** What is told of the progress at most while only what is needed is loaded: more is wanted. */
const mostBeforeReady = 0.99;
/** After this many failures, the service becomes ready without the feed. */
const maxAttempts = 3;

export interface Backfill {
  /** Fills the windows that the service needs to be ready. */
  fillNeeded(running: RunningCollector): Promise<void>;
  /** Fills the gaps in all windows (`all`), or only in the needed ones. Returns true if nothing failed that a repetition may mend. */
  repair(running: readonly RunningCollector[], all: boolean): Promise<boolean>;
  /** Fetches what answers need of a market's past, before everything else. @throws the first error, if anything failed */
  fetch(symbol: string, running: readonly RunningCollector[]): Promise<void>;
  /**
   * Returns the share of the wanted rows that the archive has, 0 to 1, as of the last repair of all; before the first one, the
   * share of those that the service needs to be ready, below 1.
   */
  progress(): number;
}

/**
 * Creates the backfill, which fills gaps. The gaps are read from the archive each time. A process may therefore stop
 * anywhere: the next process finds the remaining gaps without any other state.
 * @param lag ms that a row must have been due: a row due since is left to the rounds, because a candle asked for at its end
 * may still be running at the exchange, and would be stored as if it were complete
 */
export function createBackfill(universe: Universe, { lag = 0 }: { readonly lag?: number } = {}): Backfill {
  /**
   * Gaps, identified by their end, that the upstream has responded to: they are requested once per process, whether or not
   * the response filled them. Each has the market time from which on it lies before every window, so that a process that
   * runs for years can forget it.
   */
  const answered = new Map<string, number>();
  const idOf = ({ history, symbol, gap }: MissingPage) => `${history.series} ${symbol} ${gap.to}`;
  const count = createCount();

  const missingPages = async (running: RunningCollector, wanted: WantedPast) =>
    (await Array.fromAsync(pagesWanted(running, { ...wanted, universe, lag }))).filter(
      (page) => page.gap.open || !answered.has(idOf(page)),
    );

  async function fill(
    pages: readonly MissingPage[],
    {
      limit,
      urgent,
      context,
      now,
      onFilled = () => {},
    }: {
      readonly limit: number;
      readonly urgent: boolean;
      /** Called with the number of rows that were asked for. */
      readonly onFilled?: ((rows: number) => void) | undefined;
    } & RunningCollector,
  ): Promise<unknown[]> {
    const answeredPages = new Map<Gap, number>();
    const failed = await eachBounded(pages, {
      limit,
      work: async (page) => {
        context.signal.throwIfAborted();
        const { history, symbol, to, gap } = page;
        // Since the page was planned, its beginning may have left what the exchange keeps, which would refuse the whole page.
        const from = Math.max(page.from, now() - history.wanted);
        if (from <= to)
          await history.fill(symbol, { from, to, urgent }, context).catch((error: unknown) => {
            // A symbol that its exchange no longer lists has no past to fetch; this is not a failure.
            if (!isUnknown(error)) throw error;
          });
        onFilled(rowsIn(page, history.step));
        answeredPages.set(gap, (answeredPages.get(gap) ?? 0) + 1);
      },
      stopOn: isRefusal,
    });
    const pagesIn = Map.groupBy(pages, ({ gap }) => gap);
    for (const [gap, gapPages] of pagesIn) {
      if (!gap.open && answeredPages.get(gap) === gapPages.length)
        for (const page of gapPages)
          answered.set(idOf(page), gap.to + page.history.wanted + 2 * page.history.step);
    }
    return failed.map(({ error }) => error);
  }

  return {
    async fillNeeded(running) {
      const { collector, feed, context } = running;
      count.begin(running);
      for (let failures = 0; !context.signal.aborted; failures += 1) {
        let error: unknown;
        try {
          // A feed that was collected before has its windows already: a short gap since then is repaired later.
          const pages = (await missingPages(running, { pastOf: neededPast })).filter(
            ({ gap }) => gap.to - gap.from > maxBackgroundOutage || !(gap.open || feed.hasSucceeded()),
          );
          const onFilled = count.needed(running, rowsOf(pages));
          [error] = await fill(pages, { ...running, limit: maxParallel.beforeReady, urgent: true, onFilled });
        } catch (cause) {
          error = cause;
        }
        if (error === undefined || context.signal.aborted) return;
        await feed.recordProblem(`its past cannot be filled: ${messageOf(error)}`).catch(() => {});
        if (collector.required !== true && failures + 1 >= maxAttempts) return;
        const pause = pauseAfter(error, failures + 1, context.random());
        await context.wall.sleep(Math.min(pause, 30 * second), context.signal).catch(() => {});
      }
    },

    async fetch(symbol, feeds) {
      const failures = await Promise.all(
        feeds.map(async (running) => {
          const pages = await missingPages(running, { pastOf: neededPast, only: symbol });
          return fill(pages, { ...running, limit: maxParallel.beforeReady, urgent: true });
        }),
      );
      const [error] = failures.flat();
      if (error !== undefined) throw error;
    },

    async repair(feeds, all) {
      const now = Math.min(...feeds.map((running) => running.now()));
      for (const [id, past] of answered) if (past < now) answered.delete(id);
      const plans: { running: RunningCollector; pages: MissingPage[] }[] = [];
      const rows = { total: 0, missing: 0 };
      for (const running of feeds) {
        const pages = await missingPages(running, { pastOf: all ? wantedPast : neededPast });
        plans.push({ running, pages });
        rows.missing += rowsOf(pages);
        for (const { symbols, wanted, step } of running.histories) {
          rows.total += ((symbols ?? running.context.symbols()).length * wanted) / step;
        }
      }
      const onFilled = all ? count.all(rows) : undefined;
      // Feeds spend request limits from pools of their own, so no feed waits for another.
      const failures = await Promise.all(
        plans.map(({ running, pages }) =>
          fill(pages, { ...running, limit: maxParallel.afterReady, urgent: false, onFilled }),
        ),
      );
      if (feeds.some(({ context }) => context.signal.aborted)) return false;
      // Invalid rows are the same when they are asked for again at once: the next pass that is due asks for them.
      const filled = failures.flat().every(isInvalid);
      if (all && filled) count.all({ ...rows, missing: 0 });
      return filled;
    },

    progress: count.progress,
  };
}

const neededPast = (history: AnyHistory, symbol: string) => history.needed(symbol);
const wantedPast = (history: AnyHistory) => history.wanted;

/** Counts how many rows are wanted, and how many of these are missing: of what each feed needs at the start, then of all. */
function createCount() {
  /** By feed; undefined: not counted yet. */
  const needs = new Map<RunningCollector, Count | undefined>();
  let whole: Count = { total: 0, missing: 0 };
  const shareOf = ({ total, missing }: Count) => Math.min(1, Math.max(0, 1 - missing / total));
  const fill = (of: Count) => (rows: number) => {
    of.missing -= rows;
  };
  return {
    begin: (running: RunningCollector) => void needs.set(running, undefined),
    needed(running: RunningCollector, missing: number) {
      const need = { total: needs.get(running)?.total ?? missing, missing };
      needs.set(running, need);
      return fill(need);
    },
    all(given: Count) {
      whole = given;
      return fill(whole);
    },
    progress() {
      if (whole.total > 0) return shareOf(whole);
      const needed = { total: 0, missing: 0 };
      for (const need of needs.values()) {
        // The share of those that are counted could be nearly all of them, and fall when the others are.
        if (need === undefined) return 0;
        needed.total += need.total;
        needed.missing += need.missing;
      }
      return needed.total === 0 ? 0 : Math.min(mostBeforeReady, shareOf(needed));
    },
  };
}
interface Count {
  readonly total: number;
  missing: number;
}

const rowsOf = (pages: readonly MissingPage[]): number =>
  pages.reduce((sum, page) => sum + rowsIn(page, page.history.step), 0);

interface WantedPast {
  /** Returns how much of a symbol's past is wanted, ms. */
  readonly pastOf: (history: AnyHistory, symbol: string) => number;
  /** The only market whose past is wanted, even if its newest rows may not be published yet. Absent: that of all. */
  readonly only?: string;
}

/** Finds the pages that the archive lacks. */
async function* pagesWanted(
  { histories, context, now }: RunningCollector,
  { pastOf, only, universe, lag }: WantedPast & { readonly universe: Universe; readonly lag: number },
): AsyncGenerator<MissingPage> {
  for (const history of histories) {
    if (only !== undefined && history.symbols !== undefined) continue;
    for (const symbol of only === undefined ? (history.symbols ?? context.symbols()) : [only]) {
      const past = pastOf(history, symbol);
      const window = { now: now() - lag, past, listedAt: universe.listedAt(symbol) };
      // SQLite responds synchronously: without a pause, the check of a hundred symbols would block everything else.
      await yieldToOthers();
      for (const gap of await gapsOf(context.archive, { history, symbol, window })) {
        // The rows of a short open gap in a late history are not published yet, or the next round fetches them.
        const isLate = gap.open && history.late === true && rowsIn(gap, history.step) <= history.pageSteps;
        if (isLate && only === undefined) continue;
        for (const page of pagesOf(gap, history.step, history.pageSteps))
          yield { ...page, history, symbol, gap };
      }
    }
  }
}
