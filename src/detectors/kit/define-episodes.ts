import { z } from 'zod';
import type { Annotations, Change, Labels, Severity } from '../../alert/alert.ts';
import { askEach, chooseSymbols, isRefusal } from '../../client/ask-each.ts';
import { marketName, span, time } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { type Detector, type DirectionPrediction, maxDataGap, type ObserveContext } from '../detector.ts';
import {
  type Episode,
  type EpisodeRules,
  episodeSchema,
  firingTransition,
  follow,
  openNames,
  remembered,
  type Sample,
  type Transition,
} from './episode.ts';
import { knownBy } from './known.ts';
import { type Drawing, toChart } from './series.ts';
import type { OptionCheck } from './settings.ts';
import { deleteOldTrails, extendTrail, type Spacing, type Trail, trail } from './trail.ts';
import { joinWaves, type WaveRules, type Waves, waves } from './wave.ts';

export { maxDataGap } from '../detector.ts';
export * as setting from './settings.ts';

/** What a look sees of one followed value. A detector adds fields that its texts need. */
export interface Look<Note> {
  /** The name of the followed value: a market, for example. */
  readonly key: string;
  /** The new samples of the value. Missing data gives no sample. */
  readonly samples: readonly Sample<Note>[];
  /** The value is no longer followed from this market time on, ms: its open episode ends, and its state is forgotten. */
  readonly gone?: number | undefined;
  /** The value to add to the trail, with its market time, ms. */
  readonly trace?: readonly [at: number, value: number];
}

interface State<Note, Memory> {
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly memory?: Memory;
  readonly trails?: Readonly<Record<string, Trail>>;
  readonly waves?: Waves;
}

export type FactPair = readonly [name: Text, value: Text];
/** The facts of an alert. A fact that is not known or not worth showing is `false` or undefined, and is left out. */
export type Facts = readonly (FactPair | false | undefined)[];

/** What an alert says. `dataTime` is given if it is not that of the newest sample, `severity` if not the episode's. */
interface Words extends Omit<Annotations, 'facts' | 'chart' | 'dataTime'> {
  readonly severity?: Severity;
  readonly facts: Facts;
  readonly picture?: Drawing | undefined;
  readonly dataTime?: number;
}

/** The values of options with these schemas. */
export type OptionsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** What `look` knows besides the observation. */
interface LookContext<Options, Note, Memory> {
  readonly options: Options;
  /** Market time of the look, ms. */
  readonly now: number;
  /** Undefined at the detector's first observation. */
  readonly memory: Memory | undefined;
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly trails: Readonly<Record<string, Trail>>;
  readonly baseline: boolean;
}

/** What `tell` makes the texts of an episode from. */
interface TellContext<Options, Seen> extends Pick<LookContext<Options, never, never>, 'options' | 'now'> {
  readonly seen: Seen;
  /** The value's trail up to this look. Empty if the detector keeps no trail or the look has no `trace`. */
  readonly past: Trail;
}

interface Definition<Shape extends z.ZodRawShape, Observation, Seen extends Look<Note>, Note, Memory>
  extends Omit<
    Detector<z.ZodObject<Shape>, z.ZodType<State<Note, Memory>>, Observation>,
    'options' | 'state' | 'step' | 'sample' | 'smallest'
  > {
  readonly options: Shape;
  readonly smallest: (options: OptionsOf<Shape>) => Text;
  readonly check?: OptionCheck<OptionsOf<Shape>>;
  /** Schema of a sample's note. */
  readonly note?: z.ZodType<Note>;
  /** Schema of the state that is kept besides the episodes. */
  readonly memory?: z.ZodType<Memory>;
  /** How densely the past of each value is kept for its chart, where no answer of the data service holds the past. */
  readonly trail?: Spacing;
  /**
   * Returns the rules of an episode. `news`: a value that first appears after the detector's first observation may be
   * reported at once. Left out: each value has a baseline of its own.
   */
  readonly rules: (options: OptionsOf<Shape>) => EpisodeRules<Note> & { readonly news?: boolean };
  /**
   * Returns what the observation shows of each followed value and, for a detector with a memory, the next memory. `able`: see
   * `step` of a detector; left out: it is while any value is followed.
   */
  readonly look: (
    observation: NoInfer<Observation>,
    context: LookContext<OptionsOf<Shape>, Note, Memory>,
  ) =>
    | readonly Seen[]
    | { readonly seen: readonly Seen[]; readonly memory?: Memory; readonly able?: boolean };
  /** Returns the labels of a value's alert: what identifies it, and so nothing that changes while it lasts. */
  readonly labelsOf: (key: string, side: string) => Omit<Labels, 'kind'>;
  /**
   * The alert also ends if its market has had no sample for `maxDataGap` while others had, as when it was delisted or is no
   * longer tracked. Left out: only a look ends it.
   */
  readonly endsUnseen?: true;
  readonly tell: (transition: Transition<Note>, context: TellContext<OptionsOf<Shape>, Seen>) => Words;
  /** Returns how alerts that begin in market after market are joined into one post. */
  readonly wave?: (options: OptionsOf<Shape>) => WaveRules;
  /** Returns an alert that has just begun, with invented values. */
  readonly sample?: (now: number) => {
    readonly transition: Pick<Transition<NoInfer<Note>>, 'side' | 'severity' | 'note'>;
    readonly seen: Omit<NoInfer<Seen>, 'samples'>;
  };
}

/**
 * Makes a detector that follows values from episode to episode. `look` says what an observation shows of each value,
 * `rules` when an episode begins and ends, and `tell` what its alert says.
 */
export function defineEpisodes<
  Shape extends z.ZodRawShape,
  Observation,
  Seen extends Look<Note>,
  Note = never,
  Memory = never,
>(
  definition: Definition<Shape, Observation, Seen, Note, Memory>,
): Detector<z.ZodObject<Shape>, z.ZodType<State<Note, Memory>>, Observation> {
  const { options: shape, check, note, memory, trail: spacing, ...others } = definition;
  const { rules, look, tell, labelsOf, endsUnseen, wave, sample, ...detector } = others;
  const schema = check ? z.object(shape).refine(...check) : z.object(shape);
  const labelled = (key: string, side: string): Labels => ({ kind: detector.name, ...labelsOf(key, side) });
  const changeOf = (one: Transition<Note>, context: TellContext<OptionsOf<Shape>, Seen>): Change => {
    const reached = one.ended ? one.peak : one.severity;
    const { severity = reached, facts, picture, ...words } = tell(one, context);
    const labels = labelled(context.seen.key, one.side);
    const chart = picture && toChart(picture);
    const known = facts.flatMap((fact) => (fact ? { name: fact[0], value: fact[1] } : []));
    const annotations = { dataTime: one.seen, ...words, facts: known, ...(chart && { chart }) };
    return { status: one.status, labels, severity, annotations };
  };
  return {
    ...detector,
    observe: (context) => detector.observe({ ...context, state: knownBy(context.state, context.now) }),
    options: schema,
    ...(sample && {
      sample(now: number) {
        const { transition, seen: about } = sample(now);
        const seen = { ...about, samples: [] } as unknown as Seen;
        const context = { seen, past: [], options: schema.parse({}), now };
        return changeOf(firingTransition(transition, now), context);
      },
    }),
    state: z.object({
      values: z.record(z.string(), episodeSchema(note ?? z.never())),
      ...(memory && { memory }),
      ...(spacing && { trails: z.record(z.string(), trail) }),
      ...(wave && { waves: waves.default({}) }),
    }) as unknown as z.ZodType<State<Note, Memory>>,
    step(stored, observation, { options, now }) {
      const state = knownBy(stored, now);
      const { news = false, ...episodeRules } = rules(options);
      const baseline = state === undefined;
      const before = remembered(state?.values ?? {}, { ...episodeRules, now });
      const trails = spacing ? { ...state?.trails } : {};
      const context = { options, now, memory: state?.memory, values: before, trails, baseline };
      const found = look(observation, context);
      const { seen: all, memory: kept, ...given } = 'seen' in found ? found : { seen: found };
      const values: Record<string, Episode<Note>> = all.length > 0 ? { ...before } : before;
      const changes: Change[] = [];
      for (const seen of all) {
        const { key, gone, trace } = seen;
        const samples = gone === undefined ? seen.samples : [{ at: gone, side: null, ends: true }];
        const extended = trace && spacing && extendTrail(trails[key], { trace, spacing });
        if (extended) trails[key] = extended.kept;
        const counted = { samples, now, rules: episodeRules, baseline: news ? baseline : !before[key] };
        const { next, transitions } = follow(before[key], counted);
        if (next !== undefined) values[key] = next;
        if (gone !== undefined) {
          delete values[key];
          delete trails[key];
        }
        const past = extended?.shown ?? [];
        for (const one of transitions) changes.push(changeOf(one, { options, now, seen, past }));
      }
      if (endsUnseen && all.length > 0)
        for (const { key, seen, open } of lostEpisodes(values)) {
          delete values[key];
          const labels = labelled(key, open.side);
          if (!open.quiet) changes.push(lostEnd(labels, { severity: open.peak, dataTime: seen }));
        }
      if (spacing) {
        // By data time, so that a run with the same answers changes nothing.
        const at = Math.max(...all.map(({ trace }) => trace?.[0] ?? Number.NEGATIVE_INFINITY));
        deleteOldTrails(trails, at, spacing);
      }
      const nextState = {
        values: values === before ? before : remembered(values, { ...episodeRules, now }),
        ...(kept !== undefined && { memory: kept }),
        ...(spacing && { trails }),
      };
      const able = given.able ?? Object.keys(values).length > 0;
      if (wave === undefined) return { state: nextState, changes, able };
      const at = Math.max(...changes.map(({ annotations }) => annotations.dataTime));
      const joined = joinWaves(state?.waves ?? {}, { changes, now: at, ...wave(options) });
      return { state: { ...nextState, waves: joined.waves }, changes: joined.changes, able };
    },
  };
}

/** Returns the open episodes without data for `maxDataGap`. While there is no data of any value, they are unknown. */
function lostEpisodes<Note>(values: Readonly<Record<string, Episode<Note>>>) {
  const newest = Math.max(...Object.values(values).map(({ seen }) => seen));
  return Object.entries(values).flatMap(([key, { seen, open }]) =>
    open !== null && newest - seen > maxDataGap ? [{ key, seen, open }] : [],
  );
}

/** Returns the end of the alert of a lost episode. */
const lostEnd = (
  labels: Labels,
  { severity, dataTime }: Pick<Change, 'severity'> & Pick<Annotations, 'dataTime'>,
): Change => ({
  status: 'resolved',
  labels,
  severity,
  annotations: { ...lostData(marketName(labels.symbol ?? ''), dataTime), facts: [], dataTime },
});

/** Returns what the end of an alert says whose data has ended: nothing of the market. `since`: market ms. */
export const lostData = (name: Text, since: number) => ({
  title: msg('no data for {name} since {since}', { name, since: time(since) }),
  summary: msg('Whether it goes on is not known.'),
  unknown: true as const,
});

/** Returns the few largest rows, which the alert about them all names. */
export const largest = <Row>(rows: readonly Row[], sizeOf: (row: Row) => number): readonly Row[] =>
  rows.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 5);

/** Returns the prediction that the price goes against the crowded side, LONG or SHORT, with which the value of `label` ends. */
export const againstTheCrowd = (label: string): DirectionPrediction => ({
  directionOf: ({ [label]: side }) => (side?.endsWith('SHORT') ? 'up' : 'down'),
  phrase: msg('against the crowded side'),
});

/** Returns whether an episode has ended while its value is on another side: it is not back to normal. */
export const hasTurned = (
  { ended, side }: Pick<Transition, 'ended' | 'side'>,
  { samples }: Pick<Look<unknown>, 'samples'>,
): boolean => {
  const now = samples.at(-1)?.side ?? null;
  return ended && now !== null && now !== side;
};

/** Returns the text that says how an episode of a turn has ended. */
export const turnEnded = ({ stands, side }: Pick<Transition, 'stands' | 'side'>, settle: number): Text =>
  stands === side
    ? msg('It has not turned back for {span}.', { span: span(settle) })
    : msg('It has turned back.');

/**
 * Asks about at most `maxSymbols` markets: first those with an open episode, then those that people subscribe to, then
 * those that are followed already, then the others as `chooseSymbols` orders them. If the service refuses all of these, as
 * it does with markets that it no longer tracks, it asks about the next ones.
 */
export async function askMarkets<Answer, Note>(
  context: ObserveContext<Pick<State<Note, unknown>, 'values'>, { readonly maxSymbols: number }>,
  ask: (symbol: string) => Promise<Answer>,
): Promise<readonly (Answer & { readonly symbol: string })[]> {
  const { data, options, state, symbols, signal } = context;
  const values = state?.values ?? {};
  const first = [...openNames(values), ...symbols, ...Object.keys(values)];
  const choose = (first: readonly string[]) => chooseSymbols(options.maxSymbols, { first, data, signal });
  const chosen = await choose(first);
  const isUnasked = (symbol: string) => !chosen.includes(symbol);
  const answers = await askEach(chosen, ask).catch(async (error: unknown) => {
    const next = isRefusal(error) ? (await choose(first.filter(isUnasked))).filter(isUnasked) : [];
    if (next.length === 0) throw error;
    return askEach(next, ask);
  });
  return [...answers].map(([symbol, answer]) => ({ ...answer, symbol }));
}
