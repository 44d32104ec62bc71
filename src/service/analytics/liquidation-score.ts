import { clip, round } from './statistics.ts';

/** The inputs of one symbol's score. An input is undefined if its data is missing. */
export interface RiskInputs {
  /** z of the last hour's liquidated USD among the hours of the week. */
  readonly liquidations?: number | undefined;
  /** z of the last hour's change of open interest among the hourly changes of the week. */
  readonly openInterest?: number | undefined;
  /** z of the newest funding rate among the rates of 30 days. */
  readonly funding?: number | undefined;
  /** Estimated USD of positions that would be liquidated within 2 % of the price, as a share of open interest. */
  readonly proximity?: number | undefined;
}

/** The weights sum to 1. There is no public standard: these are our own, and make no claim about returns. */
export const riskWeights: Readonly<Record<keyof RiskInputs, number>> = {
  /** Liquidations come in bursts: current ones are the best sign of more. */
  liquidations: 0.4,
  /** How much a cascade could liquidate, by the estimated zones. */
  proximity: 0.25,
  /** Positions are being opened or closed in haste. */
  openInterest: 0.2,
  /** One side pays unusually much to keep its positions open. */
  funding: 0.15,
};

/** z-scores are clipped here: beyond 3 standard deviations a larger number says nothing more. */
const clipAt = 3;
/** The proximity that counts in full: a tenth of open interest within 2 % of the price. */
const fullProximity = 0.1;

const names = ['liquidations', 'proximity', 'openInterest', 'funding'] as const;

const strengthOf = (name: keyof RiskInputs, input: number): number => {
  if (name === 'proximity') return Math.min(1, input / fullProximity);
  // Fewer liquidations than usual are no sign of risk; for the other inputs both directions are.
  return Math.max(0, clip(name === 'liquidations' ? input : Math.abs(input), clipAt)) / clipAt;
};

/** Computes score = 100 × Σ weight × value / Σ weight over the inputs that are present; 0 if there are none. */
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
