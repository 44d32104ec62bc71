import { brierScore } from '#src/service/analytics/calibration.ts';
import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import { observe, type RegimeFeatures } from '#src/service/analytics/regime-features.ts';
import { recordedBars, recordedHindsight } from '#test/support/recorded-market.ts';
import { type Figure, report } from '../measuring/figures.ts';
import { directionalChange3, type Recipe } from './baselines.ts';
import type { State } from './score.ts';

const scoredFrom = Date.parse('2021-05-01T00:00:00.000Z');
const states: readonly State[] = ['RISK_OFF', 'TRANSITION', 'RISK_ON'];

/** Probabilities of each bar (RISK_OFF, TRANSITION, RISK_ON) and its label. */
type Said = readonly { readonly p: readonly number[]; readonly label: State }[];

export interface ProbabilityScore {
  /** Mean over hours of Σ(p − hindsight)² over the states. */
  readonly brier: number;
  /** Mean probability of the label, and the share of hours in which hindsight agrees with it. */
  readonly confidence: number;
  readonly agreement: number;
  /** The largest gap of said − found among bins of similar probability with 200 hours or more. */
  readonly worstBin: number;
  readonly bins: readonly { readonly said: number; readonly found: number; readonly hours: number }[];
}

export function scoreProbabilities(said: Said): ProbabilityScore {
  const judge = recordedHindsight();
  const hours = recordedBars().flatMap(({ time }, i) => {
    const truth = judge.get(time);
    const own = said[i];
    if (time < scoredFrom || truth === undefined || own === undefined) return [];
    return [{ ...own, truth: states.indexOf(truth), of: own.p[states.indexOf(own.label)] ?? 0 }];
  });
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const agreed = (list: typeof hours) =>
    mean(list.map(({ label, truth }) => Number(states[truth] === label)));
  const bins = [...Map.groupBy(hours, ({ of }) => Math.min(9, Math.floor(of * 10)))]
    .sort(([a], [b]) => a - b)
    .map(([, list]) => ({ said: mean(list.map(({ of }) => of)), found: agreed(list), hours: list.length }));
  const gaps = bins.filter(({ hours }) => hours >= 200).map(({ said, found }) => said - found);
  return {
    brier: brierScore(hours),
    confidence: mean(hours.map(({ of }) => of)),
    agreement: agreed(hours),
    worstBin: gaps.reduce((worst, gap) => (Math.abs(gap) > Math.abs(worst) ? gap : worst), 0),
    bins,
  };
}

/** Returns the probabilities that the walk publishes, hour by hour. */
export const publishedProbabilities = (): Said => {
  const walk = createRegimeWalk();
  return recordedBars().map((bar) => {
    const row = walk.push(bar);
    return row === null
      ? { p: [1 / 3, 1 / 3, 1 / 3], label: 'TRANSITION' }
      : { p: states.map((state) => row.probabilities[state]), label: row.state };
  });
};

const filterAlone = (): Said => {
  let features: RegimeFeatures | null = null;
  return recordedBars().map((bar) => {
    features = observe(features, bar);
    const p = features.filtered;
    return { p, label: states[p.indexOf(Math.max(...p))] ?? 'TRANSITION' };
  });
};

/** Returns how often each state occurred, by a key known at the hour; fitted on the scored hours, so it is flattered. */
const frequencies = (labels: readonly State[], keys: readonly string[]): Said => {
  const judge = recordedHindsight();
  const counts = new Map<string, number[]>();
  for (const [i, { time }] of recordedBars().entries()) {
    const truth = judge.get(time);
    if (time < scoredFrom || truth === undefined) continue;
    const own = counts.get(keys[i] ?? '') ?? [0, 0, 0];
    own[states.indexOf(truth)] = (own[states.indexOf(truth)] ?? 0) + 1;
    counts.set(keys[i] ?? '', own);
  }
  return labels.map((label, i) => {
    const own = counts.get(keys[i] ?? '') ?? [1, 1, 1];
    const total = own.reduce((sum, count) => sum + count, 0);
    return { p: own.map((count) => count / total), label };
  });
};

/** Returns frequencies by the position of the directional change between its exits, in 13 steps: ±1 at a fresh extreme. */
const convictionTable = (): Said => {
  let features: RegimeFeatures | null = null;
  const share = (value: number) => Math.max(0, Math.min(1, value));
  const rows = recordedBars().map((bar) => {
    features = observe(features, bar);
    const { position, level, high, highAt, low, lowAt } = features.directional;
    const [fall, rise] = [high - level, level - low];
    const label = states[position + 1] ?? 'TRANSITION';
    if (position === 0) return { label, conviction: (share(rise / 2) - share(fall / 2)) / 4 };
    const age = (bar.time - (position === 1 ? highAt : lowAt)) / (84 * 3_600_000);
    const pullback = (position === 1 ? fall : rise) / 1.75;
    return { label, conviction: position * (1 - 0.5 * share(Math.max(pullback, age))) };
  });
  const bins = rows.map(({ conviction }) => String(Math.min(12, Math.floor(((conviction + 1) / 2) * 13))));
  return frequencies(
    rows.map(({ label }) => label),
    bins,
  );
};

const byLabel = (recipe: Recipe): Said => {
  const labels = recipe(recordedBars());
  return frequencies(labels, labels);
};

/** The part of `npm run bench -- regime` that scores the probabilities. */
export function reportProbabilities(): void {
  const baseRates = frequencies(
    recordedBars().map(() => 'RISK_OFF'),
    [],
  );
  const said: [string, Said][] = [
    ['published', publishedProbabilities()],
    ['the hidden Markov model alone', filterAlone()],
    ['frequencies by 13 steps of the label’s conviction, fitted on these hours', convictionTable()],
    ['frequencies by the directional change, fitted on these hours', byLabel(directionalChange3)],
    ['base rates of these hours', baseRates],
  ];
  const rows = said.map(([name, each]) => ({ name, ...scoreProbabilities(each) }));
  const [published, ...others] = rows as [(typeof rows)[number], ...typeof rows];
  report('its probabilities, the same hours', [
    {
      name: 'Brier score',
      value: published.brier,
      unit: '',
      bound: { most: 0.57 },
      baseline: { name: 'the base rates', value: others.at(-1)?.brier ?? Number.NaN },
    },
    {
      name: 'mean confidence and agreement, apart',
      value: Math.abs(published.confidence - published.agreement),
      unit: '',
      bound: { most: 0.04 },
    },
    { name: 'agreement', value: published.agreement, unit: '' },
    {
      name: 'said and found, apart in the worst tenth',
      value: Math.abs(published.worstBin),
      unit: '',
      bound: { most: 0.08 },
    },
    ...others.flatMap(({ name, brier, confidence, agreement }): Figure[] => [
      { name: `${name}: Brier score`, value: brier, unit: '' },
      { name: '  mean confidence and agreement, apart', value: Math.abs(confidence - agreement), unit: '' },
    ]),
    ...published.bins.map(
      (bin): Figure => ({
        name: `found where ${bin.said.toFixed(2)} was said (${bin.hours} hours)`,
        value: bin.found,
        unit: '',
      }),
    ),
  ]);
}
