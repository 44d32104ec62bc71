import type { Hook } from '#src/alert/hook.ts';
import { newLock } from '#src/hook/admit.ts';
import type { Signal } from '#src/hook/signal.ts';
import type { Store } from '#src/store/store.ts';
import { start } from './alerts.ts';

export const hook = (over: Partial<Hook> = {}): Hook => ({
  id: 'h1',
  receiver: { notifier: 'web', address: { room: 'mine' } },
  name: 'breakouts',
  template: {},
  severity: 'warning',
  lasts: null,
  signed: false,
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
