import type { Caller } from '../../../shell/command.ts';

/** What the price did a given time after the alerts of one kind, for a table or chart. Shares are from 0 to 1. */
export interface RecordRow {
  readonly kind: string;
  /** Time after the alert, ms. */
  readonly horizon: number;
  /** `horizon` in words. */
  readonly after: string;
  /** The smallest event worth an alert of the kind, and what its alerts say about the price, in words. */
  readonly about: string;
  readonly posted: RecordCell;
  /** The posted alerts of the last 90 days alone. */
  readonly recent: RecordCell;
  /** The same for alerts that the detectors would have sent on past data (a replay); never added to `posted`. */
  readonly replayed?: RecordCell | undefined;
}

export interface RecordCell {
  readonly n: number;
  /** The result in words; also if there are too few alerts for a result. */
  readonly said: string;
  /** Absent if there are too few alerts. */
  readonly found?: {
    /** Share of hits minus the usual share. */
    readonly difference: number;
    /** Confidence interval of `difference`. */
    readonly edge: readonly [low: number, high: number];
    /** The smallest difference that this number of alerts would have shown. */
    readonly shows: number;
    /** These figures as the command writes them. */
    readonly edgeText: string;
    readonly showsText: string;
    readonly hitsText: string;
    readonly says: 'more' | 'less' | 'nothing' | 'few';
  };
}

export interface RecordTable {
  /** Sorted by kind, then by horizon. */
  readonly rows: readonly RecordRow[];
  /** What is counted, and how: the same lines as under the command's answer. */
  readonly method: readonly string[];
}

export type ReadRecord = (caller: Caller) => Promise<RecordTable>;
