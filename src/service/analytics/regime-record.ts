import { day, hour, iso } from '../../runtime/units.ts';
import type { Candle, RegimeRow } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { hindsight, hindsightFinalAge } from './hindsight.ts';
import { describeRegime, stateName } from './regime.ts';
import { mean, round } from './statistics.ts';

/** The past that a record is made from, ms. */
export const recordWindow = 365 * day;

const states = [-1, 0, 1].map(stateName);

/** Returns the closes hour by hour from the first one on; an hour that is missing or without a price carries the close. */
export function hourlyCloses({ time, close }: Pick<Columns<Candle>, 'time' | 'close'>): number[] {
  const first = time[0] ?? 0;
  const closes: number[] = [];
  for (const [index, opened] of time.entries()) {
    const price = close[index] as number;
    if (!(price > 0 && price < Number.POSITIVE_INFINITY)) continue;
    while (closes.length < (opened - first) / hour) closes.push(closes.at(-1) ?? price);
    closes.push(price);
  }
  return closes;
}

/**
 * Returns how the published probabilities of a market fared against hindsight that has become final, over the published hours
 * that can be judged; undefined while there are none. @param published ascending
 */
export function regimeRecord({
  published,
  candles,
}: {
  readonly published: readonly RegimeRow[];
  readonly candles: Pick<Columns<Candle>, 'time' | 'close'>;
}) {
  const [begins = 0, ends = 0] = [candles.time[0], candles.time.at(-1)];
  const path = hindsight(hourlyCloses(candles));
  const judged = published
    .filter(({ time }) => time >= begins && time <= ends - hindsightFinalAge)
    .map((row) => {
      const truth = stateName(path[(row.time - begins) / hour] ?? 0);
      return { ...describeRegime(row), time: row.time, truth };
    });
  const [first, last] = [judged[0], judged.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const rates = states.map((state) => mean(judged.map(({ truth }) => Number(truth === state))));
  const bins = judged.flatMap(({ probabilities, truth }) =>
    states.map((state) => ({ state, said: probabilities[state], right: Number(truth === state) })),
  );
  return {
    from: iso(first.time),
    to: iso(last.time + hour),
    hours: judged.length,
    /** The share of hours whose published state was right. */
    agreement: round(mean(judged.map(({ state, truth }) => Number(state === truth))), 4),
    /** Mean over hours of Σ(p − hindsight)² over the states, and the score of always answering with the base rates. */
    brier: round(
      (states.length * bins.reduce((sum, { said, right }) => sum + (said - right) ** 2, 0)) / bins.length,
      4,
    ),
    baseRatesBrier: round(1 - rates.reduce((sum, rate) => sum + rate * rate, 0), 4),
    /** By state and tenth of its probability: the mean probability, and how often it was that state. */
    reliability: [...Map.groupBy(bins, ({ state, said }) => `${state} ${Math.min(9, Math.floor(said * 10))}`)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, hours]) => ({
        state: (hours[0] as (typeof hours)[number]).state,
        said: round(mean(hours.map(({ said }) => said)), 3),
        found: round(mean(hours.map(({ right }) => right)), 3),
        hours: hours.length,
      })),
  };
}
