import { describe, expect, it } from 'vitest';
import { predictionOf } from '#src/hook/alert-change.ts';
import { type HookState, hookState, maxOpen, stepHooks } from '#src/hook/step.ts';
import { plainReader, say } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { hook, lived, received, signal } from '#test/support/hooks.ts';

describe('a signal', () => {
  it('begins an alert of its hook’s kind, for its place alone', () => {
    const { come, open } = lived();
    expect(come(received(signal()))).toEqual(['firing BTC: Breakout']);
    const [alert] = open.values();
    expect(alert).toMatchObject({
      only: { notifier: 'web', address: { room: 'mine' } },
      labels: { kind: 'hook/h1', name: 'breakout', symbol: 'BTCUSDT' },
      severity: 'warning',
      burst: null,
    });
  });

  it('that is repeated updates its alert, and says how often it came', () => {
    const { come, open } = lived();
    come(received(signal()));
    expect(come(received(signal()))).toEqual(['updated BTC: Breakout']);
    const [alert] = open.values();
    const facts = (alert?.annotations.facts ?? []).map(({ name, value }) => [
      say(name, plainReader),
      say(value, plainReader),
    ]);
    expect(facts).toContainEqual(['Received', '2 times']);
  });

  it('that comes ten times at once makes one alert and one change', () => {
    const { come, open } = lived();
    expect(come(...Array.from({ length: 10 }, () => received(signal())))).toEqual(['firing BTC: Breakout']);
    expect(open.size).toBe(1);
  });

  it('whose sender repeats active alerts updates the alert only if the words change', () => {
    const { come } = lived();
    come(received(signal({ kept: true })));
    expect(come(received(signal({ kept: true })))).toEqual([]);
    expect(come(received(signal({ kept: true, text: 'worse' })))).toEqual(['updated BTC: Breakout']);
  });

  it('ends when its sender says so, with or without the direction', () => {
    const { come } = lived();
    come(received(signal({ direction: 'up' })));
    expect(come(received(signal({ ended: true })))).toEqual([
      'resolved BTC: Breakout: Its sender says it is over.',
    ]);
    expect(come(received(signal({ ended: true })))).toEqual([]);
  });

  it('that reverses its direction ends the alert before it and begins another', () => {
    const { come } = lived();
    come(received(signal({ direction: 'up' })));
    expect(come(received(signal({ direction: 'down' })))).toEqual([
      'resolved BTC: Breakout: The signal turned the other way.',
      'firing BTC: Breakout',
    ]);
  });

  it.each([
    ['an hour', {}, signal(), hour],
    ['a day where its sender says its ends', {}, signal({ kept: true }), day],
    ['as long as its hook says', { lasts: 5 * minute }, signal(), 5 * minute],
  ])('ends after %s without a repetition', (_, over, given, length) => {
    const { come, pass } = lived(over);
    come(received(given));
    expect(pass(length - 1)).toEqual([]);
    come(received(given));
    expect(pass(length - 1)).toEqual([]);
    expect(pass(1)).toEqual([expect.stringMatching(/^resolved BTC: Breakout: It was not repeated/)]);
  });

  it('ends when its hook is deleted, and waiting messages of that hook are ignored', () => {
    const { come, pass, forget, state } = lived();
    come(received(signal()));
    forget();
    expect(pass(1)).toEqual(['resolved BTC: Breakout: Its hook was deleted.']);
    expect(come(received(signal()))).toEqual([]);
    expect(state().handled).toHaveLength(1);
  });

  it('shares a post with others of its hook, and has its own alert', () => {
    const { come, open } = lived();
    come(received(signal(), signal({ identity: { name: 'other' }, title: 'Other' })));
    expect(new Set([...open.values()].map(({ burst }) => burst)).size).toBe(1);
    expect(open.size).toBe(2);
  });

  it('that a hook has too many of begins no alert, ends none, and how many they are is said', () => {
    const { come, open } = lived();
    const all = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        signal({ identity: { name: `n${from + n}` }, title: `T${from + n}` }),
      );
    come(received(...all(0, maxOpen)));
    expect(come(received(...all(0, 1), ...all(maxOpen, maxOpen + 3)))).toEqual([
      'updated T0',
      'firing breakouts: too many alerts',
    ]);
    expect([...open.values()].at(-1)?.annotations.facts).toContainEqual({
      name: msg('Not shown'),
      value: msg('and {n, number} more', { n: 3 }),
    });
    come(received(signal({ identity: { name: 'n5' }, ended: true })));
    expect(come(received(...all(maxOpen, maxOpen + 1)))).toEqual([`firing T${maxOpen}`]);
  });

  it.each([
    ['ignored while it is among the last 2,000 that ended', 2_000, []],
    ['not known to be late after 2,000 others', 2_001, ['firing T0']],
  ])('that comes again after its end is %s', (_, ended, expected) => {
    const { come } = lived();
    const numbered = (n: number) => ({ identity: { name: `n${n}` }, title: `T${n}`, since: start });
    come(received(...Array.from({ length: ended }, (_, n) => signal({ ...numbered(n), ended: true }))));
    expect(come(received(signal(numbered(0))))).toEqual(expected);
  });
});

describe('the entries of a hook that makes calls', () => {
  const btc = { symbol: 'BTCUSDT' };
  const entriesOf = (signals: Parameters<typeof signal>[0][], over: Parameters<typeof hook>[0] = {}) =>
    stepHooks(hookState.parse({}), {
      received: signals.map((each) => received(signal(each))),
      hooks: new Map([['h1', hook({ calls: day, ...over })]]),
      now: start + minute,
    }).entries.map(({ symbol, side, at }) => `${symbol} ${side} ${at - start}`);

  it.each([
    ['begin with a market and a direction', [{ direction: 'up' }], ['BTCUSDT long 0']],
    [
      'are each made once, however often they are repeated',
      Array(3).fill({ direction: 'down' }),
      ['BTCUSDT short 0'],
    ],
    [
      'turn with their signal',
      [{ direction: 'up' }, { direction: 'down' }],
      ['BTCUSDT long 0', 'BTCUSDT short 0'],
    ],
    ['are none without a direction', [{}], []],
    ['are none without a market', [{ direction: 'up', identity: { name: 'x' } }], []],
    [
      'are none where the action is not understood',
      [{ direction: 'up', identity: { ...btc, action: 'hodl' } }],
      [],
    ],
    ['are no changes of a position', [{ direction: 'up', change: 'increased' }], []],
    ['are no ends', [{ direction: 'up', ended: true }], []],
  ] as const)('%s', (_, signals, expected) => {
    expect(entriesOf([...signals])).toEqual(expected);
    expect(entriesOf([...signals], { calls: null })).toEqual([]);
  });

  it('are from when they came, and never from the future', () => {
    const early = { ...received(signal({ direction: 'up' })), market: start + day };
    const { entries } = stepHooks(hookState.parse({}), {
      received: [early],
      hooks: new Map([['h1', hook({ calls: day })]]),
      now: start,
    });
    expect(entries).toMatchObject([{ at: start }]);
  });
});

it.each([
  ['the way that was said', { symbol: 'BTCUSDT', direction: 'down' }, 'down'],
  ['a move where none was', { symbol: 'BTCUSDT' }, 'move'],
  ['nothing where there is no market', { direction: 'up' }, null],
])('an alert’s prediction about the price is %s', (_, labels, prediction) => {
  expect(predictionOf({ kind: 'hook/h1', ...labels })).toBe(prediction);
});

describe('a time from the future', () => {
  it('that a sender says of an alert makes none of those that follow late', () => {
    const { come } = lived();
    come(received(signal({ since: start + 36_525 * day })));
    expect(come(received(signal({ since: start, text: 'worse' })))).toEqual(['updated BTC: Breakout']);
  });

  it('that a clock has written lets an alert last as long as any other from now on', () => {
    const { come, state } = lived();
    come(received(signal()));
    const [[identity, open]] = Object.entries(state().open) as [[string, HookState['open'][string]]];
    const ahead = { ...state(), open: { [identity]: { ...open, until: start + 400 * day } } };
    const next = stepHooks(ahead, { received: [], hooks: new Map([['h1', hook()]]), now: start + minute });
    expect(next.state.open[identity]?.until).toBe(start + minute + 7 * day);
  });
});
