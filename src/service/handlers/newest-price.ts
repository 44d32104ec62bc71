import { hour } from '../../runtime/units.ts';

interface Priced {
  readonly price: number;
  readonly time: number;
}

/** Returns the newest of what was heard of a market, its mark and its last close. */
export const newestPrice = (
  heard: Priced | undefined,
  mark: { readonly time: number; readonly markPrice: number } | undefined,
  candle: { readonly time: number; readonly close: number } | undefined,
): Priced | undefined => {
  const known = [
    heard,
    mark && { price: mark.markPrice, time: mark.time },
    candle && { price: candle.close, time: candle.time + hour },
  ].filter((each) => each !== undefined);
  return known.reduce<Priced | undefined>(
    (newest, each) => (newest && newest.time >= each.time ? newest : each),
    undefined,
  );
};

export const bySymbol = <Row extends { readonly symbol: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, Row> => new Map(rows.map((row) => [row.symbol, row]));
