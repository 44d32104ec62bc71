import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';

/** Alerts that are shown as one row, represented by the first. */
interface Fold {
  /** Stays the same as long as the earliest alert, and whether it fires, stay the same. */
  readonly key: string;
  readonly alerts: readonly AlertRow[];
}

/** Alerts that begin within this many market ms of each other belong to one event. */
const maxGap = 5 * 60_000;

/** Returns what the alerts of one row have in common: their kind, their common name, and whether they fire. */
const kindOf = ({ kind, groupName, endsAt }: AlertRow) => `${kind} ${groupName} ${endsAt === null}`;

/**
 * Folds simultaneous alerts of one kind into one row: 20 markets whose open interest unwinds are one event. Firing
 * alerts and ended ones are never in the same row. Rows are in the order of their newest alert.
 */
export function foldAlerts(rows: readonly AlertRow[]): readonly Fold[] {
  const lastFoldByKind = new Map<string, AlertRow[]>();
  const folds: AlertRow[][] = [];
  for (const row of rows.toSorted((a, b) => b.startsAt - a.startsAt)) {
    // Alerts without a common name each get their own row.
    const last = row.groupName === undefined ? undefined : lastFoldByKind.get(kindOf(row));
    const [oldest] = last?.slice(-1) ?? [];
    if (last !== undefined && oldest !== undefined && oldest.startsAt - row.startsAt <= maxGap)
      last.push(row);
    else {
      const fold = [row];
      lastFoldByKind.set(kindOf(row), fold);
      folds.push(fold);
    }
  }
  return folds.map((alerts) => ({ key: `${alerts.at(-1)?.id} ${alerts[0]?.endsAt === null}`, alerts }));
}

const rank = { info: 0, warning: 1, critical: 2 } as const;

/** Returns the alerts, the most severe first. */
export const bySeverity = (alerts: readonly AlertRow[]): AlertRow[] =>
  alerts.toSorted((a, b) => rank[b.severity] - rank[a.severity]);
