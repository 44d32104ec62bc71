import { day, hour, minute, second } from '#src/runtime/units.ts';
import { seeded } from '#test/support/random.ts';

/** Where a run takes place: simulated processes on SQLite in memory, a real process on a SQLite file, or real ones on Postgres. */
export type Stage = 'simulated' | 'file' | 'postgres';

/** One kind of fault. */
interface Kind {
  /** What has the fault, and which one. */
  readonly what: string;
  readonly how: string;
  readonly does: string;
  readonly ends: string;
  /** Most ms that it lasts, at a pace of 1. */
  readonly longest: number;
  /** Left out: on every stage. */
  readonly on?: readonly Stage[];
}

const kind =
  (what: string, { longest, on }: Pick<Kind, 'longest' | 'on'>) =>
  <How extends string>(how: How, does: string, ends: string) =>
    ({ what, how, does, ends, longest, ...(on && { on }) }) as Kind & { readonly how: How };

const process = kind('process', { longest: 12 * second });
const stopped = kind('process', { longest: 25 * second });
const clock = kind('clock', { longest: 20 * second });
const database = kind('database', { longest: 15 * second, on: ['simulated', 'postgres'] });
const file = kind('file', { longest: 15 * second, on: ['simulated', 'file'] });
const pages = kind('file', { longest: 15 * second, on: ['file'] });
const platform = kind('platform', { longest: 20 * second });
const service = kind('service', { longest: 10 * second });
const rows = kind('rows', { longest: 20 * second });
const meta = kind('meta', { longest: 20 * second });

const processKinds = [
  process('killed', 'SIGKILL', 'it is started again'),
  process('out of memory', 'its heap is filled until it ends', 'it is started again'),
  stopped('frozen', 'SIGSTOP: its roles go to others', 'SIGCONT'),
  stopped('starved', 'it has a tenth of a core', 'it has a core'),
] as const;
const clockKinds = [
  clock('minutes', 'one process’ clock is up to two minutes off', 'it is set right'),
  clock('an hour', 'it is an hour ahead or behind', 'it is set right'),
  clock('a month', 'it is a day to a month ahead or behind', 'it is set right'),
] as const;
const databaseKinds = [
  database('locked', 'another client holds the tables', 'it lets go'),
  database('full', 'writes find no room', 'there is room'),
  database('corrupt', 'pages cannot be read', 'they can'),
  database('restarted', 'connections end and none is taken', 'connections are taken'),
  database('silent', 'nothing is answered', 'all is answered'),
  database('unanswered', 'queries are carried out, some answers are lost', 'all is answered'),
] as const;
const fileKinds = [
  file(
    'deleted',
    'the database’s files are no longer there',
    'they are put back; real processes start again',
  ),
  file('replaced', 'another database is in their place', 'they are put back; real processes start again'),
  pages('damaged', '32 kB of garbage are inside it, until the process says so', 'as it was; started again'),
] as const;
const platformKinds = [
  platform('refuses', '503', 'it takes messages'),
  platform('deaf', 'messages arrive, half of the answers are lost', 'all is answered'),
  platform('slow', 'it takes its time', 'it is quick'),
  platform('busy', '429', 'it takes messages'),
  platform('unauthorized', 'one 401', 'it takes the token'),
] as const;
const serviceKinds = [
  service('away', 'no connection', 'it answers'),
  service('slow', 'it takes its time', 'it is quick'),
  service('busy', '429', 'it answers'),
  service('garbled', 'half of a JSON text', 'whole ones'),
] as const;
/** What the data service says is well formed, and wrong. */
const lieKinds = [
  rows('ahead', 'critical rows are dated an hour to a century ahead', 'rows are true'),
  rows('of the past', 'critical rows of a day to a year ago stand among the others', 'rows are true'),
  rows('twice, in any order', 'each row comes twice, all of them shuffled', 'rows are in order'),
  rows('another price', 'a leg is another coin of the same name, at 1/20 of the price', 'it is gone'),
  meta('time ahead', 'market time is an hour to a century ahead', 'the time is true'),
  meta('time of the past', 'market time is a day to a year behind', 'the time is true'),
  meta('another run', 'it is another run of the market', 'the run is the same again'),
  meta('another source', 'it is of another source', 'the source is the same again'),
] as const;

/** Every kind of fault, what it does, and how it ends. */
export const kinds: readonly Kind[] = [
  ...processKinds,
  ...clockKinds,
  ...databaseKinds,
  ...fileKinds,
  ...platformKinds,
  ...serviceKinds,
  ...lieKinds,
];

type HowOf<Kinds extends readonly { readonly how: string }[]> = Kinds[number]['how'];
export type DatabaseFault = HowOf<typeof databaseKinds>;
export type FileFault = HowOf<typeof fileKinds>;
export type PlatformFault = HowOf<typeof platformKinds>;
export type ServiceFault = HowOf<typeof serviceKinds>;
export type Lie = HowOf<typeof lieKinds>;

export const platforms = ['discord', 'telegram', 'webhook'] as const;
export type PlatformName = (typeof platforms)[number];
/** The platforms that take a token. */
const chats = ['discord', 'telegram'] as const;

/** A fault. `process` is the number of the process that has it; `by` is in ms. */
export type Fault =
  | { readonly what: 'process'; readonly how: HowOf<typeof processKinds>; readonly process: number }
  | {
      readonly what: 'clock';
      readonly how: HowOf<typeof clockKinds>;
      readonly process: number;
      readonly by: number;
    }
  | { readonly what: 'database'; readonly how: DatabaseFault }
  | { readonly what: 'file'; readonly how: FileFault }
  | { readonly what: 'platform'; readonly how: PlatformFault; readonly which: PlatformName }
  | { readonly what: 'service'; readonly how: ServiceFault }
  | { readonly what: 'rows' | 'meta'; readonly how: Lie; readonly by: number };

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

/** Ms until the last fault begins, at a pace of 1. */
const raging = 28 * second;

/**
 * Returns what happens in a run; it depends on the seed and the stage alone.
 * @param pace factor for all times: runs with real processes use a smaller one to save time
 */
export function planOf(
  seed: number,
  {
    stage = 'simulated',
    pace = 1,
    processes,
  }: { readonly stage?: Stage; readonly pace?: number; readonly processes?: number } = {},
): Plan {
  const random = seeded(seed);
  const draw = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const drawn = 1 + Math.floor(random() * 3);
  const all = processes ?? drawn;
  const possible = [
    ...Map.groupBy(
      kinds.filter(({ on }) => on?.includes(stage) ?? true),
      ({ what }) => what,
    ).values(),
  ];
  const process = () => Math.floor(random() * all);
  /** What a fault has besides its kind. */
  const detailsOf = ({ what, how }: Kind): object => {
    switch (what) {
      case 'process':
        return { process: process() };
      case 'clock':
        return { process: process(), by: draw([-1, 1]) * spanOf(how) };
      case 'rows':
      case 'meta':
        return { by: /of the past$/.test(how) ? -draw([1, 30, 365]) * day : draw([hour, day, 36_500 * day]) };
      case 'platform':
        return { which: draw(how === 'unauthorized' ? chats : platforms) };
      default:
        return {};
    }
  };
  const spanOf = (how: string): number =>
    how === 'minutes'
      ? Math.round(random() * 2 * minute)
      : how === 'an hour'
        ? hour
        : Math.ceil(random() * 30) * day;
  const faultOf = (kind: Kind) => ({ what: kind.what, how: kind.how, ...detailsOf(kind) }) as Fault;
  const night = stage === 'simulated' ? draw([undefined, undefined, 'spring', 'autumn'] as const) : undefined;
  const faults: Planned[] = [];
  for (let at = 0; at < raging; ) {
    at += Math.floor(200 + random() * 5 * second);
    const kind = draw(draw(possible));
    const until = at + second + random() * kind.longest;
    faults.push({ at: Math.round(at * pace), until: Math.round(until * pace), fault: faultOf(kind) });
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
  const counts: Record<string, number> = night === undefined ? {} : { [`night: ${night}`]: 1 };
  for (const { fault } of faults) {
    const name = nameOf(fault);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export const nameOf = (fault: Fault): string =>
  `${fault.what === 'platform' ? fault.which : fault.what}: ${fault.how}`;
