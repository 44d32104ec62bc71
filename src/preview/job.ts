import type { InhibitRule } from '../alert/inhibit.ts';
import type { Rule } from '../alert/rule.ts';
import type { MetricName } from '../rules/metrics.ts';
import type { PastPoints } from '../rules/past.ts';
import type { Seen } from '../rules/seen.ts';
import type { PastAlerts } from './past-alerts.ts';

/** What the thread of the past is started with: plain values. Times are market ms. */
export interface PastJob {
  /** The data service's archive; or what was seen of a rule's facts, in the order of time, and what it may be about. */
  readonly over:
    | { readonly archiveUrl: string }
    | { readonly seen: readonly Seen[]; readonly universe: readonly string[] };
  readonly from: number;
  readonly to: number;
  readonly inhibitRules: readonly InhibitRule[];
  /** Detectors by name, as configured, or someone's own rules. */
  readonly what:
    | {
        readonly detectors: readonly {
          readonly name: string;
          readonly options: unknown;
          readonly schedule: string;
        }[];
      }
    | { readonly rules: readonly Rule[] };
}

/** A number, of one symbol or (null) of the whole market. */
export interface PastNumber {
  readonly metric: MetricName;
  readonly symbol: string | null;
}

/** Instead: the past of a number. */
export interface LineJob extends Pick<PastJob, 'from' | 'to'> {
  readonly over: { readonly archiveUrl: string };
  readonly line: PastNumber;
}

export type PastAnswer =
  | { readonly past: PastAlerts }
  | { readonly points: PastPoints }
  | { readonly problem: string };

/** Replays a stretch of the past. Throws Error where it cannot be; rejects with the signal's reason. */
export type PastReplay = (job: PastJob, signal: AbortSignal) => Promise<PastAlerts>;

/** Reads a number's past, oldest first. Likewise. */
export type PastLine = (job: LineJob, signal: AbortSignal) => Promise<PastPoints>;
