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

/** Markets are followed on over a gap of this length; after a longer one each is met as if for the first time. */
export const lapse = 2 * day;

/** What is seen of one value that is followed. A detector's own holds besides what its words need. */
export interface Look<Note> {
  /** What is followed: a market, say. */
  readonly key: string;
  /** What is not known is no sample. */
  readonly samples: readonly Sample<Note>[];
  /** It is followed no more: what goes on ends, and nothing is remembered of it. */
  readonly gone?: boolean;
  /** What its trail goes on with: market ms and value. */
  readonly trace?: readonly [at: number, value: number];
}

interface State<Note, Memory> {
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly memory?: Memory;
  readonly trails?: Readonly<Record<string, Trail>>;
  readonly waves?: Waves;
}

/** What is not known, or not worth saying, is `false` or undefined and left out. */
export type Facts = readonly (readonly [name: Text, value: Text] | false | undefined)[];

/** What an alert says. `dataTime`: where it is not that of the newest sample. */
interface Words extends Omit<Annotations, 'facts' | 'chart' | 'dataTime'> {
  readonly labels: Omit<Labels, 'kind'>;
  /** Where it is another than that of the episode. */
  readonly severity?: Severity;
  readonly facts: Facts;
  readonly picture?: Drawing | undefined;
  readonly dataTime?: number;
}

/** By what is judged, and when. */
interface Context<Options extends z.ZodType> {
  readonly options: z.output<Options>;
  readonly now: number;
}

/** What is known when an observation is looked at. */
interface LookContext<Options extends z.ZodType, Note, Memory> extends Context<Options> {
  /** undefined at the baseline. */
  readonly memory: Memory | undefined;
  readonly values: Readonly<Record<string, Episode<Note>>>;
  readonly trails: Readonly<Record<string, Trail>>;
  readonly baseline: boolean;
}

/** What the words of an episode are made of. */
interface TellContext<Options extends z.ZodType, Seen> extends Context<Options> {
  readonly seen: Seen;
  /** Its trail up to this; empty where there is none, or nothing to go on with. */
  readonly past: Trail;
}

interface Definition<Options extends z.ZodType, Observation, Seen extends Look<Note>, Note, Memory>
  extends Omit<Detector<Options, z.ZodType<State<Note, Memory>>, Observation>, 'state' | 'step' | 'sample'> {
  /** Schema of a sample's note. */
  readonly note?: z.ZodType<Note>;
  /** Schema of what is kept besides the episodes. */
  readonly memory?: z.ZodType<Memory>;
  /** How finely the past of each value is kept for its chart, where no answer holds it. */
  readonly trail?: Spacing;
  /** `news`: what is first met after the baseline may be told at once; left out, each value has a baseline of its own. */
  readonly rules: (options: z.output<Options>) => EpisodeRules<Note> & { readonly news?: boolean };
  readonly look: (
    observation: NoInfer<Observation>,
    context: LookContext<Options, Note, Memory>,
  ) => readonly Seen[] | { readonly seen: readonly Seen[]; readonly memory: Memory };
  /** The words. */
  readonly tell: (transition: Transition<Note>, context: TellContext<Options, Seen>) => Words;
  /** What begins in market after market is one post. */
  readonly wave?: (options: z.output<Options>) => WaveRules;
  /** An alert of made values that has just begun. */
  readonly sample?: (now: number) => {
    readonly transition: Pick<Transition<NoInfer<Note>>, 'side' | 'severity' | 'note'>;
    readonly seen: Omit<NoInfer<Seen>, 'samples'>;
  };
}

/** A detector that follows values: what is seen of them, the rules of an episode, and the words. */
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

/** `steady` of a detector that counts data times alone: at the same ones nothing changes, however late it looks again. */
export const byDataTime = (): number => Number.POSITIVE_INFINITY;

/** What is crowded is said to turn on those in it. @param label whose value ends with the crowded side */
export const againstTheCrowd = (label: string): DirectionClaim => ({
  of: ({ [label]: side }) => (side?.endsWith('SHORT') ? 'up' : 'down'),
  said: msg('against the crowded side'),
});

/** How a turn has ended. */
export const turnEnded = ({ stands, side }: Pick<Transition, 'stands' | 'side'>, settle: number): Text =>
  stands === side
    ? msg('It has stayed there for {span}.', { span: span(settle) })
    : msg('It has turned back.');

/**
 * Asks about one market after the other: first those of which an episode goes on, then those that people care about,
 * then those that are followed already, as far as `maxSymbols` goes.
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
