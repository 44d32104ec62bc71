import { expect, it } from 'vitest';
import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { alerts, oldestEnded, receiveAlerts, replaceAlerts } from '#src/web/held-alerts.ts';

const row = (id: string, updatedAt: number, given: Partial<AlertRow> = {}) =>
  ({ id, updatedAt, endsAt: updatedAt, revision: 1, ...given }) as AlertRow;
const ids = () => alerts.value.map(({ id }) => id);

it('alerts that the page receives leave no gap: an older one that has ended is loaded on request', () => {
  replaceAlerts([row('c', 30), row('b', 20), row('f', 5, { endsAt: null })]);
  receiveAlerts([row('d', 40), row('a', 10), row('g', 1, { endsAt: null })]);
  expect(ids()).toEqual(['d', 'c', 'b', 'f', 'g']);
  expect(oldestEnded()?.id).toBe('b');
  receiveAlerts([row('b', 20, { delivery: 'held' }), row('f', 6, { revision: 2 })]);
  expect(alerts.value.find(({ id }) => id === 'b')?.delivery).toBe('held');
  receiveAlerts([row('f', 5, { revision: 1 })]);
  expect(alerts.value.find(({ id }) => id === 'f')?.revision).toBe(2);
});

it('the page holds 400 alerts, and besides them all that fire', () => {
  replaceAlerts([
    row('firing', 0, { endsAt: null }),
    ...Array.from({ length: 401 }, (_, n) => row(`ended ${n}`, n + 1)),
  ]);
  expect([ids().length, ids().includes('firing'), oldestEnded()?.id]).toEqual([401, true, 'ended 1']);
});

it('a page without alerts takes all', () => {
  replaceAlerts([]);
  receiveAlerts([row('a', 10)]);
  expect(ids()).toEqual(['a']);
});
