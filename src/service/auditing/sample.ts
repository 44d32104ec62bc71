import { bits, keyOf } from '../simulator/random.ts';

/**
 * The symbols of one round. Each is asked once before any is asked again: all are shuffled anew for every pass, by the
 * seed, and rounds take the next few.
 */
export function sample(
  symbols: readonly string[],
  { count, round, seed }: { readonly count: number; readonly round: number; readonly seed: number },
): readonly string[] {
  const { length } = symbols;
  if (length <= count) return symbols;
  const [from, to] = [round * count, round * count + count - 1];
  // A round may end one pass and begin the next.
  const passes = [...new Set([Math.floor(from / length), Math.floor(to / length)])];
  const turns = passes.flatMap((pass) => shuffled(symbols, { seed, pass }));
  const first = from % length;
  return [...new Set(turns.slice(first, first + count))];
}

function shuffled(
  symbols: readonly string[],
  { seed, pass }: { readonly seed: number; readonly pass: number },
): readonly string[] {
  const drawn = new Map(symbols.map((symbol) => [symbol, bits(keyOf(seed, symbol), pass, 0)]));
  return symbols.toSorted((a, b) => (drawn.get(a) ?? 0) - (drawn.get(b) ?? 0) || (a < b ? -1 : 1));
}
