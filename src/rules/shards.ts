import { z } from 'zod';
import { type RuleEntries, ruleEntries } from './entries.ts';
import { type KnownFacts, knownFacts } from './facts.ts';

/** The prefix of a shard's role, before its number. The state of the shard's rules is stored under the role. */
export const shardPrefix = 'rules:';
export const shardRole = (shard: number): string => `${shardPrefix}${shard}`;

/**
 * Returns the shard that a rule is in, of so many: by a hash of its id alone (FNV-1a), so that a rule moves only if the
 * number of shards changes.
 */
export function shardOf(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  // The higher bits are mixed in, because the last bits alone depend on few bits of each letter.
  return ((hash ^ (hash >>> 15)) >>> 0) % shards;
}

/** The facts that rules were last judged by, and what is remembered of each rule. */
export interface RuleMemory {
  readonly facts: KnownFacts;
  readonly entries: RuleEntries;
}
export const emptyRuleMemory: RuleMemory = { facts: {}, entries: {} };

/** The stored form of a shard's memory. `of`: how many shards there were. */
export const shardState = z.object({ of: z.int().default(1), facts: knownFacts, entries: ruleEntries });

/**
 * Divides the stored states of shards anew if there was another number of shards. What is remembered of a rule moves
 * with it. Undefined: the states are for this number already. A state that cannot be read is from another version: its
 * rules start afresh, without firing for what is true already.
 */
export function divide(
  storedStates: ReadonlyMap<string, unknown>,
  shardCount: number,
): ReadonlyMap<string, z.output<typeof shardState>> | undefined {
  const states = [...storedStates.values()].flatMap((state) => shardState.safeParse(state).data ?? []);
  if (
    storedStates.size === shardCount &&
    states.length === shardCount &&
    states.every((state) => state.of === shardCount)
  )
    return undefined;
  const facts = oldestFacts(states);
  const shards = Array.from({ length: shardCount }, () => ({
    of: shardCount,
    facts,
    entries: {} as RuleEntries,
  }));
  for (const { entries } of states) {
    for (const [id, entry] of Object.entries(entries)) {
      const shard = shards[shardOf(id, shardCount)];
      if (shard !== undefined) shard.entries[id] = entry;
    }
  }
  return new Map(shards.map((shard, index) => [shardRole(index), shard]));
}

/**
 * Returns the oldest value of each fact. All shards were last judged by the same facts, except for a shard that no
 * process held at the end. With the oldest facts nothing is missed that became true since, and what fires already is
 * remembered.
 */
function oldestFacts(states: readonly RuleMemory[]): KnownFacts {
  const facts: KnownFacts = {};
  for (const [key, fact] of states.flatMap((state) => Object.entries(state.facts)))
    if (facts[key] === undefined || fact.time < facts[key].time) facts[key] = fact;
  return facts;
}
