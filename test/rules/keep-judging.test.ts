import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import type { Rule } from '#src/alert/rule.ts';
import type { LivePrices } from '#src/client/live-prices.ts';
import type { KnownFacts } from '#src/rules/facts.ts';
import { startJudging } from '#src/rules/keep-judging.ts';
import { emptyRuleMemory, judgeRound } from '#src/rules/round.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { LostRole } from '#src/runtime/role.ts';
import { minute, second } from '#src/runtime/units.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
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
function fixture(data = dataClient()) {
  const clock = fakeClock(start);
  let stored: unknown;
  let known: { readonly facts: KnownFacts; readonly at: number } | undefined;
  let token = 0;
  const told: Change[] = [];
  const errors: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });

  /** The streamed price of BTCUSDT, and whoever waits for it. */
  let streamed: { readonly at: number; readonly price: number } | undefined;
  const listeners = new Set<() => void>();
  const live: LivePrices = {
    now: () =>
      streamed && {
        at: streamed.at,
        prices: new Map([['BTCUSDT', { symbol: 'BTCUSDT', price: streamed.price, time: streamed.at }]]),
      },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

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
      data,
      live,
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
    /** Streams a price; without one, the stream is interrupted. */
    async stream(price?: number) {
      streamed = price === undefined ? undefined : { at: clock.now(), price };
      for (const listener of listeners) listener();
      await clock.advance(second);
    },
    stored: () => stored,
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

test('whichever processes are killed, streamed prices begin and end what they do in a single process', async () => {
  await fc.assert(
    fc.asyncProperty(minutes, async (given) => {
      const f = fixture();
      let judged = emptyRuleMemory;
      let process = await f.begin();
      let facts = f.know([90, 90]);
      judged = (await judgeRound(ruleIndexOf(rules), { judged, facts, tracked, now: f.clock.now() })).judged;
      await f.clock.advance(2 * second);
      for (const { prices, dies } of given) {
        const now = f.clock.now();
        facts = { ...facts, 'price.last BTCUSDT': { value: prices[0], time: now } };
        if (dies !== undefined) process.kill(dies);
        await f.stream(prices[0]);
        if (dies !== undefined) {
          const next = await f.begin();
          await f.clock.advance(second);
          await process.stop();
          process = next;
        }
        // What is told again says nothing new.
        await f.stream(prices[0]);
        await f.clock.advance(minute - (f.clock.now() - now));
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

test('streamed prices are judged as they come, and an interruption tells nothing twice', async () => {
  const f = fixture();
  await f.begin();
  const firing = () => said(f.told).filter((line) => line.startsWith('firing rule1 '));
  f.know([90, 90]);
  await f.clock.advance(2 * second);
  await f.stream(91);
  expect(f.told).toEqual([]);
  await f.stream(97.5);
  expect(firing()).toEqual(['firing rule1 BTCUSDT']);
  // What was asked for last is older than the streamed price: to judge by it would end the alert, and begin it again.
  await f.stream();
  f.know([97.6, 90]);
  await f.clock.advance(2 * second);
  await f.stream(97.7);
  expect(firing()).toEqual(['firing rule1 BTCUSDT']);
  await f.stream(90);
  expect(said(f.told).filter((line) => line === 'resolved rule1 BTCUSDT')).toHaveLength(1);
  expect(f.errors).toEqual([]);
});

test.each([
  ['a wrong print of ten times the price', [97, 970, 90, 97.5], ['firing rule1 BTCUSDT']],
  ['a wrong print of a thousandth', [97.5, 0.097, 97.6], ['firing rule1 BTCUSDT']],
  ['a redenomination by a hundred', [90, 9_000, 9_001, 9_002, 9_003], []],
  [
    'a redenomination back, and a rise in the new unit',
    [90, 9_000, 9_001, 9_002, 90, 90, 90, 97.5],
    ['firing rule1 BTCUSDT'],
  ],
  ['a price that the next seconds confirm', [80, 97.5, 97.6, 97.4, 97.5], ['firing rule1 BTCUSDT']],
])('%s tells what is true, and mutes nothing after it', async (_, printed, expected) => {
  const f = fixture();
  const table = createPriceTable();
  await f.begin();
  f.know([90, 90]);
  await f.clock.advance(2 * second);
  for (const price of [90, ...printed]) {
    table.take([{ symbol: 'BTCUSDT', price, time: f.clock.now() }], f.clock.now());
    await f.stream(table.of('BTCUSDT')?.price);
  }
  const firing = () => said(f.told).filter((line) => line.startsWith('firing rule1 '));
  expect(firing()).toEqual(expected);
  expect(said(f.told).filter((line) => line.startsWith('resolved rule1 '))).toEqual([]);
  expect(f.errors).toEqual([]);
});

test('an alert waits half a second for what is shown beside it', async () => {
  const f = fixture({ ...dataClient(), marketOverview: () => new Promise(() => {}) });
  await f.begin();
  f.know([90, 90]);
  await f.clock.advance(2 * second);
  await f.stream(97.5);
  expect(said(f.told)).toContain('firing rule1 BTCUSDT');
});

test('prices that begin and end nothing are stored once a minute, not every second', async () => {
  const f = fixture();
  await f.begin();
  f.know([90, 90]);
  await f.clock.advance(2 * second);
  const states = new Set<unknown>();
  for (let index = 0; index < 50; index += 1) {
    await f.stream(90 + index / 100);
    states.add(f.stored());
  }
  expect(states.size).toBeLessThanOrEqual(2);
  await f.clock.advance(minute);
  await f.stream(92);
  expect(f.stored()).toMatchObject({ facts: { 'price.last BTCUSDT': { value: 92 } } });
  expect(f.told).toEqual([]);
});
