import { clip, round } from './statistics.ts';

/** What is known of one symbol; absent where its data is. */
export interface RiskInputs {
  /** z of the last hour's liquidated USD among the hours of the week. */
  readonly liquidations?: number;
  /** z of the last hour's change of open interest among those of the week. */
  readonly openInterest?: number;
  /** z of the newest funding rate among 30 days. */
  readonly funding?: number;
  /** Estimated USD that ends within 2 % of the price, as a share of open interest. */
  readonly proximity?: number;
}

/** Sizes sum to 1. There is no public standard: these are ours, and no claim about returns is made. */
export const riskWeights: Required<RiskInputs> = {
  /** Liquidations come in bursts: those under way are the best sign of more. */
  liquidations: 0.4,
  /** What a cascade could take, by the estimated zones. */
  proximity: 0.25,
  /** Positions are being opened or closed in haste. */
  openInterest: 0.2,
  /** One side pays unusually much to stay. */
  funding: 0.15,
};

/** Beyond 3 deviations a larger number says nothing more. */
const clipAt = 3;
/** A tenth of open interest within 2 % is as near as it gets. */
const fullProximity = 0.1;

const names = ['liquidations', 'proximity', 'openInterest', 'funding'] as const;

const strengthOf = (name: keyof RiskInputs, input: number): number => {
  if (name === 'proximity') return Math.min(1, input / fullProximity);
  // Fewer liquidations than usual are no sign; of the others both directions are.
  return Math.max(0, clip(name === 'liquidations' ? input : Math.abs(input), clipAt)) / clipAt;
};

/** score = 100 × Σ weight × value / Σ weight over what is known; 0 where nothing is. */
export function liquidationRisk(inputs: RiskInputs): {
  readonly score: number;
  readonly components: { name: string; value: number; weight: number }[];
} {
  const components = names.flatMap((name) => {
    const input = inputs[name];
    return input === undefined
      ? []
      : [{ name, value: round(strengthOf(name, input), 4), weight: riskWeights[name] }];
  });
  const weight = components.reduce((sum, component) => sum + component.weight, 0);
  const sum = components.reduce((total, component) => total + component.weight * component.value, 0);
  return { score: weight > 0 ? round((100 * sum) / weight, 1) : 0, components };
}
