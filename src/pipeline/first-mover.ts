import type { FirstMover } from '../alert/alert.ts';
import { day, hour, minute } from '../runtime/units.ts';

/** Track of one market: [market time in ms, value], ascending. */
export type Track = readonly (readonly [at: number, value: number])[];

export interface Movements {
  readonly price: Track;
  readonly interest: Track;
  /** Percent. */
  readonly basis: Track;
  /** USD of each liquidation since `liquidationsFrom`, market ms. */
  readonly liquidations: Track;
  readonly liquidationsFrom: number;
  /** The price at other venues, by their titles. */
  readonly venues: ReadonlyMap<string, Track>;
}

/** What is compared is what moved within one of these, as open interest and marks are published. */
const step = 5 * minute;
/** How long before the alert the price's movement is looked for, and how long before that what moved first. */
const searched = 2 * hour;
const longestLead = 30 * minute;
/** How much of the time before says what is usual. */
const usual = day;
/**
 * A step stands out at this many times the largest of the usual time. Of causes that were planted in the simulated market some
 * nine in ten are named, and as often nothing where there was none: see test/pipeline/first-mover.test.ts.
 */
const standsOut = 1.5;
/** Fewer usual steps say nothing about what is usual. */
const minSteps = 100;

/**
 * Returns what moved before the price did: the first of the movements whose step stood out earlier than the price's. Null: none
 * did. Undefined: it cannot be told, because the price's own step does not stand out or too little is known.
 */
export function firstMover(moves: Movements, now: number): FirstMover | null | undefined {
  const from = Math.floor((now - searched) / step);
  const price = firstUnusual(changes(moves.price, relative), from);
  if (price === undefined) return undefined;
  const causes: readonly { readonly steps: Steps; readonly mover: Omit<FirstMover, 'lead'> }[] = [
    { steps: sums(moves), mover: { what: 'liquidations' } },
    { steps: changes(moves.interest, relative), mover: { what: 'interest' } },
    { steps: changes(moves.basis, difference), mover: { what: 'basis' } },
    ...[...moves.venues].map(([venue, values]) => ({
      steps: changes(values, relative),
      mover: { what: 'venue' as const, venue },
    })),
  ];
  const [first] = causes
    .flatMap(({ steps, mover }) => {
      const at = firstUnusual(steps, price - longestLead / step);
      return at === undefined || at >= price ? [] : [{ ...mover, lead: (price - at) * step }];
    })
    .sort((a, b) => b.lead - a.lead);
  return first ?? null;
}

/** The size of the movement in each step, by the step's number. */
type Steps = ReadonlyMap<number, number>;

const relative = (before: number, after: number): number => Math.log(after / before);
const difference = (before: number, after: number): number => after - before;

/** Returns how far the values moved from each step to the next. A gap is no movement. */
function changes(values: Track, sizeOf: (before: number, after: number) => number): Steps {
  const last = new Map(values.map(([at, value]) => [Math.floor(at / step), value]));
  return new Map(
    [...last].flatMap(([at, value]): [number, number][] => {
      const before = last.get(at - 1);
      const size = before === undefined ? Number.NaN : Math.abs(sizeOf(before, value));
      return Number.isFinite(size) ? [[at, size]] : [];
    }),
  );
}

/** Returns what was liquidated in each step in which there is a price, which may be nothing. */
function sums({ liquidations, liquidationsFrom, price }: Movements): Steps {
  const first = Math.ceil(liquidationsFrom / step);
  const steps = new Map(price.map(([at]) => [Math.floor(at / step), 0]));
  for (const [at, usd] of liquidations) {
    const slot = Math.floor(at / step);
    steps.set(slot, (steps.get(slot) ?? 0) + usd);
  }
  return new Map([...steps].filter(([at]) => at >= first));
}

/** Returns the first step from `from` on that stands out against the usual time before it. */
function firstUnusual(steps: Steps, from: number): number | undefined {
  const before = [...steps].filter(([at]) => at < from && at >= from - usual / step);
  if (before.length < minSteps) return undefined;
  const largest = before.reduce((most, [, size]) => Math.max(most, size), 0);
  const unusual = [...steps].filter(([at, size]) => at >= from && size > standsOut * largest);
  return unusual.length === 0 ? undefined : Math.min(...unusual.map(([at]) => at));
}
