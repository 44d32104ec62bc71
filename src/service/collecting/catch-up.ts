import type { AnyHistory, CollectorContext } from '../collectors/collector.ts';
import { isRefusal, isUnknown } from '../exchanges/failure.ts';
import { eachBounded } from './bounded.ts';
import { newestTime } from './pages.ts';

const parallel = 8;
/** Symbols that may fail before it is the feed that fails. */
const probes = 3;
/** Symbols named in a problem. */
const named = 3;

interface Failed {
  readonly symbol: string;
  readonly error: unknown;
}

/**
 * For every symbol what is newer than its newest row; of one far behind the newest page. What fails stops nothing
 * else: gives back what is wrong, with the symbols' names, or undefined.
 * @throws what all symbols failed with, or the refusal that ended it
 */
export async function catchUp(
  histories: readonly AnyHistory[],
  { context, now }: { readonly context: CollectorContext; readonly now: number },
): Promise<string | undefined> {
  const tracked = new Set<string>();
  const failed: Failed[] = [];
  for (const history of histories) {
    for (const symbol of history.symbols ?? context.symbols()) tracked.add(symbol);
    const lacking = await lackingOf(history, { context, now });
    const failures = await fill(history, { lacking, context });
    failed.push(...failures);
    const refusal = failures.find(({ error }) => isRefusal(error));
    if (refusal !== undefined) throw refusal.error;
  }
  const [first] = failed;
  if (first === undefined) return undefined;
  const symbols = [...new Set(failed.map(({ symbol }) => symbol))];
  if (symbols.length === tracked.size) throw first.error;
  const more = symbols.length > named ? ` and ${symbols.length - named} more` : '';
  return `${symbols.slice(0, named).join(', ')}${more}: ${messageOf(first.error)}`;
}

interface Lacking {
  readonly symbol: string;
  readonly from: number;
  readonly to: number;
}

/** The rows that symbols lack, up to the newest there can be. */
async function lackingOf(
  history: AnyHistory,
  { context, now }: { readonly context: CollectorContext; readonly now: number },
): Promise<Lacking[]> {
  const newest = newestTime(history, now);
  const oldest = newest - (history.pageSteps - 1) * history.step;
  const latest = await context.archive.latest(history.series, now);
  const lastOf = new Map(latest.map(({ symbol, time }) => [symbol, time]));
  return (history.symbols ?? context.symbols()).flatMap((symbol) => {
    const last = lastOf.get(symbol);
    if (last !== undefined && last >= newest) return [];
    // The past of a symbol without any row is the backfill's; of one far behind, what is before the newest page.
    return [
      { symbol, from: last === undefined ? newest : Math.max(last + history.step, oldest), to: newest },
    ];
  });
}

/** Fetches the rows; gives back whose could not be had. */
async function fill(
  history: AnyHistory,
  { lacking, context }: { readonly lacking: readonly Lacking[]; readonly context: CollectorContext },
): Promise<Failed[]> {
  const ask = ({ symbol, ...page }: Lacking) =>
    history.fill(symbol, { page: { ...page, urgent: true }, context });
  const failed: Failed[] = [];
  let odd = 0;
  let rest = lacking;
  for (let published = history.late !== true; !published; ) {
    const [first, ...others] = rest;
    if (first === undefined) return failed;
    rest = others;
    try {
      published = (await ask(first)) > 0;
      if (!published) return failed;
    } catch (error) {
      // A symbol that its exchange no longer knows says nothing about the others.
      if (!isUnknown(error) && ++odd === probes) throw error;
      failed.push({ symbol: first.symbol, error });
      if (isRefusal(error)) return failed;
    }
  }
  const others = await eachBounded(rest, {
    limit: parallel,
    work: async (one) => void (await ask(one)),
    ends: isRefusal,
  });
  return [...failed, ...others.map(({ item, error }) => ({ symbol: item.symbol, error }))];
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
