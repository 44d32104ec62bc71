import type { Caller } from '../shell/command.ts';

/** What came of the alerts of one kind after one length of time, for whoever draws it. Shares are from 0 to 1. */
export interface RecordRow {
  readonly kind: string;
  /** Ms after the alert, and in words. */
  readonly horizon: number;
  readonly after: string;
  readonly posted: RecordCell;
  /** Of what the same detectors would have sent before; never added to what was posted. */
  readonly replayed?: RecordCell;
}

export interface RecordCell {
  readonly n: number;
  readonly days: number;
  /** What it comes to, in words; also that there is not enough. */
  readonly said: string;
  /** Absent where there is not enough. */
  readonly found?: {
    /** Hits less what is usual: the estimate, its interval, and the smallest difference that would have shown. */
    readonly difference: number;
    readonly edge: readonly [low: number, high: number];
    readonly shows: number;
    /** As the command writes them. */
    readonly edgeText: string;
    readonly showsText: string;
    readonly hitsText: string;
    readonly says: 'more' | 'less' | 'nothing' | 'few';
  };
}

export interface RecordTable {
  /** By kind, then by length of time. */
  readonly rows: readonly RecordRow[];
  /** What is counted, and how: as under the command's answer. */
  readonly method: readonly string[];
}

export type ReadRecord = (caller: Caller) => Promise<RecordTable>;
