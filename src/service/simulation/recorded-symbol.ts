import type { Candle, SettledFunding } from '../archive/archive.ts';

/** Recorded values that replace the generated values of one symbol. */
export interface RecordedSymbol {
  /** Hourly candles by open time. A missing hour is a gap in the recording. */
  readonly candles: ReadonlyMap<number, Candle> | undefined;
  /** Settlements in ascending order of time. */
  readonly funding: readonly SettledFunding[] | undefined;
}

export type RecordedSymbols = ReadonlyMap<string, RecordedSymbol>;
