import { setImmediate } from 'node:timers/promises';
import type { Rule } from '../alert/rule.ts';
import { RuleBook } from './book.ts';

/** All rules of all places, as they are kept. Watchlists are spelled out. */
export interface RuleLog {
  /** Rises with every change of any rule. */
  revision(): Promise<number>;
  /** In the order of ids, from the one after `after`. */
  revisions(after: string, limit: number): Promise<{ readonly id: string; readonly revision: number }[]>;
  read(ids: readonly string[]): Promise<Rule[]>;
  /** Those that were to fire once, and have. */
  end(ids: readonly string[]): Promise<void>;
}

/** Rows of one statement, and conditions read before others have their turn: some milliseconds. */
const page = 5_000;
const chunk = 200;

/** The book of all rules kept, brought up to date each time it is asked for: only what changed is read. */
export function liveBook(log: Omit<RuleLog, 'end'>): () => Promise<RuleBook> {
  const book = new RuleBook();
  const known = new Map<string, number>();
  let upTo = -1;

  return async () => {
    const revision = await log.revision();
    if (revision === upTo) return book;
    const gone = new Set(known.keys());
    const changed: { readonly id: string; readonly revision: number }[] = [];
    for (let after = ''; ; ) {
      const rows = await log.revisions(after, page);
      for (const row of rows) {
        gone.delete(row.id);
        if (known.get(row.id) !== row.revision) changed.push(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < page) break;
      after = last.id;
      await setImmediate();
    }
    for (const id of gone) {
      book.remove(id);
      known.delete(id);
    }
    for (let start = 0; start < changed.length; start += chunk) {
      const rows = changed.slice(start, start + chunk);
      for (const rule of await log.read(rows.map(({ id }) => id))) book.put(rule);
      for (const { id, revision } of rows) known.set(id, revision);
      await setImmediate();
    }
    upTo = revision;
    return book;
  };
}
