import type { RegimeRow } from '../archive/archive.ts';

/** A closed hourly bar of BTC. */
export interface ClosedBar {
  /** Open time, ms. */
  readonly time: number;
  readonly close: number;
}

/** JSON: `restoreRegimeWalk` goes on from it exactly where the walk stood. */
export interface RegimeSnapshot {
  readonly version: string;
  readonly [field: string]: unknown;
}

export interface RegimeWalk {
  /**
   * The label of the hour just closed, final once given; null until the model is trained. Bars ascend in time;
   * one not newer than the last is a RangeError.
   */
  push(bar: ClosedBar): RegimeRow | null;
  snapshot(): RegimeSnapshot;
}

export declare function createRegimeWalk(): RegimeWalk;
/** Throws a RangeError where the snapshot is of another version: walk anew from the first bar. */
export declare function restoreRegimeWalk(snapshot: RegimeSnapshot): RegimeWalk;
