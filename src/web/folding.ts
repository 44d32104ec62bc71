import type { AlertRow } from '../platforms/alert-feed.ts';

/** Alerts that are shown as one row: the first stands for them. */
export interface Fold {
  /** Stays the same for as long as its first alert does. */
  readonly key: string;
  readonly alerts: readonly AlertRow[];
}

/** Market ms within which two beginnings are one event. */
const together = 5 * 60_000;

/** Their common name, if they are several of one event. */
const kindOf = ({ kind, groupName, endsAt }: AlertRow) => `${kind} ${groupName} ${endsAt === null}`;

/**
 * Simultaneous alerts of one kind are one row: 20 markets whose open interest unwinds are one event. Those that fire stay
 * apart from those that ended, so that no row says firing of one that has ended. In the order of their newest.
 */
export function folded(rows: readonly AlertRow[]): readonly Fold[] {
  const open = new Map<string, AlertRow[]>();
  const folds: AlertRow[][] = [];
  for (const row of rows.toSorted((a, b) => b.startsAt - a.startsAt)) {
    // Without a name for all of them, each says itself.
    const last = row.groupName === undefined ? undefined : open.get(kindOf(row));
    const [oldest] = last?.slice(-1) ?? [];
    if (last !== undefined && oldest !== undefined && oldest.startsAt - row.startsAt <= together)
      last.push(row);
    else {
      const fold = [row];
      open.set(kindOf(row), fold);
      folds.push(fold);
    }
  }
  return folds.map((alerts) => ({ key: `${alerts.at(-1)?.id} ${alerts[0]?.endsAt === null}`, alerts }));
}

const rank = { info: 0, warning: 1, critical: 2 } as const;

/** The worst of them. */
export const severityOf = (alerts: readonly AlertRow[]): AlertRow['severity'] =>
  alerts.reduce<AlertRow['severity']>(
    (worst, { severity }) => (rank[severity] > rank[worst] ? severity : worst),
    'info',
  );
