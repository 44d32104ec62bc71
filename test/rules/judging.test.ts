import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import type { Rule } from '#src/alert/rule.ts';
import type { KnownFacts } from '#src/rules/facts.ts';
import { type Judging, startJudging } from '#src/rules/judging.ts';
import { judgeRound } from '#src/rules/round.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { divide, emptyRuleMemory, shardOf, shardRole } from '#src/rules/shards.ts';
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

/** A database, and processes on it that start and end. */
function fixture() {
  const clock = fakeClock(start);
  let states: ReadonlyMap<string, unknown> = new Map();
  let known: { readonly facts: KnownFacts; readonly at: number } | undefined;
  const tokens = new Map<string, number>();
  const told: Change[] = [];
  const errors: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });

  /** Starts a process that lives until it is killed: before it has stored its next shard, or right after. */
  const begin = (of: number) => {
    let dies: 'before' | 'after' | undefined;
    let dead = false;
    const judging = startJudging({
      shardCount: of,
      ruleIndexes: async (shards) =>
        shards.map((shard) => ruleIndexOf(rules.filter(({ id }) => shardOf(id, of) === shard))),
      readFacts: async (at) => (known === undefined || known.at === at ? undefined : known),
      readState: async (role) => structuredClone(states.get(role)),
      async storeState({ role, token }, { state, changes }) {
        if (dies === 'before') dead = true;
        if (dead || tokens.get(role) !== token) throw new LostRole(role);
        states = new Map([...states, [role, JSON.parse(JSON.stringify(state))]]);
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
      judging,
      kill(when: 'before' | 'after') {
        dies = when;
      },
    };
  };
  const take = async (process: { readonly judging: Judging }, shard: number) => {
    const role = shardRole(shard);
    const token = (tokens.get(role) ?? 0) + 1;
    tokens.set(role, token);
    return process.judging.hold(shard, { role, token });
  };
  return {
    clock,
    told,
    errors,
    begin,
    take,
    redivide(of: number) {
      const made = divide(states, of);
      if (made !== undefined) states = new Map([...made].map(([name, one]) => [name, structuredClone(one)]));
    },
    /** What happens when the database is bound to another market. */
    bindAnew() {
      states = new Map();
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
    of: fc.integer({ min: 1, max: 5 }),
    dies: fc.constantFrom(undefined, 'before' as const, 'after' as const),
  }),
  { minLength: 2, maxLength: 12 },
);

test('whatever the division and the kills, the alerts are those of a single process', async () => {
  await fc.assert(
    fc.asyncProperty(minutes, async (given) => {
      const f = fixture();
      let judged = emptyRuleMemory;
      let of = 0;
      let processes: ReturnType<typeof f.begin>[] = [];
      const end = () => Promise.all(processes.map(({ judging }) => judging.stop()));
      for (const { prices, dies, ...each } of given) {
        if (each.of !== of) {
          // Between the end of the processes and the start of the next.
          await end();
          of = each.of;
          f.redivide(of);
          processes = [f.begin(of), f.begin(of)];
          for (let shard = 0; shard < of; shard += 1) {
            const process = processes[shard % 2];
            if (process !== undefined) await f.take(process, shard);
          }
        }
        await f.clock.advance(minute - 20 * second);
        const facts = f.know(prices);
        const [first] = processes;
        if (dies !== undefined) first?.kill(dies);
        await f.clock.advance(2 * second);
        if (first !== undefined && dies !== undefined) {
          const other = f.begin(of);
          for (let shard = 0; shard < of; shard += 2) await f.take(other, shard);
          await f.clock.advance(18 * second);
          await first.judging.stop();
          processes = [other, ...processes.slice(1)];
        } else await f.clock.advance(18 * second);
        const [expected] = await judgeRound([{ ruleIndex: ruleIndexOf(rules), judged }], {
          facts,
          tracked,
          now: f.clock.now(),
        });
        judged = expected?.judged ?? judged;
        expect(said(f.told.splice(0))).toEqual(said(expected?.changes ?? []));
      }
      await end();
      expect(f.errors).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('a shard is not judged by a process with another division', async () => {
  const f = fixture();
  f.redivide(4);
  await expect(f.take(f.begin(2), 0)).rejects.toThrow('divided by 4, and by 2 here');
});

test('a process whose database is bound anew judges on, and not by what it knew of the market before', async () => {
  const f = fixture();
  const one = f.begin(1);
  const judgeAt = async (prices: readonly [number, number]) => {
    f.know(prices);
    await f.clock.advance(2 * second);
  };
  f.redivide(1);
  await (await f.take(one, 0)).stop();
  await f.take(one, 0);
  await judgeAt([90, 90]);
  f.bindAnew();
  await f.take(one, 0);
  await f.clock.advance(2 * second);
  await judgeAt([97, 90]);
  expect(said(f.told)).toEqual([]);
  await judgeAt([98, 90]);
  expect(said(f.told).every((line) => line.startsWith('firing') && line.endsWith('BTCUSDT'))).toBe(true);
  expect(f.told.length).toBeGreaterThan(0);
  expect(f.errors).toEqual([]);
});
