import { type Alert, type Change, revise } from '#src/alert/alert.ts';
import type { Receiver, Silence, Subscription } from '#src/alert/subscription.ts';
import { hour } from '#src/runtime/units.ts';
import type { Delivery } from '#src/store/ports.ts';

/** 2026-01-01T00:00:00Z, the time at which most tests begin. */
export const start = Date.UTC(2026, 0, 1);

export const change = (
  given: Partial<Change> & { symbol?: string; kind?: string; title?: string } = {},
): Change => {
  const { symbol = 'BTCUSDT', kind = 'funding-extreme', title = `${symbol} ${kind}`, ...rest } = given;
  return {
    status: 'firing',
    severity: 'warning',
    labels: { kind, symbol },
    annotations: { title, summary: 'A summary.', facts: [{ name: 'z', value: '2.4' }], dataTime: start },
    ...rest,
  };
};

/** Returns the alert that a first change creates. */
export function firing(given: Parameters<typeof change>[0] = {}, now = start): Alert {
  const alert = revise(undefined, change(given), now);
  if (alert === null) throw new Error('a resolved change fires nothing');
  return alert;
}

export const next = (alert: Alert, given: Partial<Change>, now: number): Alert => {
  const revised = revise(alert, { ...change(), labels: alert.labels, ...given }, now);
  if (revised === null) throw new Error('an open alert always has a next revision');
  return revised;
};

export const receiver = (name: string | number = 'a', notifier = 'web'): Receiver => ({
  notifier,
  address: { room: String(name) },
});

export const subscription = (given: Partial<Omit<Subscription, 'id'>> = {}): Omit<Subscription, 'id'> => ({
  receiver: receiver(),
  kinds: ['*'],
  symbols: ['*'],
  minSeverity: 'info',
  quietHours: null,
  digest: null,
  mention: null,
  paused: false,
  createdBy: 'test',
  createdAt: start,
  ...given,
});

export const silence = (given: Partial<Silence> = {}): Silence => ({
  id: 's1',
  receiver: receiver(),
  kinds: ['*'],
  symbols: ['*'],
  startsAt: start,
  endsAt: start + hour,
  createdBy: 'test',
  ...given,
});

export const delivery = (given: Partial<Delivery> = {}): Delivery => ({
  at: start,
  alertId: 'a1',
  revision: 1,
  receiver: receiver(),
  title: 'x',
  outcome: 'sent',
  reason: null,
  ...given,
});
