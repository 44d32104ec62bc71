import { z } from 'zod';
import { type RuleEntries, ruleEntries } from './entries.ts';
import { type KnownFacts, knownFacts } from './facts.ts';

/** Before its number: a shard's role, and the state of its rules. */
export const shardPrefix = 'rules:';
export const shardRole = (shard: number): string => `${shardPrefix}${shard}`;

/** Which of so many shards a rule is in: by its id alone, so that nothing but another number of shards moves it. FNV-1a. */
export function shardOf(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  // Its last bits alone would be those of the last letter.
  return ((hash ^ (hash >>> 15)) >>> 0) % shards;
}

/** Of rules: by what they were judged last, and what is remembered of each. */
export interface RuleMemory {
  readonly facts: KnownFacts;
  readonly entries: RuleEntries;
}
export const unjudged: RuleMemory = { facts: {}, entries: {} };

/** As it is kept: `of` how many shards it is one. */
export const shardState = z.object({ of: z.int().default(1), facts: knownFacts, entries: ruleEntries });

/**
 * The states of all shards, divided anew where they were stored for another number of shards: each rule takes along
 * what is remembered of it. Undefined: they are for this number already. A state that cannot be read is of another
 * version: its rules begin anew, without firing for what is true already.
 */
export function divide(
  kept: ReadonlyMap<string, unknown>,
  of: number,
): ReadonlyMap<string, z.output<typeof shardState>> | undefined {
  const states = [...kept.values()].flatMap((state) => shardState.safeParse(state).data ?? []);
  if (kept.size === of && states.length === of && states.every((state) => state.of === of)) return undefined;
  const facts = oldest(states);
  const shards = Array.from({ length: of }, () => ({ of, facts, entries: {} as RuleEntries }));
  for (const { entries } of states) {
    for (const [id, entry] of Object.entries(entries)) {
      const shard = shards[shardOf(id, of)];
      if (shard !== undefined) shard.entries[id] = entry;
    }
  }
  return new Map(shards.map((shard, index) => [shardRole(index), shard]));
}

/**
 * All shards were judged by the same facts, except one that had no process when all ended. The oldest facts are taken,
 * so that nothing that became true since is missed; what fires already is remembered.
 */
function oldest(states: readonly RuleMemory[]): KnownFacts {
  const facts: KnownFacts = {};
  for (const [key, fact] of states.flatMap((state) => Object.entries(state.facts)))
    if (facts[key] === undefined || fact.time < facts[key].time) facts[key] = fact;
  return facts;
}
