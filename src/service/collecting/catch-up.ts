import { eachBounded } from '../exchanges/bounded.ts';
import { isRefusal, isUnknown } from '../exchanges/failure.ts';
import type { AnyHistory, CollectorContext } from './collectors/collector.ts';
import { newestTime } from './pages.ts';

const maxParallel = 8;
/** After this many failing symbols the whole feed counts as failing. */
const maxProbeFailures = 3;
/** The most symbols named in the text of a problem. */
const maxNamed = 3;

interface FailedSymbol {
  readonly symbol: string;
  readonly error: unknown;
}

/**
 * Creates a function that fetches for every symbol the rows that are newer than its newest row; for a symbol far behind only
 * the newest page. A failing symbol does not stop the others. It returns what is wrong, with the symbols' names; undefined if
 * nothing is. It throws the first error if all symbols failed, or the refusal that ended the pass.
 */
export function createCatchUp(
  histories: readonly AnyHistory[],
  context: CollectorContext,
): (now: number) => Promise<string | undefined> {
  const missingOf = histories.map((history) => ({ history, missing: findMissing(history, context) }));
  return async (now) => {
    const tracked = new Set<string>();
    const failed: FailedSymbol[] = [];
    for (const { history, missing } of missingOf) {
      for (const symbol of history.symbols ?? context.symbols()) tracked.add(symbol);
      const failures = await fill(history, await missing(now), context);
      failed.push(...failures);
      const refusal = failures.find(({ error }) => isRefusal(error));
      if (refusal !== undefined) throw refusal.error;
    }
    const [first] = failed;
    if (first === undefined) return undefined;
    const symbols = [...new Set(failed.map(({ symbol }) => symbol))];
    if (symbols.length === tracked.size) throw first.error;
    const more = symbols.length > maxNamed ? ` and ${symbols.length - maxNamed} more` : '';
    return `${symbols.slice(0, maxNamed).join(', ')}${more}: ${messageOf(first.error)}`;
  };
}

interface MissingRange {
  readonly symbol: string;
  readonly from: number;
  readonly to: number;
}

/** Creates a function that returns the range of rows that each symbol lacks, up to the newest row that can exist. */
function findMissing(
  history: AnyHistory,
  context: CollectorContext,
): (now: number) => Promise<MissingRange[]> {
  /** Symbol → time of its newest row when the archive was last read. Rounds are more frequent than new rows. */
  let lastOf = new Map<string, number>();
  return async (now) => {
    const newest = newestTime(history, now);
    const oldest = newest - (history.pageSteps - 1) * history.step;
    const symbols = history.symbols ?? context.symbols();
    const lacksRows = (symbol: string) => (lastOf.get(symbol) ?? Number.NEGATIVE_INFINITY) < newest;
    if (!symbols.some(lacksRows)) return [];
    const latest = await context.archive.latest(history.series, now);
    lastOf = new Map(latest.map(({ symbol, time }) => [symbol, time]));
    const lastTime = (symbol: string) => lastOf.get(symbol) ?? 0;
    // Markets that were delisted fell behind, and come last: tried first, they would say that no row is published yet.
    const missing = symbols.filter(lacksRows).sort((a, b) => lastTime(b) - lastTime(a));
    return missing.map((symbol) => {
      const last = lastOf.get(symbol);
      // The backfill fetches the rest: the past of a symbol without any row, and the rows before the newest page.
      return {
        symbol,
        from: last === undefined ? newest : Math.max(last + history.step, oldest),
        to: newest,
      };
    });
  };
}

/**
 * Fetches the rows and returns the symbols that failed. For a history whose rows appear late, symbols are first tried one
 * by one: if a symbol has no new row, none is published yet and the others are not requested.
 */
async function fill(
  history: AnyHistory,
  missing: readonly MissingRange[],
  context: CollectorContext,
): Promise<FailedSymbol[]> {
  const fetchRange = ({ symbol, ...page }: MissingRange) =>
    history.fill(symbol, { ...page, urgent: true }, context);
  const failed: FailedSymbol[] = [];
  let probeFailures = 0;
  let remaining = missing;
  for (let isPublished = history.late !== true; !isPublished; ) {
    const [first, ...others] = remaining;
    if (first === undefined) return failed;
    remaining = others;
    try {
      isPublished = (await fetchRange(first)) > 0;
      if (!isPublished) return failed;
    } catch (error) {
      // A symbol that the exchange no longer knows says nothing about the other symbols.
      if (!isUnknown(error) && ++probeFailures === maxProbeFailures) throw error;
      failed.push({ symbol: first.symbol, error });
      if (isRefusal(error)) return failed;
    }
  }
  const others = await eachBounded(remaining, {
    limit: maxParallel,
    work: async (range) => void (await fetchRange(range)),
    stopOn: isRefusal,
  });
  return [...failed, ...others.map(({ item, error }) => ({ symbol: item.symbol, error }))];
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
