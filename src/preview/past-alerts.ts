import { type Alert, escalated, type Labels, type Severity, severityRank } from '../alert/alert.ts';
import { type InhibitRule, inhibitor } from '../alert/inhibit.ts';

/** One alert that was or would have been. Times are market ms. */
export interface PastAlert {
  readonly labels: Labels;
  readonly startsAt: number;
  /** Null: it goes on. */
  readonly endsAt: number | null;
  /** When it was told and, each time it got worse, told anew; ascending, and none where it was held back throughout. */
  readonly tellings: readonly { readonly at: number; readonly severity: Severity }[];
}

/** What a stretch of the past held. Times are market ms. */
export interface PastAlerts {
  readonly from: number;
  readonly to: number;
  /** In the order in which they began. */
  readonly alerts: readonly PastAlert[];
  /** From when on each kind was looked for; a kind that is missing could not be. */
  readonly since: Readonly<Record<string, number>>;
}

interface Followed {
  alert: Alert;
  /** It is known to whom it concerns. */
  told: boolean;
  /** Fingerprint of what holds it back. */
  heldBy: string | null;
  readonly tellings: { at: number; severity: Severity }[];
}

/**
 * Follows revisions in the order of time, with what holds back what as in the pipeline: what a broader alert holds
 * back is told when that ends, if it still goes on, and never where it is over before.
 */
export function followAlerts(rules: readonly InhibitRule[]) {
  const all: Followed[] = [];
  const open = new Map<string, Followed>();
  const holder = (alert: Alert) =>
    inhibitor(
      rules,
      [...open.values()].map((other) => other.alert),
      alert,
    );
  const tell = (followed: Followed, at: number) => {
    followed.heldBy = null;
    followed.told = true;
    followed.tellings.push({ at, severity: followed.alert.severity });
  };

  return {
    add(alert: Alert): void {
      const known = open.get(alert.fingerprint);
      // What began before the first revision seen was told then.
      const followed = known ?? { alert, told: alert.revision > 1, heldBy: null, tellings: [] };
      followed.alert = alert;
      if (known === undefined) all.push(followed);
      open.set(alert.fingerprint, followed);

      const now = alert.updatedAt;
      if (followed.told) {
        if (escalated(alert)) tell(followed, now);
      } else {
        const by = holder(alert);
        if (by !== undefined) followed.heldBy = by.fingerprint;
        else if (alert.status !== 'resolved') tell(followed, now);
      }
      if (alert.status !== 'resolved') return;
      open.delete(alert.fingerprint);
      for (const other of open.values()) {
        if (other.heldBy !== alert.fingerprint) continue;
        const still = holder(other.alert);
        if (still === undefined) tell(other, now);
        else other.heldBy = still.fingerprint;
      }
    },

    alerts: (): PastAlert[] =>
      all.map(({ alert, tellings }) => ({
        labels: alert.labels,
        startsAt: alert.startsAt,
        endsAt: alert.endsAt,
        tellings,
      })),
  };
}

/** Alerts as they were kept: of when one got worse, only the worst it reached is known. */
export const keptAlerts = (alerts: readonly Alert[], to: number): PastAlerts => {
  const past = alerts
    .filter(({ startsAt }) => startsAt <= to)
    .sort((a, b) => a.startsAt - b.startsAt)
    .map(({ labels, startsAt, endsAt, peak }) => ({
      labels,
      startsAt,
      endsAt,
      tellings: [{ at: startsAt, severity: peak }],
    }));
  const from = past[0]?.startsAt ?? to;
  return { from, to, alerts: past, since: {} };
};

/** When it was first told to whom only this severity and worse is told; undefined where it never was. */
export const firstTold = ({ tellings }: PastAlert, minSeverity: Severity): number | undefined =>
  tellings.find(({ severity }) => severityRank(severity) >= severityRank(minSeverity))?.at;
