import { z } from 'zod';
import { type Change, type Severity, severities, severityRank } from '../../alert/alert.ts';
import { isKnowable } from './known.ts';

/** What a followed value is at one data time. */
export interface Sample<Note = unknown> {
  /** Data time, market ms. */
  readonly at: number;
  /** The side on which the value is beyond the level at which an episode ends. Null: it is on no side. */
  readonly side: string | null;
  /** The value is also beyond the level at which an episode begins. Left out: it is not. */
  readonly strong?: boolean;
  /** Left out: info. */
  readonly severity?: Severity;
  /** The open episode ends at this sample, however few samples were calm. */
  readonly ends?: boolean;
  /** The open episode is reported again with this sample. */
  readonly renew?: boolean;
  /** With `settle`: a turn to this side is not reported. */
  readonly alreadyReported?: boolean;
  /** What the texts of an episode need. An episode keeps the note of the last sample on its side. */
  readonly note?: Note | undefined;
}

export interface EpisodeRules<Note = unknown> {
  /** How many strong samples in a row begin an episode. Left out: 1. */
  readonly confirm?: number;
  /** How many samples in a row off the episode's side end it. Left out: 1. It ends at once when another side is confirmed. */
  readonly calm?: number;
  /** How long after an episode's end no other begins on its side or, with `settle`, after a turn no other is reported, ms. */
  readonly cooldown?: number;
  /** The cooldown holds for every side, not only for that of the episode that ended. */
  readonly coolsAll?: boolean;
  /** The least severity that does not wait for the cooldown. `worse`: any above the last episode's peak. Left out: none. */
  readonly breaks?: Severity | 'worse';
  /** Returns whether a milder sample is far enough below a severity for the episode to ease. Left out: it never eases. */
  readonly eases?: (from: Severity, sample: Sample<Note>) => boolean;
  /**
   * Given if the value is always on some side: each turn to another side is then an episode, which ends with the next
   * turn or after this many ms. A sample on no side is no turn.
   */
  readonly settle?: number;
  /** Rows arrive little by little: each sample of one data time may begin an episode, but together they count as one. */
  readonly partial?: boolean;
  /** How long a value is remembered that has no open episode and no running cooldown, ms. Left out: for ever. */
  readonly keep?: number;
}

const severity = z.enum(severities);

/** Returns the schema of a value that is followed from episode to episode: plain JSON. */
export const episodeSchema = <Note extends z.ZodType>(note: Note) =>
  z.object({
    /** Data time of the last sample counted. */
    seen: z.number(),
    /** With `settle`: the side that the value is on, null until it is first on one. Without `settle`: always null. */
    stands: z.string().nullable(),
    open: z
      .object({
        side: z.string(),
        /** Data times at which the episode began and, `saidAt`, at which it was last reported. */
        since: z.number(),
        saidAt: z.number(),
        /** The episode is not reported, because it was already under way at the baseline. */
        quiet: z.boolean(),
        /** How many of the latest samples in a row were off the episode's side. */
        off: z.int(),
        severity,
        peak: severity,
        note: note.optional(),
      })
      .nullable(),
    pending: z.object({ side: z.string(), count: z.int(), severity, note: note.optional() }).nullable(),
    /** The episode after which the cooldown runs: `at` is when it ended or, with `settle`, when its turn was reported. */
    last: z.object({ side: z.string(), at: z.number(), peak: severity }).nullable(),
  });
export type Episode<Note = unknown> = z.output<ReturnType<typeof episodeSchema<z.ZodType<Note>>>>;
type Open<Note> = NonNullable<Episode<Note>['open']>;

/** What to report when an episode begins, changes or ends. At its end the episode is as it last was. */
export interface Transition<Note = unknown> extends Open<Note>, Pick<Episode<Note>, 'stands' | 'seen'> {
  readonly status: Change['status'];
  readonly ended: boolean;
}

/** Returns the transition of an episode that begins at `at`. */
export const firingTransition = <Note>(beginning: Beginning<Note>, at: number): Transition<Note> => ({
  ...openEpisode(beginning, at),
  status: 'firing',
  ended: false,
  stands: null,
  seen: at,
});

/** The new samples of a value, and how to count them. */
interface News<Note> {
  readonly samples: readonly Sample<Note>[];
  readonly rules: EpisodeRules<Note>;
  /** Market ms: later samples are not known. Left out: all are. */
  readonly now?: number;
  /** These samples are the baseline: nothing that stands out in them is reported. */
  readonly baseline?: boolean | undefined;
}

/**
 * Follows a value through new samples, and returns its next state and what to report. Samples count in the order of
 * their data times and each data time once, however often it is polled. Missing data is no sample and changes nothing.
 * A baseline reports nothing. At most one end and one beginning are reported; an episode that begins and ends within
 * one call is not.
 */
export function follow<Note>(
  past: Episode<Note> | undefined,
  { samples: given, rules, now = Number.POSITIVE_INFINITY, baseline = past === undefined }: News<Note>,
): { readonly next: Episode<Note> | undefined; readonly transitions: readonly Transition<Note>[] } {
  let next = past;
  const samples = given.filter(({ at }) => isKnowable(at, now));
  const ordered = samples.length > 1 ? samples.toSorted((a, b) => a.at - b.at) : samples;
  for (const sample of ordered) {
    const again = sample.at === next?.seen;
    if (next !== undefined && (sample.at < next.seen || (again && rules.partial !== true))) continue;
    next =
      next !== undefined && sample.side === null && isIdle(next, rules)
        ? { ...next, seen: sample.at }
        : countSample(next ?? emptyEpisode, { sample, rules, step: again ? 0 : 1 });
  }
  if (baseline) return { next: next && afterBaseline(next, rules), transitions: [] };
  return { next, transitions: next === undefined ? [] : transitionsOf(past, next) };
}

/** Returns whether nothing is open or pending, as at most looks: a sample on no side then changes nothing but `seen`. */
const isIdle = <Note>({ open, pending }: Episode<Note>, { settle }: EpisodeRules<Note>): boolean =>
  settle === undefined && open === null && pending === null;

const emptyEpisode = { seen: 0, stands: null, open: null, pending: null, last: null };

/**
 * Returns the state after a baseline. A side that is strong but not yet confirmed was there before, and becomes a quiet
 * episode. With `settle` it stays pending, and its confirmation is reported as a turn.
 */
function afterBaseline<Note>(
  { seen, stands, open, pending }: Episode<Note>,
  { settle }: EpisodeRules<never>,
): Episode<Note> {
  if (settle !== undefined) return { seen, stands, open: null, pending, last: null };
  const found = open ?? (pending && openEpisode(pending, seen));
  return { seen, stands, open: found && { ...found, quiet: true }, pending: null, last: null };
}

type Beginning<Note> = Pick<Open<Note>, 'side' | 'severity' | 'note'>;

function openEpisode<Note>({ side, severity, note }: Beginning<Note>, at: number): Open<Note> {
  return { side, since: at, saidAt: at, quiet: false, off: 0, severity, peak: severity, note };
}

/** A sample to count. `step` is 1 for the first of its data time, else 0. */
interface Counted<Note> extends Pick<News<Note>, 'rules'> {
  readonly sample: Sample<Note>;
  readonly step: 0 | 1;
}

function countSample<Note>(past: Episode<Note>, counted: Counted<Note>): Episode<Note> {
  const { sample, rules, step } = counted;
  const { at, side, strong = false, severity = 'info', note } = sample;
  const hasSides = rules.settle !== undefined;
  const currentSide = hasSides ? past.stands : (past.open?.side ?? null);
  const streak = past.pending?.side === side ? past.pending.count + step : 1;
  const isPending = side !== null && strong && side !== currentSide;
  const next = { ...past, seen: at, pending: isPending ? { side, count: streak, severity, note } : null };
  return hasSides ? countSided(next, counted) : countOutlier(next, counted);
}

/** Returns the side that enough samples in a row agree on, if that is another side than before. Null: there is none. */
const confirmedBy = <Note>({ pending }: Episode<Note>, { confirm = 1 }: EpisodeRules<Note>) =>
  pending !== null && pending.count >= confirm ? pending : null;

/** Counts a sample of a value that is always on some side. */
function countSided<Note>(past: Episode<Note>, { sample, rules }: Counted<Note>): Episode<Note> {
  const { at } = sample;
  const { settle = 0, cooldown = 0 } = rules;
  const goesOn = past.open !== null && sample.ends !== true && at - past.open.since < settle;
  const open = past.open !== null && goesOn ? continueEpisode(past.open, { ...rules, sample }) : null;
  // The value was on its first side before it was followed: this is no turn.
  if (past.stands === null) return { ...past, stands: sample.side, pending: null };
  const confirmed = confirmedBy(past, rules);
  if (confirmed === null) return { ...past, open };
  const turned = { ...past, stands: confirmed.side, pending: null };
  if (sample.alreadyReported === true || (past.last !== null && at - past.last.at < cooldown))
    return { ...turned, open: null };
  const { side, severity: peak } = confirmed;
  return { ...turned, open: openEpisode(confirmed, at), last: { side, at, peak } };
}

/** Counts a sample of a value that is mostly on no side. */
function countOutlier<Note>(past: Episode<Note>, { sample, rules, step }: Counted<Note>): Episode<Note> {
  const { at } = sample;
  const confirmed = confirmedBy(past, rules);
  let { open, last } = past;
  if (open !== null) {
    const off = sample.side === open.side ? 0 : open.off + step;
    if (sample.ends === true || confirmed !== null || off >= (rules.calm ?? 1)) {
      last = { side: open.side, at, peak: open.peak };
      open = null;
    } else open = continueEpisode({ ...open, off }, { ...rules, sample });
  }
  if (open !== null || confirmed === null || isCooling({ ...past, last }, rules))
    return { ...past, open, last };
  return { ...past, open: openEpisode(confirmed, at), pending: null, last };
}

/** Returns an open episode after one more sample. */
function continueEpisode<Note>(
  open: Open<Note>,
  { sample, eases }: Pick<Counted<Note>, 'sample'> & EpisodeRules<Note>,
): Open<Note> {
  const { at, side, severity = 'info', note = open.note, renew = false } = sample;
  const isOnSide = side === open.side;
  const step = isOnSide ? severityRank(severity) - severityRank(open.severity) : 0;
  const isSeverityChanged = step > 0 || (step < 0 && eases?.(open.severity, sample) === true);
  const isNewPeak = isSeverityChanged && severityRank(severity) > severityRank(open.peak);
  return {
    ...open,
    note: isOnSide ? note : open.note,
    ...(isSeverityChanged && { severity }),
    ...((isSeverityChanged || renew) && { saidAt: at }),
    ...(isNewPeak && { peak: severity, quiet: false }),
  };
}

/** Returns whether the confirmed side has to wait for the cooldown. */
function isCooling<Note>(
  { seen, pending, last }: Episode<Note>,
  { cooldown = 0, coolsAll = false, breaks }: EpisodeRules<Note>,
): boolean {
  if (pending === null || last === null || seen - last.at >= cooldown) return false;
  if (last.side !== pending.side && !coolsAll) return false;
  const rank = severityRank(pending.severity);
  return breaks === 'worse'
    ? rank <= severityRank(last.peak)
    : breaks === undefined || rank < severityRank(breaks);
}

/** Returns what to report about the difference between two states. Quiet episodes are not reported. */
function transitionsOf<Note>(
  past: Episode<Note> | undefined,
  { open, stands, seen }: Episode<Note>,
): readonly Transition<Note>[] {
  const before = past?.open?.quiet === false ? past.open : null;
  const after = open?.quiet === false ? open : null;
  const transitionOf = (status: Change['status'], episode: Open<Note> | null) =>
    episode === null ? [] : [{ ...episode, status, ended: status === 'resolved', stands, seen }];
  const goesOn = before !== null && before.side === after?.side && before.since === after.since;
  if (!goesOn) return [...transitionOf('resolved', before), ...transitionOf('firing', after)];
  return before.saidAt !== after.saidAt ? transitionOf('updated', after) : [];
}

/** Returns the values that are not forgotten: those with an open episode or a running cooldown, and others for `keep` ms. */
export function remembered<Note>(
  all: Readonly<Record<string, Episode<Note>>>,
  { now, keep = Number.POSITIVE_INFINITY, cooldown = 0 }: EpisodeRules<never> & { readonly now: number },
): Readonly<Record<string, Episode<Note>>> {
  const isKept = ({ seen, open, last }: Episode<Note>) =>
    open !== null || now - seen < keep || (last !== null && now - last.at < cooldown);
  // At most looks there is nothing to forget.
  return Object.values(all).every(isKept)
    ? all
    : Object.fromEntries(Object.entries(all).filter(([, episode]) => isKept(episode)));
}

/** Returns the names of the values that have an open episode. */
export const openNames = (all: Readonly<Record<string, Pick<Episode, 'open'>>> = {}): string[] =>
  Object.keys(all).filter((name) => all[name]?.open !== null);
