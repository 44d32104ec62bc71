import { hour } from '#src/runtime/units.ts';
import { hourOfWeek } from '#src/runtime/week.ts';
import { normal } from '#test/support/random.ts';
import { recordedBars } from '#test/support/recorded-market.ts';

/** The first hour of each market: a Thursday. */
export const begin = Date.UTC(2026, 0, 1);
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
  /** Factor of an hour's moves and of its chance of a jump, which do not change the variance. */
  readonly clock?: (hourOfWeek: number) => number;
}

const garch =
  ({ shock, stays, jumps, clock = () => 1 }: Garch): MadeMarket =>
  (hours, random) => {
    const steps = new Float64Array(hours * perHour);
    let variance = 1;
    const settling = 300;
    for (let at = -settling; at < hours; at += 1) {
      let move = 0;
      const factor = clock(hourOfWeek(begin + at * hour));
      const jump =
        jumps !== undefined && random() < jumps.rate * factor ** 2 ? jumps.deviations * normal(random) : 0;
      const when = Math.floor(random() * perHour);
      for (let step = 0; step < perHour; step += 1) {
        const own = Math.sqrt(variance / perHour) * normal(random);
        move += own;
        if (at >= 0) steps[at * perHour + step] = deviation * factor * (own + (step === when ? jump : 0));
      }
      variance = 1 - shock - stays + shock * move * move + stays * variance;
    }
    return steps;
  };

/** As in the trade: large in Europe's and America's hours of weekdays, small in nights and on weekends. */
const tradingHours = (index: number): number => {
  const weekend = index < 24 || index >= 6 * 24;
  const daily = 1 - 0.3 * Math.cos((2 * Math.PI * ((index % 24) - 3)) / 24);
  return (weekend ? 0.6 + 0.2 * daily : daily) * (!weekend && index % 24 === 13 ? 1.3 : 1);
};

/**
 * Draws blocks of bitcoin's recorded hours with replacement, each from the same hour of the week on as where it is put. Each
 * hour is one move, in the last step of the hour.
 */
const drawn =
  (block: number): MadeMarket =>
  (hours, random) => {
    const { moves, first } = recorded();
    const steps = new Float64Array(hours * perHour);
    for (let at = 0; at < hours; at += block) {
      const length = Math.min(block, hours - at);
      const offset = (hourOfWeek(begin + at * hour) - hourOfWeek(first) + 168) % 168;
      const weeks = Math.floor((moves.length - length - offset) / 168) + 1;
      const from = offset + 168 * Math.floor(random() * weeks);
      for (let h = 0; h < length; h += 1) steps[(at + h) * perHour + perHour - 1] = moves[from + h] ?? 0;
    }
    return steps;
  };

let known: { readonly moves: readonly number[]; readonly first: number } | undefined;
/** Bitcoin's hourly moves, 0 where one is unknown, and the begin of the first hour. */
function recorded() {
  const bars = recordedBars();
  const first = bars[0]?.time ?? 0;
  if (known !== undefined) return known;
  const moves = Array.from({ length: ((bars.at(-1)?.time ?? first) - first) / hour + 1 }, () => 0);
  for (const [at, { time, close }] of bars.entries()) {
    const before = bars[at - 1];
    if (before !== undefined && time - before.time === hour)
      moves[(time - first) / hour] = Math.log(close / before.close);
  }
  known = { moves, first };
  return known;
}

export const madeMarkets = {
  'constant variance': garch({ shock: 0, stays: 0 }),
  'GARCH, .10 and .88': garch({ shock: 0.1, stays: 0.88 }),
  'GARCH, .05 and .94': garch({ shock: 0.05, stays: 0.94 }),
  'GARCH, .15 and .80': garch({ shock: 0.15, stays: 0.8 }),
  'GARCH with jumps': garch({ shock: 0.1, stays: 0.88, jumps: { rate: 0.005, deviations: 5 } }),
  'GARCH by the clock': garch({ shock: 0.1, stays: 0.88, clock: tradingHours }),
  'jumps by the clock': garch({
    shock: 0.1,
    stays: 0.88,
    jumps: { rate: 0.01, deviations: 4 },
    clock: tradingHours,
  }),
  'real weeks, shuffled': drawn(7 * 24),
  'real months, shuffled': drawn(28 * 24),
  'real quarters': drawn(90 * 24),
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

/** Fires on the full hours of the week that fulfil the condition. */
const clock =
  (which: (hourOfWeek: number) => boolean): Placebo =>
  (steps) =>
    Array.from({ length: steps.length / perHour - 1 }, (_, at) => at + 1)
      .filter((at) => which(hourOfWeek(begin + at * hour)))
      .map((at) => at * perHour - 1);
const isWeekday = (index: number): boolean => index >= 24 && index < 6 * 24;

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
  'daily at 12:00': clock((index) => index % 24 === 12),
  'weekdays 13 to 20 h': clock((index) => isWeekday(index) && index % 24 >= 13 && index % 24 < 20),
  'weekdays at 13:00': clock((index) => isWeekday(index) && index % 24 === 13),
  Mondays: clock((index) => index >= 24 && index < 48 && index % 4 === 0),
  weekends: clock((index) => !isWeekday(index) && index % 4 === 2),
  'each full hour': clock(() => true),
} as const satisfies Readonly<Record<string, Placebo>>;
