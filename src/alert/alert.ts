import { createHash } from 'node:crypto';
import type { Text } from '../language/text.ts';
import type { Receiver } from './subscription.ts';

/** Severities, from routine to urgent. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const severityRank = (severity: Severity): number => severities.indexOf(severity);

/** The kind of alert that reports that a detector (named by the label `detector`) gets no usable data. */
export const dataBlind = 'data-blind';

/** What an alert is about. Labels identify the alert, so a changing number is never a label. `kind` is the detector's name. */
export type Labels = Readonly<Record<string, string>> & { readonly kind: string; readonly symbol?: string };

/**
 * A named value of an alert. Here and in the other types with this parameter, `Words` is `Text` until the texts are
 * translated for a reader, and `string` from then on.
 */
export interface Fact<Words extends Text = Text> {
  readonly name: Words;
  readonly value: Words;
}

/** The meaning of a colour. The renderer chooses the colour itself. */
export type Tone = 'good' | 'caution' | 'bad' | 'neutral';

export interface Series<Words extends Text = Text> {
  readonly name: Words;
  /** [market time in ms, value], oldest first. A value that is not a finite number is a gap. */
  readonly points: readonly (readonly [number, number])[];
  /**
   * `line` if absent. Bars at the same time are stacked: positive values upward, negative values downward. `steps`: each value
   * holds until the next, as a settlement does.
   */
  readonly shape?: 'line' | 'bars' | 'steps' | undefined;
  /** If given, the values are closes of candles, whatever the shape, and this is the rest of each; a volume of 0 is not drawn. */
  readonly candles?:
    | readonly (readonly [open: number, high: number, low: number, volume: number])[]
    | undefined;
  readonly tone?: Tone | undefined;
}

/** Series and marks that share one value axis. */
export interface Panel<Words extends Text = Text> {
  /** `USD`, `USDT` and `%` are written with the values; any other unit is written in words beside the title. */
  readonly unit: Words;
  readonly series: readonly Series<Words>[];
  /**
   * Levels: horizontal lines, for example the threshold at which the alert fired. With `to`, a zone from one value to the
   * other, for example where many positions would be liquidated.
   */
  readonly marks?:
    | readonly {
        readonly name: Words;
        readonly value: number;
        readonly to?: number | undefined;
        readonly tone?: Tone | undefined;
      }[]
    | undefined;
}

/** Values over market time. */
export interface Chart<Words extends Text = Text> extends Panel<Words> {
  readonly title: Words;
  /**
   * Where the values come from, shown on the picture itself, because a picture may be shared without its card. If a card
   * names its source, that source is put here.
   */
  readonly source?: Words | undefined;
  /** The market whose price belongs above the values, if the alert names none. */
  readonly priceOf?: string | undefined;
  /** A second panel below, for values with another unit: same time axis, its own value axis. */
  readonly below?: Panel<Words> | undefined;
  /**
   * Further panels on the same time axis, from top to bottom. Each says itself what it shows: a single series of it is not
   * listed in the legend.
   */
  readonly lanes?: readonly (Panel<Words> & { readonly name: Words })[] | undefined;
  /** Periods of time, market ms, for example regimes. Bands of the same name have the same tone. */
  readonly bands?:
    | readonly {
        readonly name: Words;
        readonly from: number;
        readonly to: number;
        readonly tone: Tone;
      }[]
    | undefined;
  /** Points in time, market ms, for example when a rule would have fired. */
  readonly moments?:
    | readonly { readonly name: Words; readonly at: number; readonly tone?: Tone | undefined }[]
    | undefined;
}

/** What moved before the price of a market did, and by how many ms. */
export interface FirstMover {
  readonly what: 'liquidations' | 'interest' | 'basis' | 'venue';
  readonly lead: number;
  /** The title of the venue whose price moved first. */
  readonly venue?: string | undefined;
}

/** The market of an alert at the moment at which the alert was told. */
export interface MarketThen {
  readonly price: number;
  readonly change1hPct?: number | undefined;
  readonly change24hPct?: number | undefined;
  /** Null: nothing unusual came before the price. Absent: it was not looked for, or could not be told. */
  readonly first?: FirstMover | null | undefined;
  /** Pages about the market for people: at its exchange first. */
  readonly pages?: readonly { readonly title: string; readonly url: string }[] | undefined;
  /** The data is simulated or recorded: the pages are about the real market, whose price is another. */
  readonly imitated?: true | undefined;
}

/** The content of an alert, which may change with every revision. */
export interface Annotations {
  readonly title: Text;
  readonly summary: Text;
  readonly facts: readonly Fact[];
  readonly chart?: Chart | undefined;
  /** Added where the alert is told; detectors leave it out. */
  readonly market?: MarketThen | undefined;
  /** How far the alert stands out among others of its kind, 0 or more. A post about several alerts is sorted by this. */
  readonly prominence?: number | undefined;
  /** The texts of this alert in a post about several alerts. Absent: the alert's kind and its title are used. */
  readonly inGroup?: {
    /** What such alerts are called together, in the title of the post. */
    readonly name: Text;
    /** The text of this alert's row in the table of the post. */
    readonly row: Text;
    /** How far the alert's market moved, percent. The title of the post gives the median over its alerts. */
    readonly change?: { readonly symbol: string; readonly pct: number };
  };
  /** Market time of the data that the alert is based on, ms. */
  readonly dataTime: number;
  /** At an end: whether the event goes on is not known, because its data is missing or it is no longer watched. */
  readonly unknown?: true;
}

export type AlertStatus = 'firing' | 'updated' | 'resolved';

/** What a detector reports: an alert begins, changes while it goes on, or ends. */
export interface Change {
  readonly status: AlertStatus;
  readonly labels: Labels;
  readonly severity: Severity;
  readonly annotations: Annotations;
  /** The only receiver of the alert. Subscriptions of other receivers do not apply, and nobody else may see the alert. */
  readonly only?: Receiver;
  /**
   * Alerts of a detector that name the same burst share one post. Null: the alert is sent at once in a post of its own.
   * Absent: the alert shares a post with all alerts of its kind that fire within the detector's `groupWait`.
   */
  readonly burst?: string | null;
  /**
   * If the post of the alert's burst has been sent already, the alert is added to the post by an edit, which notifies
   * nobody. An alert that is more severe than all alerts in the post notifies nevertheless.
   */
  readonly joins?: boolean;
}

/** The broader alert that covers a whole event, of which another alert is a part. */
export interface PartOf {
  readonly id: string;
  readonly labels: Labels;
  readonly peak: Severity;
  readonly title: Text;
  /** Whether the part was announced as an alert of its own before it was known to belong to the event. */
  readonly late: boolean;
}

/** One episode, from firing to resolving, of one set of labels, as of its latest revision. Times are market ms. */
export interface Alert extends Change {
  /** Identifies the episode. If the same fingerprint fires again later, that is another episode with another id. */
  readonly id: string;
  readonly fingerprint: string;
  /** 1 when the alert fires, increased by 1 with each change. */
  readonly revision: number;
  /** Severity of the previous revision; in the first revision equal to `severity`. */
  readonly previousSeverity: Severity;
  /** The worst severity that the alert has reached. */
  readonly peak: Severity;
  /**
   * The latest revision in which the alert began, escalated or was released after it had been held back. A receiver that
   * has not seen it yet is notified.
   */
  readonly newsRevision: number;
  /** When the alert last escalated; absent if it never has. */
  readonly worsenedAt?: number;
  readonly partOf?: PartOf;
  /** The annotations, without the chart, from the alert's peak. When the alert ends, `annotations` are set back to these. */
  readonly event: Annotations;
  /** What the change that ended the alert says; null while the alert goes on. */
  readonly end: Pick<Annotations, 'title' | 'summary' | 'unknown'> | null;
  readonly startsAt: number;
  readonly updatedAt: number;
  /** What the clock showed at this revision, if it was wrong: what was sent of it is known by this time. */
  readonly writtenAt?: number;
  readonly endsAt: number | null;
}

/** Returns whether this revision raised the severity. An escalation is sent as a new message, because edits notify nobody. */
export const escalated = (alert: Pick<Alert, 'severity' | 'previousSeverity' | 'status'>): boolean =>
  alert.status === 'updated' && severityRank(alert.severity) > severityRank(alert.previousSeverity);

/**
 * Returns whether an alert is urgent: critical, in the revision that fires, releases or raises it to critical. Urgent alerts
 * are sent before others and during quiet hours.
 */
export const isUrgent = (alert: Alert): boolean =>
  alert.severity === 'critical' && (alert.status === 'firing' || escalated(alert));

/** Returns a hash of the labels, 16 hex digits. The order of the labels does not matter. */
export function fingerprint(labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}

/** Returns the annotations at the alert's peak: the highest severity, then the highest prominence, then the earliest. */
function peakOf(open: Alert, { status, severity, annotations }: Change): Annotations {
  if (status === 'resolved') return open.event;
  const step = severityRank(severity) - severityRank(open.peak);
  const isMoreProminent = (annotations.prominence ?? 0) > (open.event.prominence ?? 0);
  return step > 0 || (step === 0 && isMoreProminent) ? withoutChart(annotations) : open.event;
}

const withoutChart = ({ chart: _, ...annotations }: Annotations): Annotations => annotations;

/**
 * Returns the alert after a change. `open` is the alert before the change; undefined if none is open.
 * Returns null if the change resolves an alert that is not open.
 */
export function revise(open: Alert | undefined, change: Change, now: number): Alert | null {
  if (open === undefined) {
    if (change.status === 'resolved') return null;
    const hash = fingerprint(change.labels);
    return {
      ...change,
      status: 'firing',
      id: `${hash}-${now.toString(36)}`,
      fingerprint: hash,
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
  const escalates = escalated({ status, severity: change.severity, previousSeverity: open.severity });
  const revision = open.revision + 1;
  const event = peakOf(open, change);
  const { title, summary, unknown } = change.annotations;
  const isResolved = status === 'resolved';
  // What cannot be obtained this time is kept from before; what moved first is looked for when news is told.
  const { chart = open.annotations.chart, market = open.annotations.market } = change.annotations;
  const { first = open.annotations.market?.first } = market ?? {};
  const { writtenAt: _, ...before } = open;
  return {
    ...change,
    // Also whom it is for: its place may have moved since the detector last knew it.
    ...before,
    annotations: {
      ...(isResolved ? event : { ...change.annotations, ...(market && { market: { ...market, first } }) }),
      ...(chart !== undefined && { chart }),
    },
    status,
    severity: change.severity,
    revision,
    previousSeverity: open.severity,
    peak: severityRank(change.severity) > severityRank(open.peak) ? change.severity : open.peak,
    newsRevision: escalates ? revision : open.newsRevision,
    ...(escalates && { worsenedAt: now }),
    event,
    end: isResolved ? { title, summary, ...(unknown && { unknown }) } : null,
    updatedAt: now,
    endsAt: isResolved ? now : null,
  };
}
