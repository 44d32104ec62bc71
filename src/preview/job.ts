import type { InhibitRule } from '../alert/inhibit.ts';
import type { Rule } from '../alert/rule.ts';
import type { MetricName } from '../rules/metrics.ts';
import type { PastPoints } from '../rules/past.ts';
import type { Seen } from '../rules/past-readings.ts';
import type { PastAlerts } from './past-alerts.ts';

/** A job of the process that replays the past, in plain values. Times are market ms. */
export interface PastJob {
  /**
   * The source of the past: the data service's archive, or the recorded facts of a rule, in the order of time, with the
   * symbols that the rule may be about.
   */
  readonly over:
    | { readonly archiveUrl: string }
    | { readonly seen: readonly Seen[]; readonly universe: readonly string[] };
  readonly from: number;
  readonly to: number;
  readonly inhibitRules: readonly InhibitRule[];
  /** The detectors, by name and as configured, or somebody's own rules. */
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

/** A figure of one symbol or (null) of the whole market. */
export interface PastNumber {
  readonly metric: MetricName;
  readonly symbol: string | null;
}

/** A job of the same process that reads the past of a figure instead. */
export interface LineJob extends Pick<PastJob, 'from' | 'to'> {
  readonly over: { readonly archiveUrl: string };
  readonly line: PastNumber;
}

export type PastAnswer =
  | { readonly past: PastAlerts }
  | { readonly points: PastPoints }
  | { readonly problem: string };

/** Replays a period of the past. Throws Error if that is impossible; rejects with the signal's reason when it aborts. */
export type PastReplay = (job: PastJob, signal: AbortSignal) => Promise<PastAlerts>;

/** Reads a figure's past, oldest first. Errors are those of PastReplay. */
export type PastLine = (job: LineJob, signal: AbortSignal) => Promise<PastPoints>;
