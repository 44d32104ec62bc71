import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import type { Rule } from '#src/alert/rule.ts';
import type { KnownFacts } from '#src/rules/facts.ts';
import { startJudging } from '#src/rules/judging.ts';
import { emptyRuleMemory, judgeRound } from '#src/rules/round.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { LostRole } from '#src/runtime/role.ts';
import { minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { dataClient, now as start } from '#test/support/data.ts';
import { rule } from '#test/support/rules.ts';

const tracked = ['BTCUSDT', 'ETHUSDT'];
const rules: readonly Rule[] = Array.from({ length: 16 }, (_, index) => ({
  ...rule({ id: `rule${index}`, condition: `price.last > ${96 + (index % 8)}`, symbols: ['*'] }),
  mode: index % 3 === 0 ? 'once' : 'always',
  hold: index % 5 === 0 ? 30 * second : 0,
}));
const factsOf = ([btc, eth]: readonly [number, number], time: number): KnownFacts => ({
  'price.last BTCUSDT': { value: btc, time },
  'price.last ETHUSDT': { value: eth, time },
});
const said = (changes: readonly Change[]) =>
  changes.map(({ status, labels: { rule, symbol } }) => `${status} ${rule} ${symbol}`).toSorted();

/** A database, and processes that take the role one after the other. */
function fixture() {
  const clock = fakeClock(start);
  let stored: unknown;
  let known: { readonly facts: KnownFacts; readonly at: number } | undefined;
  let token = 0;
  const told: Change[] = [];
  const errors: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });

  /** Starts a process that lives until it is killed: before it has stored the next state, or right after. */
  const begin = async () => {
    token += 1;
    const own = token;
    let dies: 'before' | 'after' | undefined;
    let dead = false;
    const judging = await startJudging({
      ruleIndex: async () => ruleIndexOf(rules),
      readFacts: async (at) => (known === undefined || known.at === at ? undefined : known),
      readState: async () => structuredClone(stored),
      async storeState({ state, changes }) {
        if (dies === 'before') dead = true;
        if (dead || own !== token) throw new LostRole('rules');
        stored = JSON.parse(JSON.stringify(state));
        told.push(...changes);
        if (dies === 'after') dead = true;
      },
      endRules: async () => {},
      data: dataClient(),
      universe: () => tracked,
      now: () => clock.now(),
      wall: clock,
      log,
    });
    onTestFinished(() => judging.stop());
    return {
      stop: judging.stop,
      kill(when: 'before' | 'after') {
        dies = when;
      },
    };
  };
  return {
    clock,
    told,
    errors,
    begin,
    store(state: unknown) {
      stored = state;
    },
    /** What happens when the database is bound to another market. */
    bindAnew() {
      stored = undefined;
      known = undefined;
    },
    know(prices: readonly [number, number]) {
      known = { facts: factsOf(prices, clock.now()), at: clock.now() };
      return known.facts;
    },
  };
}

const price = fc.integer({ min: 94, max: 106 });
const minutes = fc.array(
  fc.record({
    prices: fc.tuple(price, price),
    dies: fc.constantFrom(undefined, 'before' as const, 'after' as const),
  }),
  { minLength: 2, maxLength: 12 },
);

test('whichever processes are killed, the alerts are those of a single process', async () => {
  await fc.assert(
    fc.asyncProperty(minutes, async (given) => {
      const f = fixture();
      let judged = emptyRuleMemory;
      let process = await f.begin();
      for (const { prices, dies } of given) {
        await f.clock.advance(minute - 20 * second);
        const facts = f.know(prices);
        if (dies !== undefined) process.kill(dies);
        await f.clock.advance(2 * second);
        if (dies !== undefined) {
          const next = await f.begin();
          await f.clock.advance(second);
          await process.stop();
          process = next;
        }
        await f.clock.advance(18 * second);
        const now = f.clock.now();
        const expected = await judgeRound(ruleIndexOf(rules), { judged, facts, tracked, now });
        judged = expected.judged;
        expect(said(f.told.splice(0))).toEqual(said(expected.changes));
      }
      await process.stop();
      expect(f.errors).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['whose database is bound anew judges on, and not by what it knew of the market before', undefined],
  ['that finds a state of another version starts afresh', { of: 4, shards: 'other' }],
])('a process %s', async (_, state) => {
  const f = fixture();
  const judgeAt = async (prices: readonly [number, number]) => {
    f.know(prices);
    await f.clock.advance(2 * second);
  };
  const one = await f.begin();
  await judgeAt([90, 90]);
  await one.stop();
  f.bindAnew();
  f.store(state);
  await f.begin();
  await f.clock.advance(2 * second);
  await judgeAt([97, 90]);
  expect(said(f.told)).toEqual([]);
  await judgeAt([98, 90]);
  expect(said(f.told).every((line) => line.startsWith('firing') && line.endsWith('BTCUSDT'))).toBe(true);
  expect(f.told.length).toBeGreaterThan(0);
  expect(f.errors).toEqual([]);
});
