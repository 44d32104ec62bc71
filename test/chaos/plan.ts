import { minute, second } from '#src/runtime/units.ts';
import { seeded } from '#test/support/random.ts';

/** `unanswered`: queries are carried out, but some responses are lost. */
export const databaseFaults = ['locked', 'full', 'corrupt', 'restarted', 'silent', 'unanswered'] as const;
export type DatabaseFault = (typeof databaseFaults)[number];

/** `deaf`: messages arrive, but some responses are lost. */
export const platformFaults = ['refuses', 'deaf', 'slow', 'busy'] as const;
export type PlatformFault = (typeof platformFaults)[number];

export const marketFaults = ['away', 'slow', 'busy', 'garbled'] as const;
export type MarketFault = (typeof marketFaults)[number];

export const platforms = ['discord', 'telegram', 'webhook'] as const;
export type PlatformName = (typeof platforms)[number];

/** A fault. `exhaust`: the process runs out of memory; `jump`: its clock is set wrong. `process` is its number. */
export type Fault =
  | { readonly what: 'kill' | 'exhaust' | 'freeze'; readonly process: number }
  | { readonly what: 'jump'; readonly process: number; readonly by: number }
  | { readonly what: 'database'; readonly how: DatabaseFault }
  | { readonly what: 'platform'; readonly which: PlatformName; readonly how: PlatformFault }
  | { readonly what: 'market'; readonly how: MarketFault };

/** A fault with its begin and end in ms since the storms began. */
export interface Planned {
  readonly at: number;
  readonly until: number;
  readonly fault: Fault;
}

/** Nights with a change to or from summer time in the middle of the run, and the quiet hours of some rooms. */
export const nights = {
  spring: { change: Date.UTC(2026, 2, 29, 1), quiet: { from: '01:00', to: '03:01' } },
  /** The end of these quiet hours occurs twice in that night. */
  autumn: { change: Date.UTC(2026, 9, 25, 1), quiet: { from: '02:00', to: '02:01' } },
} as const;
export type Night = keyof typeof nights;
export const zone = 'Europe/Berlin';

export interface Plan {
  readonly seed: number;
  readonly processes: number;
  readonly night: Night | undefined;
  readonly faults: readonly Planned[];
}

/** Most ms that each kind of fault lasts, at a pace of 1. */
const longest: Readonly<Record<Fault['what'], number>> = {
  kill: 12 * second,
  exhaust: 12 * second,
  freeze: 25 * second,
  jump: 20 * second,
  database: 15 * second,
  platform: 20 * second,
  market: 10 * second,
};
/** Ms until the last fault begins, at a pace of 1. */
const raging = 28 * second;

/**
 * Returns what happens in a run; it depends on the seed alone.
 * @param pace factor for all times: runs with real processes use a smaller one to save time
 */
export function planOf(
  seed: number,
  { pace = 1, processes }: { readonly pace?: number; readonly processes?: number } = {},
): Plan {
  const random = seeded(seed);
  const draw = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const drawn = 1 + Math.floor(random() * 3);
  const all = processes ?? drawn;
  const faultOf = (what: Fault['what']): Fault => {
    switch (what) {
      case 'jump':
        return { what, process: Math.floor(random() * all), by: Math.round((random() - 0.5) * 4 * minute) };
      case 'database':
        return { what, how: draw(databaseFaults) };
      case 'platform':
        return { what, which: draw(platforms), how: draw(platformFaults) };
      case 'market':
        return { what, how: draw(marketFaults) };
      default:
        return { what, process: Math.floor(random() * all) };
    }
  };
  const night = draw([undefined, undefined, 'spring', 'autumn'] as const);
  const faults: Planned[] = [];
  for (let at = 0; at < raging; ) {
    at += Math.floor(200 + random() * 5 * second);
    const what = draw(Object.keys(longest) as Fault['what'][]);
    const until = at + second + random() * longest[what];
    faults.push({ at: Math.round(at * pace), until: Math.round(until * pace), fault: faultOf(what) });
  }
  return { seed, processes: all, night, faults };
}

export interface World {
  /** Resolves after so many ms. */
  pass(ms: number): Promise<void>;
  /** Begins a fault; the function that it returns ends the fault. */
  begin(fault: Fault): Promise<End> | End;
  /** Checks between two steps whether anything is wrong. */
  look(): Promise<void>;
}
export type End = () => Promise<void> | void;

/** Begins and ends faults as planned; several may last at once. At the end all of them are over. */
export async function rage({ faults }: Plan, { pass, begin, look }: World): Promise<void> {
  const over: { readonly at: number; readonly end: End }[] = [];
  let now = 0;
  const until = async (at: number) => {
    await pass(at - now);
    now = at;
    for (const { end } of taken(over, (each) => each.at <= now)) await end();
    await look();
  };
  for (const { at, until: ends, fault } of faults) {
    await until(at);
    over.push({ at: ends, end: await begin(fault) });
  }
  for (const { end } of over) await end();
}

/** Removes the items that fulfil the condition from the list and returns them. */
const taken = <Item>(list: Item[], holds: (item: Item) => boolean): Item[] => {
  const all = list.splice(0);
  list.push(...all.filter((item) => !holds(item)));
  return all.filter(holds);
};

/** Returns how often each fault happens, by its name. */
export function countsOf({ faults, night }: Plan): Record<string, number> {
  const counts: Record<string, number> = night === undefined ? {} : { [`clock: ${night}`]: 1 };
  for (const { fault } of faults) {
    const name = nameOf(fault);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export function nameOf(fault: Fault): string {
  switch (fault.what) {
    case 'kill':
      return 'process: killed';
    case 'exhaust':
      return 'process: out of memory';
    case 'freeze':
      return 'process: frozen';
    case 'jump':
      return 'clock: set';
    case 'platform':
      return `${fault.which}: ${fault.how}`;
    case 'market':
      return `data service: ${fault.how}`;
    case 'database':
      return `database: ${fault.how}`;
  }
}
