import type { Candle, SettledFunding } from '../archive/archive.ts';

/** What replaces the made values of one symbol. */
export interface RecordedSymbol {
  /** By open time; an hour without one is a gap. */
  readonly candles?: ReadonlyMap<number, Candle>;
  /** Ascending. */
  readonly funding?: readonly SettledFunding[];
}

export type RecordedSymbols = ReadonlyMap<string, RecordedSymbol>;
