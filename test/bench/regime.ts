import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import { recordedBars, recordedHindsight } from '#test/support/recorded-market.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';
import * as recipes from './regime/baselines.ts';
import { reportProbabilities } from './regime/probabilities.ts';
import { type RegimeScore, type State, score } from './regime/score.ts';

const scoredFrom = Date.parse('2021-05-01T00:00:00.000Z');

/** Bounds for the published label. */
export const bars = {
  flipsPerDay: { most: 0.25 },
  agreement: { least: 0.57 },
  kappa: { least: 0.31 },
  opposite: { most: 0.21 },
  lagMedian: { most: 30 },
  missed: { most: 0.06 },
  falseShare: { most: 0.22 },
  wrong: { most: 0.06 },
} as const satisfies Partial<Record<keyof RegimeScore, { most: number } | { least: number }>>;

/** Returns the score of a recipe on the recorded years of bitcoin. */
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

const measures = [
  ['flips', 'flipsPerDay', 'a day'],
  ['agreement with hindsight', 'agreement', ''],
  ['kappa', 'kappa', ''],
  ['opposite of hindsight', 'opposite', ''],
  ['lag, median', 'lagMedian', 'h'],
  ['lag, 90 % of those found', 'lagP90', 'h'],
  ['turns missed', 'missed', ''],
  ['false', 'falseShare', ''],
  ['entered on the wrong side', 'wrong', ''],
] as const satisfies readonly (readonly [string, keyof RegimeScore, string])[];

/** `npm run bench -- regime`: the published label compared with baselines, and what it costs. */
export default async function regime(): Promise<void> {
  const best = scoreOf(recipes.directionalChange3);
  report('the published label, bitcoin of May 2021 to December 2022', [
    ...figuresOf(recipes.published).map((figure, index): Figure => {
      const [, key] = measures[index] ?? measures[0];
      const baseline = { name: 'a directional change on three closes', value: best[key] };
      return { ...figure, baseline, ...(key in bars && { bound: bars[key as keyof typeof bars] }) };
    }),
  ]);
  const others: [string, recipes.Recipe][] = [
    ['a plain hidden Markov model', recipes.plainHmm],
    ['24 h momentum', recipes.momentum],
    ['averages of 7 and 30 days', recipes.averages],
    ['a two-sided Page test', recipes.page],
    ['a directional change on three closes', recipes.directionalChange3],
  ];
  for (const [name, recipe] of others) report(`instead of it, ${name}`, figuresOf(recipe));
  reportProbabilities();
  cost();
}

function figuresOf(recipe: recipes.Recipe): Figure[] {
  const result = scoreOf(recipe);
  return measures.map(([name, key, unit]) => ({ name, value: result[key], unit }));
}

function cost(): void {
  const recorded = recordedBars().slice(-2 * 365 * 24);
  const walk = createRegimeWalk();
  const times = recorded.map((bar) => spent(() => walk.push(bar)));
  report(`what the label costs of a processor, over ${recorded.length} hours`, [
    { name: 'an hour, 99 %', value: percentile(times, 0.99), unit: 'ms' },
    { name: 'the longest, with a refit', value: percentile(times, 1), unit: 'ms' },
    { name: 'all of them', value: times.reduce((sum, ms) => sum + ms, 0), unit: 'ms' },
    { name: 'what is kept of it', value: JSON.stringify(walk.snapshot()).length / 1_000, unit: 'kB' },
    load(),
  ]);
}

/** Returns the processor time of the work, ms. */
function spent(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}
