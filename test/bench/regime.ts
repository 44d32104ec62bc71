import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import { recordedBars, recordedHindsight } from '#test/support/recorded-market.ts';
import * as recipes from './regime/baselines.ts';
import { printProbabilities } from './regime/probabilities.ts';
import { type RegimeScore, type State, score } from './regime/score.ts';

const scoredFrom = Date.parse('2021-05-01T00:00:00.000Z');

/** What is asked of the published label. */
export const bars = {
  flipsPerDay: { most: 0.25 },
  agreement: { least: 0.57 },
  kappa: { least: 0.31 },
  opposite: { most: 0.21 },
  lagMedian: { most: 31 },
  missed: { most: 0.06 },
  falseShare: { most: 0.22 },
  wrong: { most: 0.06 },
} as const satisfies Partial<Record<keyof RegimeScore, { most: number } | { least: number }>>;

/** A recipe's score on the recorded BTC years. */
export function scoreOf(recipe: recipes.Recipe): RegimeScore {
  const judge = recordedHindsight();
  const recorded = recordedBars();
  const labels = recipe(recorded);
  return score(
    recorded.flatMap(({ time }, i) => {
      const truth: State | undefined = judge.get(time);
      return time < scoredFrom || truth === undefined
        ? []
        : [{ time, published: labels[i] ?? 'TRANSITION', hindsight: truth }];
    }),
  );
}

const columns = [
  ['flips/day', 'flipsPerDay', 2],
  ['agreement', 'agreement', 3],
  ['kappa', 'kappa', 3],
  ['opposite', 'opposite', 3],
  ['lag h', 'lagMedian', 0],
  ['p90 h', 'lagP90', 0],
  ['missed', 'missed', 3],
  ['false', 'falseShare', 3],
  ['wrong', 'wrong', 3],
] as const;

/** `npm run bench -- regime`: the published label beside its baselines, and what it costs. */
export default async function regime(): Promise<void> {
  const rows: [string, recipes.Recipe][] = [
    ['published current.state', recipes.published],
    ['plain HMM', recipes.plainHmm],
    ['24 h momentum', recipes.momentum],
    ['7 d and 30 d averages', recipes.averages],
    ['two-sided Page test', recipes.page],
    ['directional change (DC3)', recipes.directionalChange3],
  ];
  console.log(['', ...columns.map(([name]) => name)].map(cell).join(''));
  for (const [name, recipe] of rows) {
    const result = scoreOf(recipe);
    console.log([name, ...columns.map(([, key, digits]) => result[key].toFixed(digits))].map(cell).join(''));
  }
  const limits = columns.map(([, key]) => (key in bars ? limit(bars[key as keyof typeof bars]) : ''));
  console.log(['bars', ...limits].map(cell).join(''));
  printProbabilities();
  cost();
}

const cell = (text: string, i: number) => (i === 0 ? text.padEnd(26) : text.padStart(10));
const limit = (bar: { most: number } | { least: number }) =>
  'most' in bar ? `≤ ${bar.most}` : `≥ ${bar.least}`;

function cost(): void {
  const recorded = recordedBars().slice(-2 * 365 * 24);
  const walk = createRegimeWalk();
  const times = recorded.map((bar) => elapsed(() => walk.push(bar))).sort((a, b) => a - b);
  const total = times.reduce((sum, ms) => sum + ms, 0);
  const snapshot = JSON.stringify(walk.snapshot()).length;
  console.log(
    `\nwalk over ${recorded.length} bars: ${total.toFixed(0)} ms in all, ` +
      `${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(3)} ms a bar (p99), ` +
      `${(times.at(-1) ?? 0).toFixed(0)} ms at the worst refit; snapshot ${(snapshot / 1024).toFixed(0)} KiB`,
  );
}

function elapsed(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}
