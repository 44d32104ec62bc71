import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RuleEntries } from '#src/rules/entries.ts';
import { divide, shardOf, shardRole, shardState } from '#src/rules/shards.ts';

const ids = fc.uniqueArray(fc.stringMatching(/^[bcdfghjkmnpqrstvwxz23456]{8}$/), { maxLength: 40 });
const shards = fc.integer({ min: 1, max: 9 });
const entryOf = (id: string): RuleEntries[string] => ({
  BTCUSDT: { phase: 'firing', since: id.charCodeAt(0) },
});
const kept = (states: ReadonlyMap<string, unknown>) =>
  new Map([...states].map(([name, state]) => [name, JSON.parse(JSON.stringify(state)) as unknown]));

test('a rule is in exactly one shard of any number, always the same', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), shards, (id, count) => {
      const shard = shardOf(id, count);
      expect(Number.isInteger(shard) && shard >= 0 && shard < count).toBe(true);
      expect(shardOf(id, count)).toBe(shard);
    }),
  );
  // Fixed values: stored states rely on this division.
  expect(['r1', 'bcdfghjk', 'zx654321'].map((id) => shardOf(id, 4))).toEqual([3, 2, 1]);
});

test.each([2, 4, 8])('shards have similar sizes: %i', (count) => {
  const sizes = Array.from({ length: count }, () => 0);
  const alphabet = 'bcdfghjkmnpqrstvwxz23456';
  for (let rule = 0; rule < 24_000; rule += 1) {
    const id = Array.from({ length: 8 }, (_, at) => alphabet[Math.floor(rule / 24 ** (at % 4)) % 24]).join(
      '',
    );
    const shard = shardOf(id, count);
    sizes[shard] = (sizes[shard] ?? 0) + 1;
  }
  for (const size of sizes) expect(Math.abs(size * count - 24_000)).toBeLessThan(2_400);
});

test('a rule takes its state with it through any numbers of shards, once', () => {
  fc.assert(
    fc.property(ids, fc.array(shards, { minLength: 1, maxLength: 5 }), (rules, numbers) => {
      const first = { facts: {}, entries: Object.fromEntries(rules.map((id) => [id, entryOf(id)])) };
      let states: ReadonlyMap<string, unknown> = new Map([[shardRole(0), first]]);
      for (const count of numbers) {
        states = kept(divide(states, count) ?? states);
        expect([...states.keys()].toSorted()).toEqual(
          Array.from({ length: count }, (_, shard) => shardRole(shard)).toSorted(),
        );
        const read = [...states].map(([name, state]) => ({ name, ...shardState.parse(state) }));
        for (const { name, entries } of read)
          for (const id of Object.keys(entries)) expect(shardRole(shardOf(id, count))).toBe(name);
        const all = read.flatMap(({ entries }) => Object.entries(entries));
        expect(all.toSorted()).toEqual(rules.map((id) => [id, entryOf(id)] as const).toSorted());
        expect(divide(states, count)).toBeUndefined();
      }
    }),
  );
});

test('all shards continue from the facts that all have seen; if one is behind, from the older ones', () => {
  const facts = (value: number, time: number) => ({ 'price.last BTCUSDT': { value, time } });
  const states = new Map<string, unknown>([
    [shardRole(0), { of: 2, facts: facts(101, 20), entries: {} }],
    [shardRole(1), { of: 2, facts: facts(99, 10), entries: {} }],
  ]);
  expect(divide(states, 1)).toEqual(new Map([[shardRole(0), { of: 1, facts: facts(99, 10), entries: {} }]]));
});

test('every shard has a state from the beginning, and one that cannot be read starts afresh', () => {
  const none = { of: 2, facts: {}, entries: {} };
  const two = new Map([0, 1].map((shard) => [shardRole(shard), none] as const));
  expect(divide(new Map(), 2)).toEqual(two);
  const broken = new Map<string, unknown>(two).set(shardRole(1), { entries: 'what is this' });
  expect(divide(broken, 2)).toEqual(two);
});
