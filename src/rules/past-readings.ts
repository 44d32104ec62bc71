import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Rule } from '../alert/rule.ts';
import type { DataClient } from '../contract/data-client.ts';
import { hour } from '../runtime/units.ts';
import { feeds } from './all-feeds.ts';
import { compile } from './compile.ts';
import type { Reading } from './feed.ts';
import type { FeedName } from './feed-names.ts';
import type { gather } from './gather.ts';
import { ruleIndexOf } from './rule-index.ts';

/** A reading, and since when it was available, market ms. */
interface Seen extends Reading {
  readonly at: number;
}

/** The past of everything that a rule depends on, from `since` on (market ms). `seen` is in the order of `at`. */
export interface SeenPast {
  readonly since: number;
  readonly seen: readonly Seen[];
}

/** The most requests about single symbols for the past of one rule. */
const maxQuestions = 10;
/** Rows that one statement reads: some milliseconds. */
const rowsPerPage = 100;

const readings = z.array(
  z.object({
    symbol: z.string().optional(),
    time: z.number(),
    values: z.record(z.string(), z.union([z.number(), z.string()])),
    atLeast: z.boolean().optional(),
  }),
);

/** What a past is read from. `from` and `to` are market ms. */
interface Sources {
  readonly data: DataClient;
  /** Returns the stored readings of a feed with from < at ≤ to, ascending, at most `limit`. */
  readonly page: (
    feed: FeedName,
    given: { readonly window: { readonly from: number; readonly to: number }; readonly limit: number },
  ) => Promise<readonly { readonly at: number; readonly readings: unknown }[]>;
  readonly universe: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the past of what a rule depends on: as a hosted data service gives it or, for feeds that have no past there,
 * as the bot itself has stored it. Undefined: nothing is known about one of the feeds. `'many'`: it would take too many
 * requests.
 * @throws ApiError
 */
export async function seenPast(
  rule: Rule,
  { data, page, universe, from, to, signal }: Sources,
): Promise<SeenPast | 'many' | undefined> {
  const needs = [...ruleIndexOf([{ ...rule, paused: false }]).needs(universe)];
  const questions = needs.reduce(
    (sum, [name, { size }]) => sum + (feeds[name].pastHours === undefined ? 0 : size),
    0,
  );
  if (questions > maxQuestions) return 'many';

  const metrics = new Set<string>(compile(rule).metrics);
  const relevantReadings = (
    symbols: ReadonlySet<string>,
    { rows, at }: { readonly rows: readonly Reading[]; readonly at: (row: Reading) => number },
  ): Seen[] =>
    rows.flatMap((row) => {
      if (row.symbol !== undefined && !symbols.has(row.symbol)) return [];
      const values = Object.entries(row.values).filter(([metric]) => metrics.has(metric));
      return values.length === 0 ? [] : [{ ...row, values: Object.fromEntries(values), at: at(row) }];
    });

  async function readFeed(name: FeedName, symbols: ReadonlySet<string>): Promise<Seen[]> {
    const { pastHours: past = 0, length = 0, read } = feeds[name];
    const hours = Math.min(past, Math.ceil((to - from) / hour));
    const all: Seen[] = [];
    for (const symbol of symbols) {
      const rows = await read({ data, symbols: [symbol], hours, now: to, signal });
      all.push(...relevantReadings(symbols, { rows, at: ({ time }) => time + length }));
    }
    return all;
  }

  async function readStored(name: FeedName, symbols: ReadonlySet<string>): Promise<Seen[]> {
    const all: Seen[] = [];
    for (let after = from - 1; ; ) {
      const rows = await page(name, { window: { from: after, to }, limit: rowsPerPage });
      for (const { at, readings: body } of rows) {
        const parsed = readings.safeParse(body);
        if (parsed.success)
          all.push(...relevantReadings(symbols, { rows: parsed.data as Reading[], at: () => at }));
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerPage) return all;
      after = last.at;
      await setImmediate();
    }
  }

  // A month of all markets has a million readings: too many to be the arguments of a call.
  let seen: Seen[] = [];
  let since = from;
  for (const [name, symbols] of needs) {
    const known = await (feeds[name].pastHours === undefined
      ? readStored(name, symbols)
      : readFeed(name, symbols));
    if (known.length === 0) return undefined;
    since = Math.max(
      since,
      known.reduce((first, { at }) => Math.min(first, at), to),
    );
    seen = seen.concat(known);
  }
  return { since, seen: seen.filter(({ at }) => at <= to).sort((a, b) => a.at - b.at) };
}

/**
 * Returns a function that takes the place of `gather` in a replay. It gives each reading of the past at the time at
 * which it was available. It serves one replay, forward in time.
 */
export function gatherSeen(seen: readonly Seen[]): typeof gather {
  let next = 0;
  return async (_needs, { asked, now }) => {
    const readings: Reading[] = [];
    for (let one = seen[next]; one !== undefined && one.at <= now; one = seen[next]) {
      readings.push(one);
      next += 1;
    }
    return { readings, asked };
  };
}
