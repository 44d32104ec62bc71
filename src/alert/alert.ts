import { createHash } from 'node:crypto';
import type { Text } from '../language/text.ts';
import type { Receiver } from './subscription.ts';

/** From routine to urgent. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const severityRank = (severity: Severity): number => severities.indexOf(severity);

/** The kind of alert that says that another kind (label `detector`) sees nothing. */
export const dataBlind = 'data-blind';

/** What an alert is about. Labels identify: a number that moves is never one. `kind` is the detector's name. */
export type Labels = Readonly<Record<string, string>> & { readonly kind: string; readonly symbol?: string };

/** `Words` is `Text`, and `string` once it is said in its reader's language; so it is with all that holds texts. */
export interface Fact<Words extends Text = Text> {
  readonly name: Words;
  readonly value: Words;
}

/** What a colour says. Which colour that is, the renderer decides. */
export type Tone = 'good' | 'caution' | 'bad' | 'neutral';

export interface Series<Words extends Text = Text> {
  readonly name: Words;
  /** [market time in ms, value], oldest first. A value that is no number is a gap. */
  readonly points: readonly (readonly [number, number])[];
  /** Lines where it is absent. Bars of one time stand on each other: positive ones upward, negative ones downward. */
  readonly shape?: 'line' | 'bars';
  readonly tone?: Tone;
}

/** What shares one axis. */
export interface Panel<Words extends Text = Text> {
  /** `USD`, `USDT` and `%` are written with the values; any other, in words, beside the title. */
  readonly unit: Words;
  readonly series: readonly Series<Words>[];
  /** Horizontal lines worth seeing: the level that fired, say. */
  readonly marks?: readonly { readonly name: Words; readonly value: number; readonly tone?: Tone }[];
}

/** Values over market time. */
export interface Chart<Words extends Text = Text> extends Panel<Words> {
  readonly title: Words;
  /** Where its values come from, on the picture itself: it travels without its card. The card's own goes here. */
  readonly source?: Words;
  /** What has another unit: over the same time, on an axis of its own. */
  readonly below?: Panel<Words>;
  /** Stretches of time, market ms: the regimes, say. Those of one name share a tone. */
  readonly bands?: readonly {
    readonly name: Words;
    readonly from: number;
    readonly to: number;
    readonly tone: Tone;
  }[];
  /** Instants, market ms: where a rule would have fired, say. */
  readonly moments?: readonly { readonly name: Words; readonly at: number; readonly tone?: Tone }[];
}

/** What an alert says: may change with every revision. */
export interface Annotations {
  readonly title: Text;
  readonly summary: Text;
  readonly facts: readonly Fact[];
  readonly chart?: Chart;
  /** How far it stands out beside others of its kind, from 0 up: by it a group is ranked. */
  readonly prominence?: number;
  /** In a post about several. Left out: its kind, and its title. */
  readonly inGroup?: {
    /** What they all are. */
    readonly name: Text;
    /** What it adds to that. */
    readonly row: Text;
    /** How far its market moved, percent: of several, the group tells the median. */
    readonly change?: { readonly symbol: string; readonly pct: number };
  };
  /** Market time of the data it was concluded from, ms. */
  readonly dataTime: number;
}

export type AlertStatus = 'firing' | 'updated' | 'resolved';

/** What a detector reports: an alert begins, goes on otherwise, or ends. */
export interface Change {
  readonly status: AlertStatus;
  readonly labels: Labels;
  readonly severity: Severity;
  readonly annotations: Annotations;
  /** It is for this place alone, whatever others are subscribed to, and nobody else's to see. */
  readonly only?: Receiver;
  /**
   * The post it begins is shared by those of its detector that name the same burst; null: by none, and it is told at
   * once. Left out: by all of its kind that fire within the detector's `groupWait`.
   */
  readonly burst?: string | null;
  /** Where the post of its burst stands, it joins that by an edit, unless it is worse than all that stands there. */
  readonly joins?: boolean;
}

/** The broader alert that tells the whole of an event, for whoever is told of it. */
export interface PartOf {
  readonly id: string;
  readonly labels: Labels;
  readonly peak: Severity;
  readonly title: Text;
  /** What is a part of it was announced by itself before that was known. */
  readonly late: boolean;
}

/** One episode of one fingerprint, as of its latest revision. Times are market ms. */
export interface Alert extends Change {
  /** Identifies the episode: the same fingerprint firing again later is another one. */
  readonly id: string;
  readonly fingerprint: string;
  /** 1 when it fires, and one more with each change. */
  readonly revision: number;
  /** Severity of the revision before this one; equal to `severity` in the first. */
  readonly previousSeverity: Severity;
  /** The worst severity it has reached. */
  readonly peak: Severity;
  /** The latest revision that began or escalated it: what is told where nothing of it has been told yet. */
  readonly newsRevision: number;
  /** When it last got worse; absent where it never has. */
  readonly worsenedAt?: number;
  readonly partOf?: PartOf;
  /** What it said when it stood out most: what `annotations` are again once it has ended. Without its chart. */
  readonly event: Annotations;
  /** What its end said; null while it goes on. */
  readonly end: Pick<Annotations, 'title' | 'summary'> | null;
  readonly startsAt: number;
  readonly updatedAt: number;
  readonly endsAt: number | null;
}

/** An escalation is told anew, because edits notify nobody. */
export const escalated = (alert: Pick<Alert, 'severity' | 'previousSeverity' | 'status'>): boolean =>
  alert.status === 'updated' && severityRank(alert.severity) > severityRank(alert.previousSeverity);

/** Urgent goes before routine and breaks quiet hours: what is critical, when it fires or gets there. */
export const isUrgent = (alert: Alert): boolean =>
  alert.severity === 'critical' && (alert.status === 'firing' || escalated(alert));

/** Same labels, same fingerprint, whatever their order. 16 hex digits. */
export function fingerprint(labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}

/** At its peak: severity counts most, then how far it stands out; of two alike the first. */
function peakOf(open: Alert, { status, severity, annotations }: Change): Annotations {
  if (status === 'resolved') return open.event;
  const step = severityRank(severity) - severityRank(open.peak);
  const further = (annotations.prominence ?? 0) > (open.event.prominence ?? 0);
  return step > 0 || (step === 0 && further) ? withoutChart(annotations) : open.event;
}

const withoutChart = ({ chart: _, ...annotations }: Annotations): Annotations => annotations;

/** The alert a change makes of the episode before it (`undefined`: none is open). Null: nothing to tell. */
export function revise(
  open: Alert | undefined,
  { change, now }: { readonly change: Change; readonly now: number },
): Alert | null {
  const print = fingerprint(change.labels);
  if (open === undefined) {
    if (change.status === 'resolved') return null;
    return {
      ...change,
      status: 'firing',
      id: `${print}-${now.toString(36)}`,
      fingerprint: print,
      revision: 1,
      previousSeverity: change.severity,
      peak: change.severity,
      newsRevision: 1,
      event: withoutChart(change.annotations),
      end: null,
      startsAt: now,
      updatedAt: now,
      endsAt: null,
    };
  }
  const status = change.status === 'firing' ? 'updated' : change.status;
  const worse = escalated({ status, severity: change.severity, previousSeverity: open.severity });
  const revision = open.revision + 1;
  const event = peakOf(open, change);
  const { title, summary } = change.annotations;
  const over = status === 'resolved';
  // Where what it is drawn of cannot be had for once, the evidence is what was drawn last.
  const { chart = open.annotations.chart } = change.annotations;
  return {
    ...change,
    annotations: { ...(over ? event : change.annotations), ...(chart !== undefined && { chart }) },
    status,
    id: open.id,
    fingerprint: print,
    revision,
    previousSeverity: open.severity,
    peak: severityRank(change.severity) > severityRank(open.peak) ? change.severity : open.peak,
    newsRevision: worse ? revision : open.newsRevision,
    ...(worse ? { worsenedAt: now } : open.worsenedAt !== undefined && { worsenedAt: open.worsenedAt }),
    ...(open.joins !== undefined && { joins: open.joins }),
    ...(open.partOf !== undefined && { partOf: open.partOf }),
    event,
    end: over ? { title, summary } : null,
    startsAt: open.startsAt,
    updatedAt: now,
    endsAt: over ? now : null,
  };
}
