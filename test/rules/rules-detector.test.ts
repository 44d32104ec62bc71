import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import type { DataClient } from '#src/contract/data-client.ts';

import { plainReader, say } from '#src/language/say.ts';
import { endedRuleIds } from '#src/rules/entries.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { ruleReplay } from '#src/rules/rules-detector.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient, now as start } from '#test/support/data.ts';
import { priced, rule, ruleDetector } from '#test/support/rules.ts';

const universe = ['BTCUSDT', 'ETHUSDT'];
const signal = new AbortController().signal;
const failing = dataClient({ marketOverview: new ApiError('/market/overview', 'server_error', '500') });

/** Runs one minute per step, or as long as is said. A number is bitcoin's price; a word is the resulting status. */
function running(given: () => readonly Rule[], ranked: readonly string[] = universe) {
  const detector = ruleDetector(given, () => ranked);
  const options = detector.options.parse({});
  let state: ReturnType<typeof detector.state.parse> | undefined;
  let now = start;
  return {
    now: () => now,
    state: () => state,
    async see(data: DataClient | number, length = minute) {
      now += length;
      const client = typeof data === 'number' ? priced({ BTCUSDT: data }, now) : data;
      try {
        const observation = await detector.observe({
          data: client,
          options,
          state,
          symbols: [],
          now,
          signal,
        });
        const stepped = detector.step(state, observation, { options, now });
        expect(detector.step(state, observation, { options, now })).toEqual(stepped);
        // What is stored is JSON.
        state = detector.state.parse(JSON.parse(JSON.stringify(stepped.state)));
        expect(state).toEqual(stepped.state);
        return stepped.changes;
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        return [];
      }
    },
  };
}
const statusesOver = async (rules: readonly Rule[], prices: readonly number[]) => {
  const run = running(() => rules);
  const said: string[] = [];
  for (const price of prices) said.push((await run.see(price)).map(({ status }) => status).join() || '-');
  return said;
};

test.each<[rule: string, over: Partial<Rule>, prices: number[], said: string[]]>([
  [
    'fires when it becomes true, ends below the slack',
    {},
    [99, 101, 102, 99.8, 99],
    ['-', 'firing', '-', '-', 'resolved'],
  ],
  [
    'what oscillates around the level fires once',
    {},
    [99, 101, 99.9, 101, 99.9, 101],
    ['-', 'firing', '-', '-', '-', '-'],
  ],
  ['fires anew after it was over', {}, [99, 101, 99, 101], ['-', 'firing', 'resolved', 'firing']],
  ['true already is no change', {}, [101, 102, 99, 101], ['-', '-', '-', 'firing']],
  ['once: no more after the first', { mode: 'once' }, [99, 101, 99, 101], ['-', 'firing', 'resolved', '-']],
  [
    'held for as long as asked',
    { hold: 2 * minute },
    [99, 101, 101, 101, 99],
    ['-', '-', '-', 'firing', 'resolved'],
  ],
  ['what did not last is not told', { hold: 2 * minute }, [99, 101, 99, 101, 99], ['-', '-', '-', '-', '-']],
  [
    'ends at its own clear level',
    { clear: 'price.last < 50' },
    [99, 101, 60, 101, 49],
    ['-', 'firing', '-', '-', 'resolved'],
  ],
  ['paused: nothing', { paused: true }, [99, 101], ['-', '-']],
  ['expired: nothing', { expiresAt: start }, [99, 101], ['-', '-']],
  [
    'expires while it fires: it is not watched any more',
    { expiresAt: start + 3 * minute },
    [99, 101, 101],
    ['-', 'firing', 'resolved'],
  ],
  ['not about this symbol: nothing', { symbols: ['ETHUSDT'] }, [99, 101], ['-', '-']],
  ['about a group that holds it', { symbols: ['top1'] }, [99, 101], ['-', 'firing']],
  ['about all markets', { symbols: ['*'] }, [99, 101], ['-', 'firing']],
  ['one that cannot be read is left alone', { condition: 'price.last >' }, [99, 101], ['-', '-']],
])('%s', async (_, over, prices, said) => expect(await statusesOver([rule(over)], prices)).toEqual(said));

describe('a rule', () => {
  test('reports to its own place alone, with its values, their time and how it ends', async () => {
    const run = running(() => [rule({ name: 'Breakout', severity: 'critical' })]);
    await run.see(99);
    const [change] = await run.see(101);
    expect(change).toMatchObject({
      labels: { kind: 'own-rule', rule: 'r1', symbol: 'BTCUSDT' },
      severity: 'critical',
      only: rule().receiver,
      annotations: { title: { values: { symbol: 'BTC', name: 'Breakout' } }, dataTime: run.now() },
    });
    expect(say(change?.annotations.summary ?? '', plainReader)).toBe(
      'Your alert: price above 100. Clears when: price at or below 99.5.',
    );
  });

  test('about the whole market has no symbol', async () => {
    const regime = (state: string) =>
      dataClient({
        regimeProbabilities: {
          ...answers.regimeProbabilities,
          current: { ...answers.regimeProbabilities.current, state },
        },
      });
    const run = running(() => [rule({ condition: 'regime.state == "RISK_OFF"', symbols: [] })]);
    const said: unknown[] = [];
    for (let i = 0; i < 12; i += 1) said.push(...(await run.see(regime(i < 6 ? 'RISK_ON' : 'RISK_OFF'))));
    expect(said).toMatchObject([{ status: 'firing', labels: { kind: 'own-rule', rule: 'r1' } }]);
    expect(said[0]).not.toHaveProperty('labels.symbol');
  });

  test('with a changed condition has not held yet', async () => {
    let level = 100;
    const run = running(() => [rule({ condition: `price.last > ${level}.0`, hold: 2 * minute })]);
    const said = [];
    for (const price of [99, 102, 102]) said.push((await run.see(price)).length);
    level = 101;
    for (const price of [102, 102, 102]) said.push((await run.see(price)).length);
    expect(said).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test.each<
    [change: string, first: [Partial<Rule>, number[]], then: [Partial<Rule>, number[]], said: string[]]
  >([
    [
      'while it fires: it ends, and fires when the new condition becomes true',
      [{}, [99, 100.2]],
      [{ condition: 'price.last > 100.4' }, [100.2, 100.6, 99]],
      ['-', 'firing', 'resolved', 'firing', 'resolved'],
    ],
    [
      'while it fires, and true at the next check: it ends and fires',
      [{}, [99, 100.2]],
      [{ condition: 'price.last > 100.4' }, [100.6, 100.6]],
      ['-', 'firing', 'resolved,firing', '-'],
    ],
    [
      'while it fires, and true already: it ends',
      [{}, [99, 102]],
      [{ condition: 'price.last > 101' }, [102, 99, 102]],
      ['-', 'firing', 'resolved', '-', 'firing'],
    ],
    [
      'while its one alert fires: it is not over',
      [{ mode: 'once' }, [99, 101]],
      [{ mode: 'once', condition: 'price.last > 200' }, [101, 201]],
      ['-', 'firing', 'resolved', 'firing'],
    ],
    [
      'after its one alert: it is not over',
      [{ mode: 'once' }, [99, 101, 99]],
      [{ mode: 'once', condition: 'price.last > 200' }, [99, 201]],
      ['-', 'firing', 'resolved', '-', 'firing'],
    ],
    [
      'after its one alert, to fire every time: it is not over',
      [{ mode: 'once' }, [99, 101, 99]],
      [{}, [99, 101]],
      ['-', 'firing', 'resolved', '-', 'firing'],
    ],
    [
      'after its one alert, in its name only: it is over',
      [{ mode: 'once' }, [99, 101, 99]],
      [{ mode: 'once', name: 'Breakout' }, [99, 101]],
      ['-', 'firing', 'resolved', '-', '-'],
    ],
  ])('changed %s', async (change, [before, pricesBefore], [after, pricesAfter], expected) => {
    let rules = [rule(before)];
    const run = running(() => rules);
    const said: string[] = [];
    const see = async (price: number) =>
      said.push((await run.see(price)).map(({ status }) => status).join() || '-');
    for (const price of pricesBefore) await see(price);
    rules = [rule(after)];
    for (const price of pricesAfter) {
      const ended = endedRuleIds(run.state()?.entries ?? {}, ruleIndexOf(rules));
      expect(ended).toEqual(change.endsWith('it is over') ? ['r1'] : []);
      await see(price);
    }
    expect(said).toEqual(expected);
  });

  test('ends when it is deleted while firing, or after its alert if it is for one alert', async () => {
    let rules = [rule(), rule({ id: 'r2', mode: 'once' })];
    const run = running(() => rules);
    await run.see(99);
    expect(await run.see(101)).toHaveLength(2);
    rules = [rule({ id: 'r2', mode: 'once' })];
    expect(await run.see(101)).toMatchObject([
      { status: 'resolved', labels: { rule: 'r1' }, only: rule().receiver },
    ]);
    await run.see(90);
    const done = { phase: 'done', since: run.now(), condition: rule().condition };
    expect(run.state()?.entries).toEqual({ r2: { BTCUSDT: done } });
    rules = [];
    await run.see(90);
    expect(run.state()).toEqual({ facts: {}, asked: {}, entries: {} });
  });

  test('that drops a market ends there, and starts afresh where it is added', async () => {
    let rules = [rule(), rule({ id: 'r2', symbols: ['top1'] }), rule({ id: 'r3' })];
    const run = running(() => rules);
    await run.see(99);
    expect(await run.see(101)).toHaveLength(3);
    rules = [
      rule({ symbols: ['ETHUSDT'] }),
      rule({ id: 'r2', symbols: ['top1'] }),
      rule({ id: 'r3', condition: 'regime.state == "RISK_OFF"' }),
    ];
    expect(await run.see(101)).toMatchObject([
      { status: 'resolved', labels: { rule: 'r1', symbol: 'BTCUSDT' } },
      { status: 'resolved', labels: { rule: 'r3', symbol: 'BTCUSDT' } },
    ]);
    expect(Object.keys(run.state()?.entries ?? {})).toEqual(['r2']);
  });

  test('says so if it ends because its market has left the group that the rule is about', async () => {
    const ranked = [...universe];
    const run = running(() => [rule({ symbols: ['top1'] })], ranked);
    const see = (BTCUSDT: number) => run.see(priced({ BTCUSDT, ETHUSDT: 1 }, run.now() + minute));
    await see(99);
    expect(await see(101)).toMatchObject([{ status: 'firing' }]);
    ranked.reverse();
    const changes = await see(101);
    expect(changes).toMatchObject([{ status: 'resolved', labels: { symbol: 'BTCUSDT' } }]);
    expect(say(changes[0]?.annotations.summary ?? '', plainReader)).toBe(
      'BTC is no longer among the markets of this alert, so it is not watched there any more.',
    );
  });

  test('ends if its market is no longer tracked and has had no data for two days', async () => {
    const ranked = [...universe];
    const run = running(() => [rule()], ranked);
    const silent = (length: number) => run.see(priced({ ETHUSDT: 1 }, run.now() + length), length);
    await run.see(99);
    expect(await run.see(101)).toMatchObject([{ status: 'firing' }]);
    expect(await silent(3 * day)).toEqual([]);
    ranked.shift();
    const changes = await silent(minute);
    expect(changes).toMatchObject([{ status: 'resolved', labels: { symbol: 'BTCUSDT' } }]);
    expect(say(changes[0]?.annotations.summary ?? '', plainReader)).toBe(
      'For more than 2 d there has been too little to say whether it goes on.',
    );
    expect(run.state()?.entries).toEqual({});
  });

  test('goes on if its market is no longer tracked and had data a day ago', async () => {
    const ranked = [...universe];
    const run = running(() => [rule()], ranked);
    await run.see(99);
    await run.see(101);
    ranked.shift();
    expect(await run.see(priced({ ETHUSDT: 1 }, run.now() + day), day)).toEqual([]);
  });

  test('for one alert is over when the last of its markets ends', async () => {
    const rules = [rule({ mode: 'once', symbols: universe })];
    const run = running(() => rules);
    const over = () => endedRuleIds(run.state()?.entries ?? {}, ruleIndexOf(rules));
    const see = (BTCUSDT: number, ETHUSDT: number) =>
      run.see(priced({ BTCUSDT, ETHUSDT }, run.now() + minute));
    await see(99, 99);
    expect(await see(101, 101)).toHaveLength(2);
    expect(await see(90, 101)).toMatchObject([{ status: 'resolved', labels: { symbol: 'BTCUSDT' } }]);
    expect(await see(101, 101)).toEqual([]);
    expect(over()).toEqual([]);
    expect(await see(90, 90)).toMatchObject([{ status: 'resolved', labels: { symbol: 'ETHUSDT' } }]);
    expect(over()).toEqual(['r1']);
  });

  test('created between two checks does not fire for what was true before', async () => {
    let rules = [rule({ condition: 'price.last > 500' })];
    const run = running(() => rules);
    await run.see(101);
    rules = [...rules, rule({ id: 'r2' })];
    expect(await run.see(102)).toEqual([]);
    await run.see(90);
    expect(await run.see(101)).toMatchObject([{ status: 'firing', labels: { rule: 'r2' } }]);
  });
});

describe('an unknown value', () => {
  test('changes nothing, and what became true meanwhile fires afterwards', async () => {
    const run = running(() => [rule()]);
    await run.see(99);
    for (let i = 0; i < 30; i += 1) expect(await run.see(failing)).toEqual([]);
    expect(await run.see(101)).toMatchObject([{ status: 'firing' }]);
    for (let i = 0; i < 30; i += 1) expect(await run.see(failing)).toEqual([]);
    expect(await run.see(99)).toMatchObject([{ status: 'resolved' }]);
  });

  test('includes one that is too old: what became true by it fires when it is known again', async () => {
    const settled = start - 12 * hour + 3 * minute;
    const run = running(() => [rule({ condition: 'price.last > 100 && funding.ratePct > 0.01' })]);
    const see = (price: number, timestamp: number) => {
      const row = { symbol: 'BTCUSDT', rate: '0.0005', annualized: '54.75', timestamp: iso(timestamp) };
      const { marketOverview } = priced({ BTCUSDT: price }, run.now() + minute);
      return run.see({ ...dataClient({ fundingCurrent: { data: [row] } }), marketOverview });
    };
    for (const price of [99, 99, 99, 99]) expect(await see(price, settled)).toEqual([]);
    expect(await see(101, settled)).toEqual([]);
    expect(await see(101, start)).toMatchObject([{ status: 'firing' }]);
  });
});

test('does not include funding below the extremes if the service returns every market’s', async () => {
  const run = running(() => [rule({ condition: 'funding.z > 1' })]);
  const standing = (zScore: number) => {
    const [row] = answers.fundingStandings.data.filter(({ symbol }) => symbol === 'BTCUSDT');
    return row === undefined ? [] : [{ ...row, zScore, timestamp: iso(run.now()) }];
  };
  const see = (zScore: number) => run.see(dataClient({ fundingStandings: { data: standing(zScore) } }));
  expect(await see(0.9)).toEqual([]);
  for (let i = 0; i < 5; i += 1) await see(0.9);
  const said: unknown[] = [];
  for (let i = 0; i < 6; i += 1) said.push(...(await see(1.2)));
  expect(said).toMatchObject([{ status: 'firing', labels: { symbol: 'BTCUSDT' } }]);
});

test('does not include a settlement that is collected some minutes late, which may still fire', async () => {
  const run = running(() => [rule({ condition: 'funding.z > 2.5' })]);
  const settled = Math.ceil(start / hour) * hour;
  const collected = answers.fundingExtremes.data.map((row) => ({ ...row, timestamp: iso(settled) }));
  const said: unknown[] = [];
  while (run.now() < settled + 20 * minute) {
    const rows = run.now() < settled + 6 * minute ? [] : collected;
    const data = dataClient({
      fundingExtremes: { data: rows, count: rows.length, threshold: '|zScore| > 1.5' },
      fundingStandings: new ApiError('/funding/z', 'not_offered', 'no such extension'),
    });
    said.push(...(await run.see(data)));
  }
  expect(said).toMatchObject([{ status: 'firing', labels: { symbol: 'BTCUSDT' } }]);
});

describe('a sum of liquidations of which some are missing', () => {
  /** A service that answers with at most 500 of them, and may refuse to answer about one symbol. */
  const liquidated = (counts: Readonly<Record<string, number>>, refuses = false) => {
    const asked: string[] = [];
    const all = Object.entries(counts).flatMap(([symbol, count]) =>
      Array.from({ length: count }, () => ({
        ...{ symbol, side: 'LONG', price: '1', quantity: '1000', usd_value: 1_000 },
        event_time: iso(start),
      })),
    );
    const liquidations = async ({ symbol }: { symbol?: string | undefined } = {}) => {
      asked.push(symbol ?? 'all');
      if (symbol !== undefined && refuses) throw new ApiError('/liquidations', 'rate_limited', '429');
      return { data: all.filter((each) => symbol === undefined || each.symbol === symbol).slice(0, 500) };
    };
    return { asked, data: { ...dataClient(), liquidations } as DataClient };
  };
  const large = rule({ condition: 'liquidations.longUsd1h > 200000' });

  test('is asked for by symbol, where that gives all of them', async () => {
    const run = running(() => [large]);
    await run.see(liquidated({ BTCUSDT: 100 }).data);
    const { data, asked } = liquidated({ SOLUSDT: 450, BTCUSDT: 300 });
    expect(await run.see(data)).toMatchObject([{ status: 'firing', labels: { symbol: 'BTCUSDT' } }]);
    expect(asked).toEqual(['all', 'BTCUSDT']);
    const fewer = liquidated({ SOLUSDT: 480, BTCUSDT: 50 }).data;
    expect(await run.see(fewer)).toMatchObject([{ status: 'resolved' }]);
  });

  test('may begin an alert, and ends none', async () => {
    const run = running(() => [large]);
    const full = (count: number) => liquidated({ BTCUSDT: count, SOLUSDT: 500 - count }, true).data;
    // Whether it was above the level already is not known, so nothing has become true.
    expect(await run.see(full(100))).toEqual([]);
    expect(await run.see(full(300))).toEqual([]);
    await run.see(liquidated({ BTCUSDT: 100 }).data);
    expect(await run.see(full(150))).toEqual([]);
    expect(await run.see(full(250))).toMatchObject([{ status: 'firing' }]);
    expect(await run.see(full(50))).toEqual([]);
    expect(await run.see(liquidated({ BTCUSDT: 50 }).data)).toMatchObject([{ status: 'resolved' }]);
  });

  test('is that of all exchanges that publish it, where the service tells of them', async () => {
    const run = running(() => [large]);
    const at = (usd_value: number) => ({
      ...dataClient(),
      venueLiquidations: async () => ({
        data: ['binance', 'bybit'].map((venue) => ({
          ...{ venue, symbol: 'BTCUSDT', side: 'LONG', price: '1', quantity: '1', usd_value },
          event_time: iso(start),
        })),
        coverage: [],
      }),
    });
    await run.see(at(99_000) as DataClient);
    expect(await run.see(at(101_000) as DataClient)).toMatchObject([{ status: 'firing' }]);
  });

  test('is unknown while the stream is dead: an hour without any ends no alert then, and ends it otherwise', async () => {
    const run = running(() => [large]);
    const quality = (fresh: boolean) => {
      const { checks } = answers.dataQuality;
      const liquidation_events = { ...checks.candles, fresh };
      return dataClient({
        dataQuality: { ...answers.dataQuality, checks: { ...checks, liquidation_events } },
      });
    };
    const { liquidations } = liquidated({}).data;
    await run.see(liquidated({ BTCUSDT: 100 }).data);
    expect(await run.see(liquidated({ BTCUSDT: 250 }).data)).toMatchObject([{ status: 'firing' }]);
    expect(await run.see({ ...quality(false), liquidations })).toEqual([]);
    expect(await run.see({ ...quality(true), liquidations })).toMatchObject([{ status: 'resolved' }]);
  });

  test('is asked for by symbol of those with most of it, and of a few only', async () => {
    const symbols = Array.from({ length: 9 }, (_, index) => `S${index}`);
    const run = running(() => [{ ...large, symbols }]);
    const { data, asked } = liquidated(
      Object.fromEntries(symbols.map((each, index) => [each, 150 - 15 * index])),
    );
    await run.see(data);
    expect(asked).toEqual(['all', 'S0', 'S1', 'S2', 'S3']);
  });
});

const seen = fc.array(fc.oneof(fc.integer({ min: 90, max: 110 }), fc.constant(null)), {
  minLength: 2,
  maxLength: 40,
});

test('never causes a second firing without an end, nor an end without a firing', async () => {
  await fc.assert(
    fc.asyncProperty(
      seen,
      fc.constantFrom<Partial<Rule>>(
        {},
        { hold: 3 * minute },
        { mode: 'once' },
        { clear: 'price.last < 95' },
        { symbols: ['*'] },
      ),
      async (prices, over) => {
        const run = running(() => [rule(over)]);
        let open = false;
        let fired = 0;
        for (const price of prices) {
          const before = run.state();
          const changes = await run.see(price ?? failing);
          if (price === null) {
            expect(changes).toEqual([]);
            expect(run.state()).toEqual(before);
          }
          for (const { status } of changes) {
            expect(status).toBe(open ? 'resolved' : 'firing');
            open = status === 'firing';
            if (open) fired += 1;
          }
        }
        if (over.mode === 'once') expect(fired).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 150 },
  );
});

const symbolsUpTo = (length: number) =>
  Array.from({ length }, (_, index) => `S${String(index).padStart(2, '0')}`);

/** Returns a client that notes what it is asked: `basis S01`. */
function noting() {
  const asked: string[] = [];
  const data = new Proxy(dataClient(), {
    get: (target, name: keyof DataClient) => (query: { symbol?: string }) => {
      asked.push(`${name} ${query.symbol ?? ''}`.trim());
      return target[name](query as never);
    },
  });
  return { asked, data };
}

/** Judges rules as often as a schedule says, live or in a replay, and returns their changes: `2025-01-01T… firing`. */
async function saidOver(
  rules: readonly Rule[],
  length: number,
  { schedule, options, data }: ReturnType<typeof ruleReplay> & { readonly data: (now: number) => DataClient },
) {
  const detector = ruleDetector(
    () => rules,
    () => universe,
  );
  const said: string[] = [];
  let state: ReturnType<typeof detector.state.parse> | undefined;
  for (const now of createSchedule(schedule).within(start, start + length)) {
    const seen = { data: data(now), options, state, symbols: [], now, signal };
    const stepped = detector.step(state, await detector.observe(seen), { options, now });
    said.push(...stepped.changes.map(({ status }) => `${iso(now)} ${status}`));
    ({ state } = stepped);
  }
  return said;
}
/** How the rules are judged live. */
const live = (() => {
  const { schedule, options } = ruleDetector(
    () => [],
    () => universe,
  );
  return { schedule, options: options.parse({}) };
})();

describe('requests to the data service', () => {
  test('are only those that rules need, single symbols in turn, within the share of the budget', async () => {
    const { asked, data } = noting();
    const symbols = symbolsUpTo(25);
    const run = running(() => [rule({ condition: 'basis.pct > 1', symbols }), rule({ id: 'r2' })]);
    const counts: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const before = asked.length;
      await run.see(data);
      counts.push(asked.slice(before).filter((each) => each.startsWith('basis')).length);
    }
    // Figures are published every five minutes: twice as many are asked for right after, and none right before, unless
    // nothing was asked yet.
    expect(counts).toEqual([4, 8, 4, 4, 4, 0]);
    expect(asked.filter((each) => each.startsWith('basis'))).toEqual(
      symbols.slice(0, 24).map((each) => `basis ${each}`),
    );
    expect(asked.filter((each) => !each.startsWith('basis'))).toEqual(Array(6).fill('marketOverview'));
  });

  test('are made symbol by symbol, so that a condition sees its figures of about the same time', async () => {
    const { asked, data } = noting();
    const symbols = symbolsUpTo(40);
    const run = running(() => [rule({ condition: 'basis.pct > 1 && ratio.longPct > 60', symbols })]);
    for (let round = 0; round < 60; round += 1) await run.see(data);
    const both = symbols.flatMap((symbol) => [symbol, symbol]);
    expect(asked.length).toBeGreaterThan(2 * both.length);
    for (const [index, each] of asked.entries()) expect(each.split(' ')[1]).toBe(both[index % both.length]);
  });

  test('are as many in a replay as live, so that a preview counts what would have been seen', async () => {
    const symbols = symbolsUpTo(60);
    const rules = [rule({ condition: 'basis.pct > 1', symbols })];
    const askedBy = async (way: typeof live) => {
      const { asked, data } = noting();
      await saidOver(rules, 2 * hour, { ...way, data: () => data });
      return Map.groupBy(asked, (each) => each);
    };
    const [asked, replayed] = [await askedBy(live), await askedBy(ruleReplay(rules))];
    expect(asked.size).toBe(symbols.length);
    for (const [each, times] of asked)
      expect(Math.abs(times.length - (replayed.get(each)?.length ?? 0)), each).toBeLessThan(2);
  });

  test.each<[string, Partial<Rule>]>([
    ['liquidations, which come at any time', { condition: 'liquidations.longUsd1h > 200000' }],
    ['a hold of minutes', { condition: 'quality.score < 90', hold: 3 * minute }],
  ])('are made in a replay as often as live for %s: the preview has the same alerts', async (_, over) => {
    const rules = [rule(over)];
    const event = { symbol: 'BTCUSDT', side: 'LONG', price: '1', quantity: '1', event_time: iso(start) };
    /** In every other five minutes the quality is low, and for two minutes of them much is liquidated. */
    const data = (now: number) => {
      const slot = Math.floor(now / (5 * minute));
      const isBad = slot % 2 === 1;
      const usd_value = isBad && [2, 3].includes(Math.floor(now / minute) % 5) ? 300_000 : 100_000;
      return dataClient({
        dataQuality: {
          ...answers.dataQuality,
          score: isBad ? 80 : 97,
          timestamp: iso(slot * 5 * minute),
        },
        liquidations: { data: [{ ...event, usd_value }] },
      });
    };
    const said = await saidOver(rules, hour, { ...live, data });
    expect(said.length).toBeGreaterThan(10);
    expect(await saidOver(rules, hour, { ...ruleReplay(rules), data })).toEqual(said);
  });

  test('are not made for a rule that has expired', async () => {
    const rules = [rule({ condition: 'basis.pct > 1', expiresAt: start + 2 * minute }), rule({ id: 'r2' })];
    const run = running(() => rules);
    await run.see(99);
    expect(Object.keys(run.state()?.asked ?? {})).toContain('basis BTCUSDT');
    await run.see(99);
    expect(Object.keys(run.state()?.asked ?? {})).toEqual(['overview']);
  });

  test('continue for other symbols if one is refused', async () => {
    const asked: string[] = [];
    const client = {
      ...dataClient(),
      basis: async (query: { symbol?: string | undefined } = {}) => {
        asked.push(query.symbol ?? '');
        throw new ApiError('/basis', 'invalid_request', 'Invalid symbol');
      },
    };
    const symbols = Array.from({ length: 6 }, (_, index) => `S${index}`);
    const run = running(() => [rule({ condition: 'basis.pct > 1', symbols })]);
    await run.see(client);
    await run.see(client);
    expect(asked).toEqual(symbols);
  });
});

test('facts that no rule names are not kept, also after the rules have changed', async () => {
  let rules = [rule({ condition: 'price.last > 1.0', symbols: ['BTCUSDT'] })];
  const run = running(() => rules);
  const facts = () => Object.keys(run.state()?.facts ?? {});
  await run.see(dataClient());
  expect(facts()).toEqual(['price.last BTCUSDT']);
  rules = [rule({ condition: 'signal.master > 1.0', symbols: ['ETHUSDT'] })];
  await run.see(dataClient());
  expect(facts()).toEqual(['signal.master ETHUSDT']);
});
