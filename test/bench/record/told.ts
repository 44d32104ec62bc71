import { type Expectation, type HourlyPrice, horizons, type Outcome } from '#src/alert/outcome.ts';
import { createRecords, type KindScore } from '#src/record/records.ts';
import { day, hour } from '#src/runtime/units.ts';
import { begin, perHour } from './markets.ts';

/** Days of a market. */
export const days = 90;
const step = hour / perHour;

/** The moves of a symbol, and the steps after which alerts fired, by kind. */
export interface Lived {
  readonly steps: Float64Array;
  readonly fired: Readonly<Record<string, readonly number[]>>;
}

/** Returns the records of the fired alerts, as people see them. */
export async function recordsOf(
  symbols: readonly Lived[],
  predictionOf: (kind: string) => Expectation = () => 'move',
): Promise<readonly KindScore[]> {
  const prices = symbols.map(({ steps }) => pricesOf(steps));
  const kinds = [...new Set(symbols.flatMap(({ fired }) => Object.keys(fired)))];
  const outcomes = symbols.flatMap(({ fired }, at) =>
    Object.entries(fired).flatMap(([kind, own]) =>
      own.map((after) =>
        outcome({ kind, symbol: `S${at}`, prediction: predictionOf(kind) }, prices[at] ?? [], after + 1),
      ),
    ),
  );
  const hourly = prices.map((own) =>
    own.flatMap((price, at): HourlyPrice[] => (at % perHour === 0 ? [{ at: begin + at * step, price }] : [])),
  );
  const records = createRecords({
    kinds: kinds.map((name) => ({ name })),
    market: 'made',
    now: () => begin + days * day,
    outcomes: {
      posted: async () => outcomes,
      prices: async (_, { symbol }) => hourly[Number(symbol.slice(1))] ?? [],
    },
  });
  await records.refresh();
  return records.scores();
}

/** Returns the prices before each step, and after the last. */
function pricesOf(steps: Float64Array): readonly number[] {
  let log = 0;
  const after = Array.from(steps, (move) => {
    log += move;
    return 100 * Math.exp(log);
  });
  return [100, ...after];
}

const outcome = (
  of: Pick<Outcome, 'kind' | 'symbol' | 'prediction'>,
  prices: readonly number[],
  at: number,
): Outcome => ({
  ...of,
  firedAt: begin + at * step,
  price: prices[at] ?? null,
  after: horizons.map((horizon) => prices[at + horizon / step] ?? null),
  estimated: false,
});
