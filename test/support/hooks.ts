import { type Alert, fingerprint, revise } from '#src/alert/alert.ts';
import type { Hook } from '#src/alert/hook.ts';
import { newLock } from '#src/hook/admit.ts';
import type { Received } from '#src/hook/inbox.ts';
import type { Signal } from '#src/hook/signal.ts';
import { type HookState, hookState, stepHooks } from '#src/hook/step.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { Store } from '#src/store/ports.ts';
import { start } from './alerts.ts';

export const hook = (over: Partial<Hook> = {}): Hook => ({
  id: 'h1',
  receiver: { notifier: 'web', address: { room: 'mine' } },
  name: 'breakouts',
  template: {},
  severity: 'warning',
  lasts: null,
  signed: false,
  calls: null,
  createdBy: 'ada',
  createdAt: start,
  ...over,
});

/** Stores a hook. Returns it with its secret. */
export async function keptHook(store: Pick<Store, 'hooks'>, over: Partial<Hook> = {}) {
  const { id: _, ...wished } = hook(over);
  const { secret, lock } = newLock(wished.signed);
  return { hook: await store.hooks.add(wished, lock), secret };
}

export const signal = (over: Partial<Signal> = {}): Signal => ({
  ended: false,
  identity: { name: 'breakout', symbol: 'BTCUSDT' },
  severity: 'warning',
  title: 'Breakout',
  text: '',
  facts: [],
  kept: false,
  ...over,
});

let turn = 0;
export const received = (...signals: Signal[]): Received => ({
  hook: 'h1',
  key: `k${turn++}`,
  at: start,
  market: start,
  signals,
});

/** Steps hooks through signals and returns what becomes of their alerts. */
export function lived(over: Partial<Hook> = {}) {
  let state: HookState = hookState.parse({});
  const open = new Map<string, Alert>();
  let now = start;
  let hooks = new Map([['h1', hook(over)]]);
  const take = (...messages: Received[]): Alert[] => {
    const stepped = stepHooks(state, { received: messages, hooks, now });
    // In the form in which it is stored.
    state = hookState.parse(JSON.parse(JSON.stringify(stepped.state)));
    return stepped.changes.map((change) => {
      const print = fingerprint(change.labels);
      const alert = revise(open.get(print), change, now);
      if (alert === null) throw new Error('an end of nothing');
      if (alert.status === 'resolved') open.delete(print);
      else open.set(print, alert);
      return alert;
    });
  };
  const come = (...messages: Received[]) =>
    take(...messages).map((alert) => {
      const why = alert.end === null ? '' : `: ${say(alert.end.summary, plainReader)}`;
      return `${alert.status} ${say(alert.annotations.title, plainReader)}${why}`;
    });
  return {
    /** Returns the revisions. */
    take,
    /** Returns them in words. */
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
