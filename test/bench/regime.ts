import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import { recordedBars, recordedHindsight } from '#test/support/recorded-market.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';
import * as recipes from './regime/baselines.ts';
import { baseRates, type JudgedHour, scoreProbabilities } from './regime/probabilities.ts';
import { type RegimeScore, score } from './regime/score.ts';

const scoredFrom = Date.parse('2021-05-01T00:00:00.000Z');

/** Bounds for the published label on the years that its three constants were chosen on. */
export const bars = {
  flipsPerDay: { most: 0.25 },
  agreement: { least: 0.57 },
  kappa: { least: 0.33 },
  opposite: { most: 0.21 },
  lagMedian: { most: 30 },
  missed: { most: 0.03 },
  falseShare: { most: 0.26 },
  wrong: { most: 0.1 },
} as const satisfies Partial<Record<keyof RegimeScore, { most: number } | { least: number }>>;
/** Bounds for its probabilities. */
export const probabilityBars = { brier: { most: 0.53 }, opposite: { most: 0.15 } } as const;

/** Returns what a recipe said of the recorded hours of bitcoin that are scored. */
export function judge(recipe: recipes.Recipe): readonly JudgedHour[] {
  const truths = recordedHindsight();
  const recorded = recordedBars();
  const said = recipe(recorded);
  return recorded.flatMap(({ time }, i) => {
    const [truth, own] = [truths.get(time), said[i]];
    return time < scoredFrom || truth === undefined || own === undefined ? [] : [{ ...own, time, truth }];
  });
}

export const scoreOf = (hours: readonly JudgedHour[]): RegimeScore =>
  score(hours.map(({ time, state, truth }) => ({ time, published: state, hindsight: truth })));

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

/** `npm run bench -- regime`: the published label and its probabilities beside baselines, and what they cost. */
export default async function regime(): Promise<void> {
  const hours = judge(recipes.published);
  const rows: [string, readonly JudgedHour[]][] = [
    ['published', hours],
    ['DC3', judge(recipes.directionalChange3)],
    ['F4', judge(recipes.cautiousChange)],
    ['the model of before', judge(recipes.driftModel)],
    ['base rates of these hours', baseRates(hours)],
  ];
  console.table(
    Object.fromEntries(
      rows.map(([name, judged]) => {
        const { brier, worstBin, opposite } = scoreProbabilities(judged) ?? {};
        const values = { ...scoreOf(judged), brier, worstBin, likeliestOpposite: opposite };
        return [
          name,
          Object.fromEntries(Object.entries(values).map(([key, value]) => [key, rounded(value)])),
        ];
      }),
    ),
  );
  report('the published label, bitcoin of May 2021 to December 2022', labelFigures(hours));
  const said = scoreProbabilities(hours);
  const [, ...others] = rows;
  report('its probabilities, the same hours', [
    ...(said === undefined
      ? []
      : [
          { name: 'Brier score', value: said.brier, unit: '', bound: probabilityBars.brier },
          { name: 'said and found, apart in the worst tenth of a state', value: said.worstBin, unit: '' },
          {
            name: 'hours whose likeliest state is the opposite of the label',
            value: said.opposite,
            unit: '',
            bound: probabilityBars.opposite,
          },
          { name: 'the longest such stretch', value: said.longestOpposite, unit: 'h' },
          ...said.bins.map(
            (bin): Figure => ({
              name: `${bin.state}: found where ${bin.said.toFixed(2)} was said (${bin.hours} hours)`,
              value: bin.found,
              unit: '',
            }),
          ),
        ]),
    ...others.flatMap(([name, judged]): Figure[] => {
      const { brier } = scoreProbabilities(judged) ?? {};
      return brier === undefined
        ? []
        : [{ name: `instead of them, ${name}: Brier score`, value: brier, unit: '' }];
    }),
  ]);
  for (const [name, judged] of others.slice(0, 2))
    report(`instead of the label, ${name}`, labelFigures(judged, false));
  cost();
}

const rounded = (value: number | undefined) => (value === undefined ? '' : Number(value.toFixed(3)));

function labelFigures(hours: readonly JudgedHour[], bounded = true): Figure[] {
  const result = scoreOf(hours);
  return measures.map(([name, key, unit]) => ({
    name,
    value: result[key],
    unit,
    ...(bounded && key in bars && { bound: bars[key as keyof typeof bars] }),
  }));
}

function cost(): void {
  const recorded = recordedBars().slice(-2 * 365 * 24);
  const walk = createRegimeWalk({ symbol: 'BTCUSDT' });
  const times = recorded.map((bar) => spent(() => walk(bar)));
  report(`what the regime costs of a processor, over ${recorded.length} hours`, [
    { name: 'an hour, 99 %', value: percentile(times, 0.99), unit: 'ms' },
    { name: 'the longest, with the sampling of futures', value: percentile(times, 1), unit: 'ms' },
    { name: 'all of them', value: times.reduce((sum, ms) => sum + ms, 0), unit: 'ms' },
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
