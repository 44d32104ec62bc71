import type { RegimePast } from '../../../platforms/web/ports/board.ts';
import { hour } from '../../../runtime/units.ts';

interface Hour {
  readonly at: number;
  readonly state: string;
  readonly confidence: number;
}

/** How long a state is known to last after its row, ms. Rows come hourly. */
const validFor = 2 * hour;

/** Joins consecutive hours of the same state into stretches with their mean confidence, oldest first. */
export function stretchesOf(hours: readonly Hour[]): RegimePast['stretches'] {
  const runs: Hour[][] = [];
  for (const each of hours.toSorted((a, b) => a.at - b.at)) {
    const last = runs.at(-1)?.at(-1);
    if (last?.state === each.state && each.at - last.at <= validFor) runs.at(-1)?.push(each);
    else runs.push([each]);
  }
  return runs.flatMap((run, index) => {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) return [];
    const mean = run.reduce((sum, { confidence }) => sum + confidence, 0) / run.length;
    const to = Math.min(runs[index + 1]?.[0]?.at ?? Number.POSITIVE_INFINITY, last.at + validFor);
    return [[first.at, to, first.state, Number(mean.toFixed(3))] as const];
  });
}

/** Keeps at most `maxItems` items at even steps, including the newest. */
export function thinOut<Item>(items: readonly Item[], maxItems: number): readonly Item[] {
  const step = Math.max(1, Math.ceil(items.length / maxItems));
  return items.filter((_, index) => (items.length - 1 - index) % step === 0);
}
