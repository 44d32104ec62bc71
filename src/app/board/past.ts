import type { RegimePast } from '../../platforms/board.ts';

interface Hour {
  readonly at: number;
  readonly state: string;
  readonly confidence: number;
}

/**
 * Joins consecutive hours of the same state into stretches with their mean confidence, oldest first. The last one ends
 * at `until`.
 */
export function stretchesOf(hours: readonly Hour[], until: number): RegimePast['stretches'] {
  const runs: Hour[][] = [];
  for (const each of hours.toSorted((a, b) => a.at - b.at)) {
    const run = runs.at(-1);
    if (run?.[0]?.state === each.state) run.push(each);
    else runs.push([each]);
  }
  return runs.flatMap((run, index) => {
    const [first] = run;
    if (first === undefined) return [];
    const mean = run.reduce((sum, { confidence }) => sum + confidence, 0) / run.length;
    return [[first.at, runs[index + 1]?.[0]?.at ?? until, first.state, Number(mean.toFixed(3))] as const];
  });
}

/** Keeps at most `maxItems` items at even steps, including the newest. */
export function thinOut<Item>(items: readonly Item[], maxItems: number): readonly Item[] {
  const step = Math.max(1, Math.ceil(items.length / maxItems));
  return items.filter((_, index) => (items.length - 1 - index) % step === 0);
}
