import { describe, expect, it } from 'vitest';
import { type Alert, fingerprint, revise } from '#src/alert/alert.ts';
import type { Hook } from '#src/alert/hook.ts';
import { claimOf } from '#src/hook/alert-change.ts';
import type { Received } from '#src/hook/inbox.ts';
import type { Signal } from '#src/hook/signal.ts';
import { type HookState, hookState, stepHooks } from '#src/hook/step.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { hook, signal } from '#test/support/hooks.ts';

let turn = 0;
const received = (...signals: Signal[]): Received => ({
  hook: 'h1',
  key: `k${turn++}`,
  at: start,
  market: start,
  signals,
});

/** Steps hooks through signals and returns what becomes of their alerts. */
function lived(over: Partial<Hook> = {}) {
  let state: HookState = hookState.parse({});
  const open = new Map<string, Alert>();
  let now = start;
  let hooks = new Map([['h1', hook(over)]]);
  const come = (...messages: Received[]) => {
    const stepped = stepHooks(state, { received: messages, hooks, now });
    // In the form in which it is stored.
    state = hookState.parse(JSON.parse(JSON.stringify(stepped.state)));
    return stepped.changes.map((change) => {
      const print = fingerprint(change.labels);
      const alert = revise(open.get(print), { change, now });
      if (alert === null) throw new Error('an end of nothing');
      if (alert.status === 'resolved') open.delete(print);
      else open.set(print, alert);
      const why = alert.end === null ? '' : `: ${say(alert.end.summary, plainReader)}`;
      return `${alert.status} ${say(alert.annotations.title, plainReader)}${why}`;
    });
  };
  return {
    come,
    pass(ms: number) {
      now += ms;
      return come();
    },
    forget() {
      hooks = new Map();
    },
    open,
    state: () => state,
  };
}

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

  it('ends the longest silent alert if a hook has too many active ones', () => {
    const { come, open } = lived();
    const all = Array.from({ length: 200 }, (_, n) =>
      signal({ identity: { name: `n${n}` }, title: `T${n}` }),
    );
    come(received(...all));
    expect(come(received(all[0] as Signal))).toEqual(['updated T0']);
    expect(come(received(signal({ title: 'one more' })))).toEqual([
      expect.stringMatching(/^resolved T1: It made room/),
      'firing BTC: one more',
    ]);
    expect(open.size).toBe(200);
  });
});

it.each([
  ['the way that was said', { symbol: 'BTCUSDT', direction: 'down' }, 'down'],
  ['a move where none was', { symbol: 'BTCUSDT' }, 'move'],
  ['nothing where there is no market', { direction: 'up' }, null],
])('an alert’s claim about the price is %s', (_, labels, claim) => {
  expect(claimOf({ kind: 'hook/h1', ...labels })).toBe(claim);
});
