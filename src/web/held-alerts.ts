import { computed, signal } from '@preact/signals';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';

const alertById = new Map<string, AlertRow>();
/** All alerts, the newest change first. */
export const alerts = signal<readonly AlertRow[]>([]);
/** Whether the page has got its first alerts, even if there are none. */
export const haveAlertsArrived = signal(false);
/** How many alerts the page holds, besides firing ones. */
const maxAlerts = 400;

const byNewest = (a: AlertRow, b: AlertRow) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);

function updateAlerts(): void {
  const all = [...alertById.values()].sort(byNewest);
  for (const { id, endsAt } of all.slice(maxAlerts)) if (endsAt !== null) alertById.delete(id);
  alerts.value = [...alertById.values()].sort(byNewest);
}

/** Replaces all alerts that the page has with these. */
export function replaceAlerts(rows: readonly AlertRow[]): void {
  alertById.clear();
  for (const row of rows) alertById.set(row.id, row);
  updateAlerts();
  haveAlertsArrived.value = true;
}

/** Returns the oldest ended alert that the page has. Of those that ended after it, the page lacks none. */
export const oldestEnded = (): AlertRow | undefined =>
  alerts.peek().findLast(({ endsAt }) => endsAt !== null);

/** Adds changed alerts. One that ended before all that the page has would leave a gap, and is loaded on request. */
export function receiveAlerts(rows: readonly AlertRow[]): void {
  const from = oldestEnded()?.updatedAt ?? Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const before = alertById.get(row.id);
    const isWanted =
      before === undefined ? row.endsAt === null || row.updatedAt >= from : before.revision <= row.revision;
    if (isWanted) alertById.set(row.id, row);
  }
  updateAlerts();
}

export const firing = computed(() => alerts.value.filter(({ endsAt }) => endsAt === null));
