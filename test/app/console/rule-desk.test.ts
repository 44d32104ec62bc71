import { describe, expect, it } from 'vitest';
import { ownRule } from '#src/alert/rule.ts';
import { movedLevel } from '#src/alert/slack.ts';
import { createRecordTable } from '#src/app/console/record-table.ts';
import { createRuleDesk } from '#src/app/console/rule-desk.ts';
import scorecard from '#src/commands/scorecard.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { KindScore } from '#src/record/records.ts';
import { numeral, readExpression } from '#src/rules/expression.ts';
import { clearOf } from '#src/rules/hysteresis.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { firing, next, start } from '#test/support/alerts.ts';
import { ask, caller, commandContext } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

/** The past of thirty days without an alert. */
const known = {
  state: 'known',
  source: 'replayed',
  ...{ from: now - 30 * day, to: now },
  ...{ alerts: [], posts: 0, partly: [], selective: [] },
} as const;
const standard = { name: 'standard', posts: 25 } as const;

const desk = (
  over: Partial<CommandContext> = {},
  log: Pick<Store['log'], 'page'> = { page: async () => [] },
) =>
  createRuleDesk({
    log,
    ask: (request) => ask(request, over),
    contextOf: async (given) => commandContext({ source: () => 'simulated, 240 ×', ...over, caller: given }),
  });

describe('a draft of an alert', () => {
  it('shows its sentence, its end condition, an example post, and the command line', async () => {
    const asked = { metric: 'basis.pct', above: 0.05, symbols: 'BTCUSDT', for: '15m', value: 0.08 };
    const draft = await desk().draft(asked, caller);
    expect(draft).toMatchObject({
      line: 'alert create metric=basis.pct above=0.05 for=15m symbols=BTCUSDT',
      sentence: 'basis above 0.05% for 15 min, on BTC.',
      clears: 'basis at or below 0.03%',
      card: {
        title: 'BTC basis +0.080% (your alert: above 0.05%)',
        severity: 'warning',
        source: 'simulated, 240 ×',
      },
    });
    const said = await ask('line' in draft ? draft.line : '');
    expect(say(said.title, plainReader)).toBe('Alert created');
  });

  it.each([
    ['small levels have no exponent', { metric: 'funding.ratePct', below: -1e-7 }, 'below=-0.0000001'],
    [
      'what is of the whole market names none',
      { metric: 'regime.score', above: 1, symbols: 'BTCUSDT' },
      'above=1',
    ],
    ['a condition is in quotation marks', { when: 'basis.pct > 1' }, 'when="basis.pct > 1"'],
    ['one that is changed has its id', { id: 'abcd2345', metric: 'basis.pct', above: 1 }, 'edit id=abcd2345'],
    ['when it is over is given as it is typed', { metric: 'basis.pct', above: 1, clear: '0.5' }, 'clear=0.5'],
    [
      'how severe it is, and that it fires at once from now on',
      { id: 'abcd2345', metric: 'basis.pct', above: 1, for: '0m', severity: 'critical' as const },
      'above=1 for=0m severity=critical',
    ],
  ])('%s', async (_, asked, part) => {
    const store = memoryStore({ rules: [rule({ id: 'abcd2345', receiver: caller.receiver })] });
    expect(await desk({ store }).draft(asked, caller)).toMatchObject({ line: expect.stringContaining(part) });
  });

  it('of a changed alert keeps its name and end condition', async () => {
    const before = rule({
      receiver: caller.receiver,
      name: 'Breakout',
      condition: 'basis.pct > 1',
      clear: 'basis.pct <= 0.2',
    });
    const over = { store: memoryStore({ rules: [before] }) };
    const draft = await desk(over).draft({ id: before.id, metric: 'basis.pct', above: 2 }, caller);
    expect(draft).toMatchObject({
      sentence: 'basis above 2%, on BTC.',
      clears: 'basis at or below 0.2%',
      card: { title: 'BTC: Breakout' },
    });
    const again = await desk(over).draft({ id: 'gone', metric: 'basis.pct', above: 2 }, caller);
    expect(again).toEqual({ problem: expect.stringContaining(before.id) });
  });

  it('of a crossing says the moment, and is shown as metric and level again', async () => {
    const when = 'price.last crosses above 24000';
    const clear = 'price.last <= 23000';
    const draft = await desk().draft({ when, clear, symbols: 'BTCUSDT' }, caller);
    expect(draft).toMatchObject({ sentence: 'price crosses above 24,000, on BTC.' });
    const store = memoryStore({ rules: [rule({ condition: when, clear, symbols: ['BTCUSDT'] })] });
    const { rules } = await desk({ store }).read(caller);
    expect(rules[0]?.simple).toEqual({ metric: 'price.last', above: 24_000, crosses: true });
  });

  it.each([
    [
      'btc above 24000',
      { simple: { metric: 'price.last', above: 24_000 }, symbols: ['BTCUSDT'], hold: '0m' },
    ],
    ['sol rsi 4h below 30', { simple: { metric: 'rsi.4h', below: 30 }, symbols: ['SOLUSDT'] }],
    ['eth 5% in 15m', { condition: 'abs(price.change15mPct) > 5', symbols: ['ETHUSDT'] }],
  ])('is filled in by "%s", as the command reads it', async (sentence, filled) => {
    const read = await desk().understand(sentence, caller);
    expect(read).toMatchObject({ said: expect.stringMatching(/, on \w+\.$/), ...filled });
  });

  it.each(['btc above', 'btc above 24.000', 'btc 24000', 'btc above 24000 once', 'hello'])(
    'is not filled in by "%s", which is nothing or several things',
    async (sentence) => {
      expect(await desk().understand(sentence, caller)).toEqual({ problem: expect.stringMatching(/\S/) });
    },
  );

  it('shows errors in the user’s language', async () => {
    expect(await desk().draft({ when: 'basis.pt > 1' }, caller)).toEqual({
      problem: expect.stringContaining('Did you mean basis.pct?'),
    });
    const spanish = { ...caller, language: 'es' as const };
    const { problem } = (await desk().draft({ metric: 'nonsense', above: 1 }, spanish)) as {
      problem: string;
    };
    expect(problem).toContain('Métrica');
  });

  it('has the command’s preview once it is known', async () => {
    const complete = Promise.resolve(known);
    const over = { preview: async () => ({ state: 'pending', complete }) as const };
    const card = await desk(over).preview({ metric: 'basis.pct', above: 1, symbols: 'BTCUSDT' }, caller);
    expect(card.summary).toContain('In the last 30 days you’d have had no alerts');
  });
});

describe('the desk', () => {
  it('lists own alerts in plain words with their state, and presets with their posts a day', async () => {
    const own = [
      rule({
        id: 'a',
        receiver: caller.receiver,
        condition: 'basis.pct > 1',
        symbols: ['*'],
        hold: 90 * minute,
        severity: 'critical',
        clear: 'basis.pct <= -0.0000001',
      }),
      rule({
        id: 'b',
        receiver: caller.receiver,
        condition: 'basis.pct > 1 && oi.ratePct > 1',
        clear: 'basis.pct < 0',
        paused: true,
        file: 'team.yaml',
      }),
    ];
    const store = memoryStore({ rules: own });
    const preview = async () => ({ ...known, from: now - 10 * day, presets: [standard] });
    const { rules, presets, days, metrics } = await desk({ store, preview }).read(caller);
    expect(rules).toMatchObject([
      {
        id: 'a',
        name: 'basis above 1%',
        markets: 'all markets',
        state: 'on',
        simple: { metric: 'basis.pct', above: 1 },
        hold: '90m',
        severity: 'critical',
        clear: '-0.0000001',
      },
      {
        id: 'b',
        clear: 'basis.pct < 0',
        hold: '0m',
        severity: 'warning',
        paused: true,
        state: 'paused',
        file: 'team.yaml',
      },
    ]);
    expect(rules[1]?.simple).toBeUndefined();
    expect(days).toBe(10);
    expect(presets.map(({ name, perDay }) => [name, perDay])).toEqual([
      ['quiet', undefined],
      ['standard', 2.5],
      ['everything', undefined],
    ]);
    expect(metrics.find(({ name }) => name === 'oi.ratePct')?.slack).toEqual({ fixed: 0, share: 0.5 });
    expect(metrics.find(({ name }) => name === 'basis.pct')?.slack).toEqual({ fixed: 0.02, share: 0 });
    expect(metrics.some(({ name }) => name === 'regime.state')).toBe(false);
  });

  it('counts for how many markets each own alert is firing, of this place alone', async () => {
    const store = await openStore('file::memory:', { addresses });
    const alertOf = (id: string, symbol: string, only = caller.receiver) =>
      firing({ labels: { kind: ownRule, rule: id, symbol }, only });
    const [btc, eth] = [alertOf('a', 'BTCUSDT'), alertOf('a', 'ETHUSDT')];
    const ended = alertOf('b', 'BTCUSDT');
    const theirs = alertOf('a', 'SOLUSDT', { notifier: 'web', address: { room: 'other' } });
    const over = next(ended, { status: 'resolved' }, start + minute);
    for (const alert of [btc, eth, ended, over, theirs])
      await store.dispatch((unit) => unit.save({ alert, group: alert.id, due: start, heldBy: null }));
    const own = ['a', 'b'].map((id) => rule({ id, receiver: caller.receiver }));
    const { rules } = await desk({ store: memoryStore({ rules: own }) }, store.log).read(caller);
    expect(rules.map(({ id, firing }) => [id, firing])).toEqual([
      ['a', 2],
      ['b', 0],
    ]);
    await store.close();
  });

  it('tells the page what it needs to end an alert where the bot ends it', async () => {
    const { metrics } = await desk().read(caller);
    const sides = [
      { operator: '>', end: '<=', direction: -1 },
      { operator: '<', end: '>=', direction: 1 },
    ] as const;
    const levels = [-1, -0.95, 0, 0.04, 0.95, 1, 4, 98, 100, 5_000_000];
    for (const metric of metrics)
      for (const { operator, end, direction } of sides)
        for (const level of levels) {
          const ended = clearOf(readExpression(`${metric.name} ${operator} ${numeral(level)}`));
          expect(ended).toBe(`${metric.name} ${end} ${numeral(movedLevel(level, { ...metric, direction }))}`);
        }
  });

  it.each<[string, CommandContext['preview']]>([
    ['before they are counted', async () => ({ state: 'pending', complete: new Promise<never>(() => {}) })],
    ['of less than a day', async () => ({ ...known, from: now - 3 * hour, presets: [standard] })],
  ])('shows no posts a day %s', async (_, preview) => {
    const { presets, days } = await desk({ preview }).read(caller);
    expect([days, ...presets.map(({ perDay }) => perDay)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it('the record has the scorecard’s numbers, with live and replayed alerts apart', async () => {
  const found = {
    move: { median: 0.01, usual: 0.008 },
    hits: { share: 0.61, usual: 0.5 },
    excess: { usual: 0.5, mean: 0.11, error: 0.03, freedom: 20 },
  };
  const finding = { verdict: 'more', interval: [0.035, 0.185], detectable: 0.094 } as const;
  const of = { kind: 'funding-extreme', horizon: 24 * hour };
  const score: KindScore = {
    ...of,
    sense: 'size',
    n: 40,
    days: 22,
    estimated: 0,
    found,
    finding,
    recent: { ...of, sense: 'size', n: 31, days: 19, estimated: 0, found, finding },
    replayed: { ...of, sense: 'size', n: 12, days: 3, estimated: 0 },
  };
  const records = { scores: async () => [score], callers: async () => [] };
  const kinds = [{ name: 'funding-extreme', description: '', smallest: 'funding of 20% a year' }];
  const contextOf = async () => commandContext({ records, kinds });
  const { rows, method } = await createRecordTable({ contextOf })(caller);
  expect(rows).toMatchObject([
    {
      kind: 'funding-extreme',
      after: '1 d',
      about: 'funding of 20% a year; says that the price moves more than usual',
      recent: { n: 31, found: { difference: 0.11 } },
      posted: { n: 40, found: { difference: 0.11, edge: [0.035, 0.185], says: 'more' } },
      replayed: { n: 12, said: 'no evidence yet (12 alerts on 3 days)' },
    },
  ]);
  const card = await scorecard.run({ after: '24h' } as never, commandContext({ records }));
  const [row] = (card.table?.rows ?? []).map((cells) => cells.map((cell) => say(cell, plainReader)));
  const { edgeText, showsText, hitsText } = rows[0]?.posted.found ?? {};
  expect([hitsText, edgeText, showsText]).toEqual(row?.slice(3, 6));
  expect(say(card.summary ?? '', plainReader).split('\n')).toEqual(method);
});
