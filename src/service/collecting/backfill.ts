import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { day, second } from '../../runtime/units.ts';
import type { AnyHistory } from '../collectors/collector.ts';
import { isRefusal, isUnknown } from '../exchanges/failure.ts';
import { eachBounded } from './bounded.ts';
import { messageOf } from './catch-up.ts';
import { type Gap, gapsOf, type MissingPage, pagesOf, rowsIn } from './pages.ts';
import { pauseAfter, type Running } from './rounds.ts';
import type { Universe } from './universe.ts';

/**
 * Requests under way for one feed: more of them while readiness is waited for; afterwards room is left for the present.
 */
const parallel = { needed: 8, wanted: 1 } as const;
/** An outage up to this long is repaired behind a ready service; after a longer one its windows are all but empty. */
const outageBehind = day;
/** Times a feed may fail before the service is ready without it. */
const attempts = 3;

export interface Backfill {
  /** Fills the windows without which nothing is ready. */
  fillNeeded(running: Running): Promise<void>;
  /** Fills what is missing of all windows (`all`), or of the needed ones alone. True if nothing failed. */
  repair(running: readonly Running[], all: boolean): Promise<boolean>;
  /** Share of the wanted rows that is there, 0 to 1, as far as has been looked. */
  progress(): number;
}

/**
 * Fills gaps. What is missing is read from the archive each time, so that a process may die anywhere: the next one
 * sees what is still missing and needs no other memory.
 */
export function createBackfill(universe: Universe): Backfill {
  /** Gaps that their upstream answered and did not fill, by their end: asked once in a process. */
  const unfillable = new Set<string>();
  const idOf = ({ history, symbol, gap }: MissingPage) => `${history.series} ${symbol} ${gap.to}`;
  let wanted = 0;
  let missing = 0;

  async function* missingPages(
    { histories, context, now }: Running,
    pastOf: (history: AnyHistory, symbol: string) => number,
  ): AsyncGenerator<MissingPage> {
    for (const history of histories) {
      for (const symbol of history.symbols ?? context.symbols()) {
        const window = { now: now(), past: pastOf(history, symbol), listed: universe.listed(symbol) };
        // SQLite answers at once: without a pause a hundred symbols would be looked through in one go.
        await yieldToOthers();
        for (const gap of await gapsOf(context.archive, { history, symbol, window })) {
          // Between two of its rounds it is not published yet, or the next round fetches it.
          if (gap.open && history.late === true && rowsIn(gap, history.step) <= history.pageSteps) continue;
          for (const page of pagesOf(gap, { step: history.step, pageSteps: history.pageSteps })) {
            const missingPage = { ...page, history, symbol, gap };
            if (gap.open || !unfillable.has(idOf(missingPage))) yield missingPage;
          }
        }
      }
    }
  }

  async function fill(
    pages: readonly MissingPage[],
    { limit, urgent, context }: { readonly limit: number; readonly urgent: boolean } & Running,
  ): Promise<unknown[]> {
    const answered = new Map<Gap, number>();
    const failed = await eachBounded(pages, {
      limit,
      work: async (page) => {
        context.signal.throwIfAborted();
        const { history, symbol, from, to, gap } = page;
        await history.fill(symbol, { page: { from, to, urgent }, context }).catch((error: unknown) => {
          // A symbol that its exchange no longer lists has no more past, and nothing waits for it.
          if (!isUnknown(error)) throw error;
        });
        missing -= rowsIn(page, history.step);
        answered.set(gap, (answered.get(gap) ?? 0) + 1);
      },
      ends: isRefusal,
    });
    const pagesIn = Map.groupBy(pages, ({ gap }) => gap);
    for (const [gap, own] of pagesIn) {
      if (!gap.open && answered.get(gap) === own.length) for (const page of own) unfillable.add(idOf(page));
    }
    return failed.map(({ error }) => error);
  }

  const needed = (history: AnyHistory, symbol: string) => history.needed(symbol);
  const whole = (history: AnyHistory) => history.wanted;

  return {
    async fillNeeded(running) {
      const { collector, feed, context } = running;
      for (let failures = 0; !context.signal.aborted; failures += 1) {
        let error: unknown;
        try {
          // A feed that was collected before has its windows: a short gap since then is repaired later.
          const pages = (await Array.fromAsync(missingPages(running, needed))).filter(
            ({ gap }) => gap.to - gap.from > outageBehind || !(gap.open || feed.known()),
          );
          [error] = await fill(pages, { ...running, limit: parallel.needed, urgent: true });
        } catch (cause) {
          error = cause;
        }
        if (error === undefined || context.signal.aborted) return;
        await feed.wrong(`its past cannot be filled: ${messageOf(error)}`).catch(() => {});
        if (collector.required !== true && failures + 1 >= attempts) return;
        const pause = pauseAfter(error, { failures: failures + 1, random: context.random() });
        await context.wall.sleep(Math.min(pause, 30 * second), context.signal).catch(() => {});
      }
    },

    async repair(feeds, all) {
      const plans: { running: Running; pages: MissingPage[] }[] = [];
      let lacking = 0;
      let complete = 0;
      for (const running of feeds) {
        const pages = await Array.fromAsync(missingPages(running, all ? whole : needed));
        plans.push({ running, pages });
        for (const page of pages) lacking += rowsIn(page, page.history.step);
        for (const { symbols, wanted, step } of running.histories) {
          complete += ((symbols ?? running.context.symbols()).length * wanted) / step;
        }
      }
      if (all) {
        wanted = complete;
        missing = lacking;
      }
      // Feeds spend from pools of their own: none waits for another's.
      const failures = await Promise.all(
        plans.map(({ running, pages }) => fill(pages, { ...running, limit: parallel.wanted, urgent: false })),
      );
      if (feeds.some(({ context }) => context.signal.aborted)) return false;
      const filled = failures.flat().length === 0;
      if (all && filled) missing = 0;
      return filled;
    },

    progress: () => (wanted === 0 ? 0 : Math.min(1, Math.max(0, 1 - missing / wanted))),
  };
}
