import type { InhibitRule } from '../alert/inhibit.ts';
import type { Rule } from '../alert/rule.ts';
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

export type PastAnswer = { readonly past: PastAlerts } | { readonly problem: string };

/** Replays a stretch of the past. Throws Error where it cannot be; rejects with the signal's reason. */
export type PastReplay = (job: PastJob, signal: AbortSignal) => Promise<PastAlerts>;
