import { z } from 'zod';
import type { Annotations, Change, Labels, Severity } from '../../alert/alert.ts';
import { askEach, symbolsWithin } from '../../client/each.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { day } from '../../runtime/units.ts';
import type { Detector, DirectionClaim, ObserveContext } from '../detector.ts';
import {
  begun,
  type Episode,
  type EpisodeRules,
  episodeOf,
  follow,
  opened,
  remembered,
  type Sample,
  type Transition,
} from './episode.ts';
import { type Drawing, drawn } from './series.ts';
import { extended, type Spacing, type Trail, trail } from './trail.ts';
import { inWaves, type WaveRules, type Waves, waves } from './wave.ts';

/** The longest gap in the data over which a market's state is kept, ms. After a longer gap the market is treated as new. */
export const lapse = 2 * day;

/** What a look sees of one followed value. A detector adds fields that its texts need. */
export interface Look<Note> {
  /** The name of the followed value: a market, for example. */
  readonly key: string;
  /** The new samples of the value. Missing data gives no sample. */
  readonly samples: readonly Sample<Note>[];
  /** The value is no longer followed: its state is forgotten after these samples, which must end an open episode by `over`. */
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
  const say = (one: Transition<Note>, context: TellContext<Options, Seen>): Change => {
    const reached = one.over ? one.peak : one.severity;
    const { labels, severity = reached, facts, picture, ...words } = tell(one, context);
    const chart = picture && drawn(picture);
    const known = facts.flatMap((fact) => (fact ? { name: fact[0], value: fact[1] } : []));
    const annotations = { dataTime: one.seen, ...words, facts: known, ...(chart && { chart }) };
    return { status: one.status, labels: { kind: detector.name, ...labels }, severity, annotations };
  };
  const sampled = (now: number, { transition, seen }: ReturnType<NonNullable<typeof sample>>): Change => {
    const known = { seen: { ...seen, samples: [] } as unknown as Seen, past: [] };
    return say(begun(transition, now), { ...known, options: detector.options.parse({}), now });
  };
  return {
    ...detector,
    ...(sample && { sample: (now) => sampled(now, sample(now)) }),
    state: z.object({
      values: z.record(z.string(), episodeOf(note ?? z.never())),
      ...(memory && { memory }),
      ...(spacing && { trails: z.record(z.string(), trail) }),
      ...(wave && { waves }),
    }) as unknown as z.ZodType<State<Note, Memory>>,
    // biome-ignore lint/complexity/useMaxParams: a reducer: what was, what is seen, and by which options
    step(state, observation, { options, now }) {
      const { news = false, ...ruled } = rules(options);
      const baseline = state === undefined;
      const known = remembered(state?.values ?? {}, { ...ruled, now });
      const trails = spacing ? { ...state?.trails } : {};
      const before = { memory: state?.memory, values: known, trails, baseline };
      const looked = look(observation, { options, now, ...before });
      const { seen: all, memory: next } = 'seen' in looked ? looked : { seen: looked, memory: undefined };
      const values: Record<string, Episode<Note>> = all.length > 0 ? { ...known } : known;
      const changes: Change[] = [];
      for (const seen of all) {
        const { key, samples, gone = false, trace } = seen;
        const traced = trace && spacing && extended(trails[key], { trace, spacing });
        if (traced) trails[key] = traced.kept;
        const met = news ? baseline : !known[key];
        const { next, transitions } = follow(known[key], { samples, rules: ruled, baseline: met });
        if (next !== undefined) values[key] = next;
        if (gone) {
          delete values[key];
          delete trails[key];
        }
        const past = traced?.shown ?? [];
        for (const one of transitions) changes.push(say(one, { options, now, seen, past }));
      }
      const kept = {
        values: values === known ? known : remembered(values, { ...ruled, now }),
        ...(next !== undefined && { memory: next }),
        ...(spacing && { trails }),
      };
      if (wave === undefined) return { state: kept, changes };
      const at = Math.max(...changes.map(({ annotations }) => annotations.dataTime));
      const joined = inWaves(state?.waves ?? {}, { changes, now: at, ...wave(options) });
      return { state: { ...kept, waves: joined.waves }, changes: joined.changes };
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
  of: ({ [label]: side }) => (side?.endsWith('SHORT') ? 'up' : 'down'),
  said: msg('against the crowded side'),
});

/** Returns the text that says how an episode of a turn has ended. */
export const turnEnded = ({ stands, side }: Pick<Transition, 'stands' | 'side'>, settle: number): Text =>
  stands === side
    ? msg('It has stayed there for {span}.', { span: span(settle) })
    : msg('It has turned back.');

/**
 * Asks about single markets, at most `maxSymbols` of them: first those with an open episode, then those that people
 * subscribe to, then those that are followed already, then the others as `symbolsWithin` orders them.
 */
export async function askMarkets<Answer, Note>(
  context: ObserveContext<Pick<State<Note, unknown>, 'values'>, { readonly maxSymbols: number }>,
  ask: (symbol: string) => Promise<Answer>,
): Promise<readonly (Answer & { readonly symbol: string })[]> {
  const { data, options, state, symbols, signal } = context;
  const known = state?.values ?? {};
  const first = [...opened(known), ...symbols, ...Object.keys(known)];
  const chosen = await symbolsWithin(options.maxSymbols, { first, data, signal });
  const answers = await askEach(chosen, ask);
  return [...answers].map(([symbol, answer]) => ({ ...answer, symbol }));
}
