import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataBlind } from '#src/alert/alert.ts';
import { defineDetector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { type Blindness, stepBlindness } from '#src/pipeline/blindness.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { minute } from '#src/runtime/units.ts';
import { change, receiver, type subscription } from '#test/support/alerts.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';
import { inTest, watchOn } from '#test/support/watching.ts';

describe('the rule for blind detectors', () => {
  const sight = { kind: 'oi-momentum', seen: 100, hasRun: true, overdue: false };
  it.each([
    ['nobody who sees', {}, sight, [], {}],
    ['one who is overdue', {}, { ...sight, overdue: true }, ['firing'], { 'oi-momentum': 100 }],
    ['told once', { 'oi-momentum': 90 }, { ...sight, overdue: true }, [], { 'oi-momentum': 90 }],
    ['until it sees', { 'oi-momentum': 90 }, sight, ['resolved'], {}],
    [
      'over a restart until it has seen',
      { 'oi-momentum': 90 },
      { ...sight, hasRun: false },
      [],
      { 'oi-momentum': 90 },
    ],
    ['no longer where it is watched no more', { gone: 90 }, sight, ['resolved'], {}],
  ])('%s', (_, blind, given, expected, left) => {
    const { state, changes } = stepBlindness({ blind: blind as Record<string, number> }, [given], 200);
    expect(changes.map(({ status }) => status)).toEqual(expected);
    expect(state.blind).toEqual(left);
  });
});

it('several blind detectors share one post with one name, in which each has its own row', () => {
  const sights = ['a', 'b'].map((kind) => ({ kind, seen: 0, hasRun: false, overdue: true }));
  const { changes } = stepBlindness({ blind: {} }, sights, minute);
  const said = changes.map(({ annotations: { inGroup } }) =>
    [inGroup?.name, inGroup?.row].map((text) => say(text ?? '', plainReader)),
  );
  expect(said).toEqual([
    ['No data', 'A: no data since 1 Jan 1970, 00:00 UTC'],
    ['No data', 'B: no data since 1 Jan 1970, 00:00 UTC'],
  ]);
});

describe('a blind detector', () => {
  const watching = async () => {
    const f = await ownPipeline();
    let sees = true;
    let reason: ApiErrorReason = 'unreachable';
    const detector = defineDetector({
      name: 'funding-extreme',
      ...inTest,
      schedule: '0 * * * * *',
      state: z.object({}),
      async observe() {
        if (!sees) throw new ApiError('/any', reason, 'refused');
      },
      step: () => ({ state: {}, changes: [] }),
    });
    const watch = watchOn(f, [detector], { blind: { periods: 3, atLeast: minute } });
    watch.start(f.pipeline);
    const live = async (minutes: number) => {
      for (let n = 0; n < minutes; n++) await f.clock.advance(minute);
    };
    const see = (now: boolean, why: ApiErrorReason = 'unreachable') => {
      sees = now;
      reason = why;
    };
    return { f, live, see, status: watch.status };
  };

  it('is reported once to those who rely on it, and again when it gets data', async () => {
    const { f, live, see } = await watching();
    await f.subscribe({ kinds: ['funding-extreme'], symbols: ['ETHUSDT'], mention: '42' });
    await f.subscribe({ receiver: receiver('b'), kinds: ['oi-momentum'] });
    await live(3);
    see(false);
    await live(10);
    see(true);
    await live(2);
    expect(f.sent.map(({ act, room, notification }) => `${act} ${room} ${notification.card.title}`)).toEqual([
      'send a Extreme funding alerts paused: no data since 1 Jan 2026, 00:03 UTC',
      'edit a Data is back: Extreme funding',
    ]);
    expect(f.sent[1]?.notification.card.status).toBe('resolved');
    expect(f.sent.map(({ notification: { loud, mention } }) => [loud, mention])).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  });

  it.each<[string, { why: ApiErrorReason; before: number }, string[]]>([
    ['data that the venue does not publish is not missed', { why: 'not_offered', before: 0 }, []],
    ['data that was offered once is', { why: 'not_offered', before: 3 }, ['send']],
    ['and so is data that should be there', { why: 'server_error', before: 0 }, ['send']],
  ])('is reported unless its data was never offered: %s', async (_, { why, before }, told) => {
    const { f, live, see } = await watching();
    await f.subscribe({ kinds: ['funding-extreme'] });
    if (before > 0) await live(before);
    see(false, why);
    await live(10);
    expect(f.sent.map(({ act }) => act)).toEqual(told);
  });

  it.each<[string, ApiErrorReason | null, number | null]>([
    ['its last successful run', null, 3 * minute],
    ['the start, if it has had no data since then', 'unreachable', 0],
    ['nothing, if its data was never offered', 'not_offered', null],
  ])('is known to monitoring since %s', async (_, why, expected) => {
    const { f, live, see, status } = await watching();
    const begin = f.clock.now();
    if (why !== null) see(false, why);
    await live(3);
    see(false, why ?? 'unreachable');
    await live(3);
    const since = expected === null ? null : begin + expected;
    expect(status().map(({ waitingSince }) => waitingSince)).toEqual([since]);
  });

  it('has its messages edited to unknown and back, without any other post', async () => {
    const { f, live, see } = await watching();
    await f.subscribe({ kinds: ['funding-extreme'], symbols: ['BTCUSDT'] });
    await f.subscribe({
      receiver: receiver('b'),
      kinds: ['funding-extreme'],
      digest: { every: 'day', at: '08:00', timeZone: 'UTC' },
    });
    await f.report([change(), change({ kind: 'oi-momentum' })]);
    const said = () =>
      f.sent
        .filter(({ notification }) => notification.card.title.startsWith('BTCUSDT'))
        .map(({ act, room, notification }) => [
          act,
          room,
          notification.card.summary?.includes('Unknown: no fresh data') ?? false,
        ]);
    see(false);
    await live(8);
    const blind = [
      ['send', 'a', false],
      ['edit', 'a', true],
    ];
    expect(said()).toEqual(blind);
    see(true);
    await live(2);
    expect(said()).toEqual([...blind, ['edit', 'a', false]]);
  });

  it('leaves its firing alerts open, and their cards say unknown', async () => {
    const { f, live, see } = await watching();
    await f.subscribe({ kinds: ['funding-extreme'] });
    await f.report([change()]);
    see(false);
    await live(8);
    await f.report([change({ status: 'updated' })]);
    const last = f.sent.findLast(({ notification }) => notification.card.title.startsWith('BTCUSDT'));
    expect(last?.notification.card.summary).toContain('Unknown: no fresh data for');
    expect((await f.store.alerts.firing()).map(({ labels }) => labels.kind)).toContain('funding-extreme');
  });
});

describe('one trouble of the data is one living notice', () => {
  /** Goes through steps, each at a market minute with the kinds that are blind then. */
  const live = async (
    steps: readonly (readonly [at: number, blind: readonly string[]])[],
    wish: Parameters<typeof subscription>[0] = {},
  ) => {
    const f = await ownPipeline();
    await f.subscribe({ kinds: ['*'], symbols: ['*'], ...wish });
    const start = f.clock.now();
    let state: Blindness = { blind: {} };
    for (const [at, blind] of steps) {
      await f.clock.advance(start + at * minute - f.clock.now());
      const sights = ['funding-extreme', 'oi-momentum', 'volatility-regime'].map((kind) => ({
        kind,
        seen: f.clock.now(),
        hasRun: true,
        overdue: blind.includes(kind),
      }));
      const stepped = stepBlindness(state, sights, f.clock.now());
      if (stepped.changes.length > 0)
        await f.pipeline.dispatch({ name: dataBlind, groupWait: minute }, stepped);
      state = stepped.state;
      await f.clock.advance(2 * minute);
    }
    return f.sent.map(({ act, notification: { card, loud, mention } }) =>
      [act, card.title, card.status ?? '-', card.severity ?? '-', loud, mention ?? '-'].join(' | '),
    );
  };
  const paused = 'Extreme funding alerts paused: no data since 1 Jan 2026, 00:00 UTC';

  it('that is edited as kinds come and go, silent, grey, and without a mention', async () => {
    const acts = await live(
      [
        [0, ['funding-extreme']],
        [10, ['funding-extreme', 'oi-momentum']],
        [20, ['oi-momentum', 'volatility-regime']],
        [30, []],
      ],
      { mention: '42' },
    );
    expect(acts).toEqual([
      `send | ${paused} | - | - | false | -`,
      'edit | 2 kinds of alerts paused: no data | - | - | false | -',
      'edit | OI momentum alerts paused: no data since 1 Jan 2026, 00:10 UTC | - | - | false | -',
      'edit | 2 kinds of alerts paused: no data | - | - | false | -',
      'edit | Data is back: Extreme funding, OI momentum, Volatility | resolved | - | false | -',
    ]);
  });

  it('of a service that flaps, and another one after an hour of data', async () => {
    const acts = await live([
      [0, ['funding-extreme']],
      [4, []],
      [8, ['funding-extreme']],
      [12, []],
      [80, ['funding-extreme']],
    ]);
    expect(acts.map((line) => line.split(' | ').slice(0, 1)[0])).toEqual([
      'send',
      'edit',
      'edit',
      'edit',
      'send',
    ]);
  });

  it('and none where it was over before anybody could be told', async () => {
    const f = await ownPipeline();
    await f.subscribe({ kinds: ['*'], symbols: ['*'] });
    const sight = { kind: 'oi-momentum', seen: 0, hasRun: true };
    const now = f.clock.now();
    const begun = stepBlindness({ blind: {} }, [{ ...sight, overdue: true }], now);
    const over = stepBlindness(begun.state, [{ ...sight, overdue: false }], now);
    for (const stepped of [begun, over])
      await f.pipeline.dispatch({ name: dataBlind, groupWait: minute }, stepped);
    await f.clock.advance(5 * minute);
    expect(f.sent).toEqual([]);
  });

  it('which does not say that data is back where its detector was turned off', () => {
    const { changes } = stepBlindness({ blind: { gone: 90 } }, [], 200);
    expect(changes.map(({ annotations: { unknown } }) => unknown)).toEqual([true]);
  });

  it('which a chat from critical on does not get', async () => {
    expect(await live([[0, ['funding-extreme']]], { minSeverity: 'critical' })).toEqual([]);
  });
});
