import { hour } from '#src/runtime/units.ts';
import { normal } from '#test/support/random.ts';
import { recordedBars } from '#test/support/recorded-market.ts';

/** Steps of an hour: alerts need not fire on the hour. */
export const perHour = 4;
/** Standard deviation of an hour's log return. */
const deviation = 0.006;

type Random = () => number;

/** Returns the log returns of each step of a symbol; they do not tell the direction of the next one. */
export type MadeMarket = (hours: number, random: Random) => Float64Array;

interface Garch {
  /** Share of an hour's variance that comes from the last hour's move, and from the last hour's variance. */
  readonly shock: number;
  readonly stays: number;
  /** Chance of a jump in an hour, and its deviation in deviations of an hour; jumps do not change the variance. */
  readonly jumps?: { readonly rate: number; readonly deviations: number };
}

const garch =
  ({ shock, stays, jumps }: Garch): MadeMarket =>
  (hours, random) => {
    const steps = new Float64Array(hours * perHour);
    let variance = 1;
    const settling = 300;
    for (let at = -settling; at < hours; at += 1) {
      let move = 0;
      const jump = jumps !== undefined && random() < jumps.rate ? jumps.deviations * normal(random) : 0;
      const when = Math.floor(random() * perHour);
      for (let step = 0; step < perHour; step += 1) {
        const own = Math.sqrt(variance / perHour) * normal(random);
        move += own;
        if (at >= 0) steps[at * perHour + step] = deviation * (own + (step === when ? jump : 0));
      }
      variance = 1 - shock - stays + shock * move * move + stays * variance;
    }
    return steps;
  };

/** Draws blocks of bitcoin's recorded hours with replacement. Each hour is one move, in the last step of the hour. */
const shuffled =
  (block: number): MadeMarket =>
  (hours, random) => {
    const moves = recorded();
    const steps = new Float64Array(hours * perHour);
    for (let at = 0; at < hours; at += block) {
      const from = Math.floor(random() * (moves.length - block));
      for (let h = 0; h < block && at + h < hours; h += 1)
        steps[(at + h) * perHour + perHour - 1] = moves[from + h] ?? 0;
    }
    return steps;
  };

let known: readonly number[] | undefined;
function recorded(): readonly number[] {
  const bars = recordedBars();
  known ??= bars.flatMap(({ time, close }, at) => {
    const before = bars[at - 1];
    return before === undefined || time - before.time !== hour ? [] : [Math.log(close / before.close)];
  });
  return known;
}

export const madeMarkets = {
  'constant variance': garch({ shock: 0, stays: 0 }),
  'GARCH, .10 and .88': garch({ shock: 0.1, stays: 0.88 }),
  'GARCH, .05 and .94': garch({ shock: 0.05, stays: 0.94 }),
  'GARCH, .15 and .80': garch({ shock: 0.15, stays: 0.8 }),
  'GARCH with jumps': garch({ shock: 0.1, stays: 0.88, jumps: { rate: 0.005, deviations: 5 } }),
  'real weeks, shuffled': shuffled(7 * 24),
  'real months, shuffled': shuffled(30 * 24),
} as const satisfies Readonly<Record<string, MadeMarket>>;

/** Returns where something fires: the number of the step after which the alert comes. */
export type Placebo = (steps: Float64Array, random: Random) => number[];

const moveOf = (steps: Float64Array, at: number, length: number): number => {
  let sum = 0;
  for (let step = Math.max(0, at - length + 1); step <= at; step += 1) sum += steps[step] ?? 0;
  return Math.abs(sum);
};
/** Returns for each step the sum of squares over the last day. */
function volatility(steps: Float64Array): Float64Array {
  const length = 24 * perHour;
  const found = new Float64Array(steps.length);
  let sum = 0;
  for (let at = 0; at < steps.length; at += 1) {
    sum += (steps[at] ?? 0) ** 2 - (steps[at - length] ?? 0) ** 2;
    found[at] = sum;
  }
  return found;
}
const exceeded = (values: Float64Array, share: number): number =>
  Float64Array.from(values).sort()[Math.floor(values.length * share)] ?? 0;

/**
 * Returns steps that fulfil the condition, at least `pause` apart, without steps without a move: some markets move only on
 * the hour.
 */
const spaced = (steps: Float64Array, pause: number, which: (at: number) => boolean): number[] => {
  const fired: number[] = [];
  let next = 0;
  for (let at = 0; at < steps.length; at += 1) {
    if (at < next || steps[at] === 0 || !which(at)) continue;
    fired.push(at);
    next = at + pause;
  }
  return fired;
};

/** Alerts that know nothing of what follows. */
export const placebos = {
  'at random': (steps, random) => spaced(steps, 1, () => random() < 0.02),
  'after large moves': (steps) => {
    const moves = steps.map((_, at) => moveOf(steps, at, perHour));
    const large = exceeded(moves, 0.97);
    return spaced(steps, perHour, (at) => (moves[at] ?? 0) > large);
  },
  'after unusual moves': (steps) => {
    const before = volatility(steps);
    const unusual = (at: number) => Math.sqrt((before[at - perHour] ?? Number.POSITIVE_INFINITY) / 24) * 2.5;
    return spaced(steps, perHour, (at) => moveOf(steps, at, perHour) > unusual(at));
  },
  'after high volatility': (steps, random) => {
    const of = volatility(steps);
    const high = exceeded(of, 0.9);
    return spaced(steps, 4, (at) => (of[at] ?? 0) > high && random() < 0.2);
  },
  'as volatility rises': (steps) => {
    const of = volatility(steps);
    const high = exceeded(of, 0.8);
    return spaced(steps, 4, (at) => (of[at] ?? 0) > high && (of[at - 1] ?? 0) <= high);
  },
} as const satisfies Readonly<Record<string, Placebo>>;
