import { setImmediate } from 'node:timers/promises';
import type { Rule } from '../alert/rule.ts';
import { RuleIndex } from './rule-index.ts';

/** The stored rules of all places. Watchlists are replaced by their symbols. */
export interface RuleLog {
  /** Returns a number that rises with every change of any rule. */
  revision(): Promise<number>;
  /** Returns the ids and revisions of rules in the order of ids, at most `limit`, from the id after `after` on. */
  revisions(after: string, limit: number): Promise<{ readonly id: string; readonly revision: number }[]>;
  read(ids: readonly string[]): Promise<Rule[]>;
  /** Ends rules that fire only once and have fired. */
  end(ids: readonly string[]): Promise<void>;
}

/** Rows that one statement reads and, `chunkSize`, conditions that are read before other work gets a turn: some milliseconds. */
const pageSize = 5_000;
const chunkSize = 200;

/** Returns the index of all rules, brought up to date. */
export type LiveRules = () => Promise<RuleIndex>;

/** Returns a function that gives the index of all rules. Only rules that changed are read from the store. */
export function liveRules(log: Omit<RuleLog, 'end'>): LiveRules {
  const ruleIndex = new RuleIndex();
  const revisionById = new Map<string, number>();
  let readRevision = -1;
  let lastReading: Promise<unknown> = Promise.resolve();

  async function readChanges(): Promise<void> {
    const revision = await log.revision();
    if (revision === readRevision) return;
    const goneIds = new Set(revisionById.keys());
    const changed: { readonly id: string; readonly revision: number }[] = [];
    for (let after = ''; ; ) {
      const rows = await log.revisions(after, pageSize);
      for (const row of rows) {
        goneIds.delete(row.id);
        if (revisionById.get(row.id) !== row.revision) changed.push(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) break;
      after = last.id;
      await setImmediate();
    }
    for (const id of goneIds) {
      ruleIndex.remove(id);
      revisionById.delete(id);
    }
    for (let start = 0; start < changed.length; start += chunkSize) {
      const rows = changed.slice(start, start + chunkSize);
      for (const rule of await log.read(rows.map(({ id }) => id))) ruleIndex.put(rule);
      for (const { id, revision } of rows) revisionById.set(id, revision);
      await setImmediate();
    }
    readRevision = revision;
  }

  return () => {
    const reading = lastReading.then(async () => {
      await readChanges();
      return ruleIndex;
    });
    lastReading = reading.catch(() => {});
    return reading;
  };
}
