import {
  type Alert,
  escalated,
  type Labels,
  type PartOf,
  type Severity,
  severityRank,
} from '../alert/alert.ts';
import { eventOf, events, type InhibitRule, inhibitor, partOf } from '../alert/inhibit.ts';
import type { Outcome } from '../alert/outcome.ts';

/** One alert that was or would have been. Times are market ms. */
export interface PastAlert {
  readonly labels: Labels;
  readonly startsAt: number;
  /** Null: it goes on. */
  readonly endsAt: number | null;
  /** The burst whose post it joins by an edit. */
  readonly wave?: string;
  /** When it was told and, each time it got worse, told anew; ascending, and none where it was held back throughout. */
  readonly announcements: readonly {
    readonly at: number;
    readonly severity: Severity;
    readonly partOf?: PastPart;
  }[];
}

/** Of what a telling is a part, and since when that was known: whoever is told of the event is not told of it besides. */
export interface PastPart extends PartOf {
  readonly since: number;
}

/** What a stretch of the past held. Times are market ms. */
export interface PastAlerts {
  readonly from: number;
  readonly to: number;
  /** In the order in which they began. */
  readonly alerts: readonly PastAlert[];
  /** From when on each kind was looked for; a kind that is missing could not be. */
  readonly since: Readonly<Record<string, number>>;
  /** What the price did after those that were told, where that was asked for. */
  readonly record?: PastRecord;
}

/** Plain JSON: it is kept over restarts. */
export interface PastRecord {
  readonly outcomes: readonly Outcome[];
  /** Of each symbol, the close of each hour from `from` (market ms) on; null where it is missing. */
  readonly closes: Readonly<
    Record<string, { readonly from: number; readonly prices: readonly (number | null)[] }>
  >;
}

interface Followed {
  alert: Alert;
  /** It is known to whom it concerns. */
  routed: boolean;
  /** Fingerprint of what holds it back. */
  heldBy: string | null;
  /** As its first revision says: the burst whose post it joins by an edit. */
  readonly wave: string | undefined;
  /** Of what it is a part. */
  part: PastPart | undefined;
  readonly announcements: { at: number; severity: Severity; partOf?: PastPart }[];
}

/**
 * Follows revisions in the order of time, with what holds back what as in the pipeline: what a broader alert holds
 * back is told when that ends, if it still goes on, and never where it is over before.
 */
export function followAlerts(rules: readonly InhibitRule[]) {
  const all: Followed[] = [];
  const open = new Map<string, Followed>();
  const holder = (alert: Alert) =>
    inhibitor(rules, { firing: [...open.values()].map((other) => other.alert), alert });
  const { kinds, after } = events(rules);
  let lately: Followed[] = [];
  const tell = (followed: Followed, at: number) => {
    followed.heldBy = null;
    followed.routed = true;
    const { part, alert } = followed;
    followed.announcements.push({
      at,
      severity: alert.severity,
      ...(part !== undefined && { partOf: part }),
    });
  };
  const partAt = (alert: Alert, now: number): PastPart | undefined => {
    lately = lately.filter((each) => now - (each.alert.endsAt ?? now) <= after);
    const announced = lately.filter(({ heldBy }) => heldBy === null).map((each) => each.alert);
    const event = eventOf(rules, { events: announced, alert, at: now });
    return event && { ...partOf(event, false), since: now };
  };
  /** What goes on already belongs to an event that begins; so does what was told of it and still waits. */
  const begin = (event: Followed, now: number) => {
    lately.unshift(event);
    for (const other of all) {
      const { alert } = other;
      if (other.part !== undefined || alert.endsAt !== null) continue;
      if (eventOf(rules, { events: [event.alert], alert, at: alert.startsAt }) === undefined) continue;
      other.part = { ...partOf(event.alert, true), since: now };
      for (const announcement of other.announcements) announcement.partOf = other.part;
    }
  };

  return {
    add(alert: Alert): void {
      const known = open.get(alert.fingerprint);
      // What began before the first revision seen was told then.
      const followed = known ?? {
        alert,
        routed: alert.revision > 1,
        heldBy: null,
        wave: alert.joins === true ? (alert.burst ?? undefined) : undefined,
        part: undefined,
        announcements: [],
      };
      followed.alert = alert;
      if (known === undefined) all.push(followed);
      open.set(alert.fingerprint, followed);

      const now = alert.updatedAt;
      if (known === undefined || (followed.part !== undefined && escalated(alert)))
        followed.part = partAt(alert, now);
      if (known === undefined && kinds.includes(alert.labels.kind)) begin(followed, now);
      if (followed.routed) {
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
      all.map(({ alert, wave, announcements }) => ({
        labels: alert.labels,
        startsAt: alert.startsAt,
        endsAt: alert.endsAt,
        ...(wave !== undefined && { wave }),
        announcements,
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
      announcements: [{ at: startsAt, severity: peak }],
    }));
  const from = past[0]?.startsAt ?? to;
  return { from, to, alerts: past, since: {} };
};

/** What was first told to whom only this severity and worse is told; undefined where nothing was. */
export const firstAnnouncement = (
  { announcements }: Pick<PastAlert, 'announcements'>,
  minSeverity: Severity,
): PastAlert['announcements'][number] | undefined =>
  announcements.find(({ severity }) => severityRank(severity) >= severityRank(minSeverity));
