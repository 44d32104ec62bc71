import { z } from 'zod';
import type { Annotations, Change, Labels, Severity } from '../../alert/alert.ts';
import { askEach, chooseSymbols } from '../../client/each.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { day } from '../../runtime/units.ts';
import type { Detector, DirectionClaim, ObserveContext } from '../detector.ts';
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
import { type Drawing, toChart } from './series.ts';
import { extendTrail, type Spacing, type Trail, trail } from './trail.ts';
import { joinWaves, type WaveRules, type Waves, waves } from './wave.ts';

/** The longest gap in the data over which a market's state is kept, ms. After a longer gap the market is treated as new. */
export const maxDataGap = 2 * day;

/** What a look sees of one followed value. A detector adds fields that its texts need. */
export interface Look<Note> {
  /** The name of the followed value: a market, for example. */
  readonly key: string;
  /** The new samples of the value. Missing data gives no sample. */
  readonly samples: readonly Sample<Note>[];
  /** The value is no longer followed: its state is forgotten after these samples, which must end an open episode by `ends`. */
  readonly gone?: boolean;
  /** The value to add to the trail, with its market time, ms. */
  readonly trace?: readonly [at: number, value: number];
}

interface State<Note, Memory> {
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly memory?: Memory;
  readonly trails?: Readonly<Record<string, Trail>>;
  readonly waves?: Waves;
}

/** The facts of an alert. A fact that is not known or not worth showing is `false` or undefined, and is left out. */
export type Facts = readonly (readonly [name: Text, value: Text] | false | undefined)[];

/** What an alert says. `dataTime` is given if it is not that of the newest sample. */
interface Words extends Omit<Annotations, 'facts' | 'chart' | 'dataTime'> {
  readonly labels: Omit<Labels, 'kind'>;
  /** Given if it is not the severity of the episode. */
  readonly severity?: Severity;
  readonly facts: Facts;
  readonly picture?: Drawing | undefined;
  readonly dataTime?: number;
}

/** The options, and the market time of the look, ms. */
interface Context<Options extends z.ZodType> {
  readonly options: z.output<Options>;
  readonly now: number;
}

/** What `look` knows besides the observation. */
interface LookContext<Options extends z.ZodType, Note, Memory> extends Context<Options> {
  /** Undefined at the detector's first observation. */
  readonly memory: Memory | undefined;
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly trails: Readonly<Record<string, Trail>>;
  readonly baseline: boolean;
}

/** What `tell` makes the texts of an episode from. */
interface TellContext<Options extends z.ZodType, Seen> extends Context<Options> {
  readonly seen: Seen;
  /** The value's trail up to this look. Empty if the detector keeps no trail or the look has no `trace`. */
  readonly past: Trail;
}

interface Definition<Options extends z.ZodType, Observation, Seen extends Look<Note>, Note, Memory>
  extends Omit<Detector<Options, z.ZodType<State<Note, Memory>>, Observation>, 'state' | 'step' | 'sample'> {
  /** Schema of a sample's note. */
  readonly note?: z.ZodType<Note>;
  /** Schema of the state that is kept besides the episodes. */
  readonly memory?: z.ZodType<Memory>;
  /**
   * How densely the past of each value is kept for its chart. Needed only where no answer of the data service holds the
   * past.
   */
  readonly trail?: Spacing;
  /**
   * Returns the rules of an episode. `news`: a value that first appears after the detector's first observation may be
   * reported at once. Left out: each value has a baseline of its own.
   */
  readonly rules: (options: z.output<Options>) => EpisodeRules<Note> & { readonly news?: boolean };
  /** Returns what the observation shows of each followed value and, for a detector with a memory, the next memory. */
  readonly look: (
    observation: NoInfer<Observation>,
    context: LookContext<Options, Note, Memory>,
  ) => readonly Seen[] | { readonly seen: readonly Seen[]; readonly memory: Memory };
  /** Returns what the alert says. */
  readonly tell: (transition: Transition<Note>, context: TellContext<Options, Seen>) => Words;
  /** Returns how alerts that begin in market after market are joined into one post. */
  readonly wave?: (options: z.output<Options>) => WaveRules;
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
  Options extends z.ZodType,
  Observation,
  Seen extends Look<Note>,
  Note = never,
  Memory = never,
>(
  definition: Definition<Options, Observation, Seen, Note, Memory>,
): Detector<Options, z.ZodType<State<Note, Memory>>, Observation> {
  const { note, memory, trail: spacing, rules, look, tell, wave, sample, ...detector } = definition;
  const changeOf = (one: Transition<Note>, context: TellContext<Options, Seen>): Change => {
    const reachedSeverity = one.ended ? one.peak : one.severity;
    const { labels, severity = reachedSeverity, facts, picture, ...words } = tell(one, context);
    const chart = picture && toChart(picture);
    const knownFacts = facts.flatMap((fact) => (fact ? { name: fact[0], value: fact[1] } : []));
    const annotations = { dataTime: one.seen, ...words, facts: knownFacts, ...(chart && { chart }) };
    return { status: one.status, labels: { kind: detector.name, ...labels }, severity, annotations };
  };
  const sampleChange = (
    now: number,
    { transition, seen }: ReturnType<NonNullable<typeof sample>>,
  ): Change => {
    const context = { seen: { ...seen, samples: [] } as unknown as Seen, past: [] };
    return changeOf(firingTransition(transition, now), {
      ...context,
      options: detector.options.parse({}),
      now,
    });
  };
  return {
    ...detector,
    ...(sample && { sample: (now) => sampleChange(now, sample(now)) }),
    state: z.object({
      values: z.record(z.string(), episodeSchema(note ?? z.never())),
      ...(memory && { memory }),
      ...(spacing && { trails: z.record(z.string(), trail) }),
      ...(wave && { waves }),
    }) as unknown as z.ZodType<State<Note, Memory>>,
    // biome-ignore lint/complexity/useMaxParams: a reducer: what was, what is seen, and by which options
    step(state, observation, { options, now }) {
      const { news = false, ...episodeRules } = rules(options);
      const baseline = state === undefined;
      const knownValues = remembered(state?.values ?? {}, { ...episodeRules, now });
      const trails = spacing ? { ...state?.trails } : {};
      const before = { memory: state?.memory, values: knownValues, trails, baseline };
      const lookResult = look(observation, { options, now, ...before });
      const { seen: all, memory: nextMemory } =
        'seen' in lookResult ? lookResult : { seen: lookResult, memory: undefined };
      const values: Record<string, Episode<Note>> = all.length > 0 ? { ...knownValues } : knownValues;
      const changes: Change[] = [];
      for (const seen of all) {
        const { key, samples, gone = false, trace } = seen;
        const extendedTrail = trace && spacing && extendTrail(trails[key], { trace, spacing });
        if (extendedTrail) trails[key] = extendedTrail.kept;
        const isFirstSeen = news ? baseline : !knownValues[key];
        const { next, transitions } = follow(knownValues[key], {
          samples,
          rules: episodeRules,
          baseline: isFirstSeen,
        });
        if (next !== undefined) values[key] = next;
        if (gone) {
          delete values[key];
          delete trails[key];
        }
        const past = extendedTrail?.shown ?? [];
        for (const one of transitions) changes.push(changeOf(one, { options, now, seen, past }));
      }
      const nextState = {
        values: values === knownValues ? knownValues : remembered(values, { ...episodeRules, now }),
        ...(nextMemory !== undefined && { memory: nextMemory }),
        ...(spacing && { trails }),
      };
      if (wave === undefined) return { state: nextState, changes };
      const at = Math.max(...changes.map(({ annotations }) => annotations.dataTime));
      const joined = joinWaves(state?.waves ?? {}, { changes, now: at, ...wave(options) });
      return { state: { ...nextState, waves: joined.waves }, changes: joined.changes };
    },
  };
}

/**
 * Serves as the `steady` of a detector that depends on nothing but data times: as long as the answers are the same, no
 * run changes anything, however late.
 */
export const byDataTime = (): number => Number.POSITIVE_INFINITY;

/**
 * Returns the claim that the price goes against the crowded side.
 *
 * @param label the label whose value ends with the crowded side, LONG or SHORT
 */
export const againstTheCrowd = (label: string): DirectionClaim => ({
  directionOf: ({ [label]: side }) => (side?.endsWith('SHORT') ? 'up' : 'down'),
  phrase: msg('against the crowded side'),
});

/** Returns the text that says how an episode of a turn has ended. */
export const turnEnded = ({ stands, side }: Pick<Transition, 'stands' | 'side'>, settle: number): Text =>
  stands === side
    ? msg('It has stayed there for {span}.', { span: span(settle) })
    : msg('It has turned back.');

/**
 * Asks about single markets, at most `maxSymbols` of them: first those with an open episode, then those that people
 * subscribe to, then those that are followed already, then the others as `chooseSymbols` orders them.
 */
export async function askMarkets<Answer, Note>(
  context: ObserveContext<Pick<State<Note, unknown>, 'values'>, { readonly maxSymbols: number }>,
  ask: (symbol: string) => Promise<Answer>,
): Promise<readonly (Answer & { readonly symbol: string })[]> {
  const { data, options, state, symbols, signal } = context;
  const values = state?.values ?? {};
  const first = [...openNames(values), ...symbols, ...Object.keys(values)];
  const chosen = await chooseSymbols(options.maxSymbols, { first, data, signal });
  const answers = await askEach(chosen, ask);
  return [...answers].map(([symbol, answer]) => ({ ...answer, symbol }));
}
