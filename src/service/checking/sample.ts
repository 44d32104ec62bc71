import { bits, keyOf } from '../simulation/random.ts';

/**
 * Returns the symbols of one round. Every symbol is checked once before any is checked again: all symbols are shuffled
 * anew for every pass, by the seed, and each round takes the next `count`.
 */
export function sampleSymbols(
  symbols: readonly string[],
  { count, round, seed }: { readonly count: number; readonly round: number; readonly seed: number },
): readonly string[] {
  const { length } = symbols;
  if (length <= count) return symbols;
  const [from, to] = [round * count, round * count + count - 1];
  // A round may end one pass and begin the next.
  const passes = [...new Set([Math.floor(from / length), Math.floor(to / length)])];
  const order = passes.flatMap((pass) => shuffled(symbols, { seed, pass }));
  const first = from % length;
  return [...new Set(order.slice(first, first + count))];
}

function shuffled(
  symbols: readonly string[],
  { seed, pass }: { readonly seed: number; readonly pass: number },
): readonly string[] {
  const drawBySymbol = new Map(symbols.map((symbol) => [symbol, bits(keyOf(seed, symbol), pass, 0)]));
  return symbols.toSorted(
    (a, b) => (drawBySymbol.get(a) ?? 0) - (drawBySymbol.get(b) ?? 0) || (a < b ? -1 : 1),
  );
}
