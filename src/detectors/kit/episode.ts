import { z } from 'zod';
import { type Change, type Severity, severities, severityRank } from '../../alert/alert.ts';

/** What a value is at one data time. */
export interface Sample<Note = unknown> {
  /** Data time, market ms. */
  readonly at: number;
  /** Which side it stands out on, beyond the level at which that ends; null: on none. */
  readonly side: string | null;
  /** It is also beyond the level at which that begins. */
  readonly strong: boolean;
  /** Left out: info. */
  readonly severity?: Severity;
  /** What goes on ends now, however few samples were calm: its time is up. */
  readonly over?: boolean;
  /** What goes on is to be told as it is now. */
  readonly renew?: boolean;
  /** Where it turns to this side, that is no news. */
  readonly known?: boolean;
  /** Kept of the last sample on its side. */
  readonly note?: Note | undefined;
}

export interface EpisodeRules<Note = unknown> {
  /** Strong samples in a row before it begins. Left out: 1. */
  readonly confirm?: number;
  /** Samples in a row off its side before it ends. Left out: 1. Confirmed on another side it ends at once. */
  readonly calm?: number;
  /** After its end the same side does not begin again for this long, ms; a turn is not told so soon after another. */
  readonly cooldown?: number;
  /** Every side waits for it, not only the one that ended. */
  readonly coolsAll?: boolean;
  /** The severity that does not wait for the cooldown; `worse`: any above the last one's peak. */
  readonly breaks?: Severity | 'worse';
  /** Whether a milder sample has come down far enough from a severity. Left out: it never eases. */
  readonly eases?: (from: Severity, sample: Sample<Note>) => boolean;
  /**
   * Given: the value is always on some side, and each turn from one to another is an episode, which ends with the next
   * turn or once it has stood this long, ms. A sample on no side decides nothing.
   */
  readonly settle?: number;
  /** The rows of one data time come little by little: they may begin what they did not, and count once. */
  readonly partial?: boolean;
  /** How long what neither goes on nor cools is remembered, ms. Left out: always. */
  readonly keep?: number;
}

const severity = z.enum(severities);

/** A value followed from episode to episode: plain JSON. */
export const episodeOf = <Note extends z.ZodType>(note: Note) =>
  z.object({
    /** Data time of the last sample counted. */
    seen: z.number(),
    /** Of what turns: the side it is on; null until it was first on one, and of all else. */
    stands: z.string().nullable(),
    open: z
      .object({
        side: z.string(),
        /** When it began, and when it was last told. */
        since: z.number(),
        saidAt: z.number(),
        /** Nobody was told: it was there at the baseline. */
        quiet: z.boolean(),
        /** Samples in a row off its side. */
        off: z.int(),
        severity,
        peak: severity,
        note: note.optional(),
      })
      .nullable(),
    pending: z.object({ side: z.string(), count: z.int(), severity, note: note.optional() }).nullable(),
    /** Whose cooldown runs, and since when: its end, or that a turn was told. */
    last: z.object({ side: z.string(), at: z.number(), peak: severity }).nullable(),
  });
export type Episode<Note = unknown> = z.output<ReturnType<typeof episodeOf<z.ZodType<Note>>>>;
type Open<Note> = NonNullable<Episode<Note>['open']>;

/** What is to be told of an episode that begins, goes on otherwise or ends: of an end, as it was. */
export interface Transition<Note = unknown> extends Open<Note>, Pick<Episode<Note>, 'stands' | 'seen'> {
  readonly status: Change['status'];
  /** It has ended. */
  readonly over: boolean;
}

/** What is told of an episode that begins. */
export const begun = <Note>(beginning: Beginning<Note>, at: number): Transition<Note> => ({
  ...begin(beginning, at),
  status: 'firing',
  over: false,
  stands: null,
  seen: at,
});

/** What is newly known of a value. */
interface News<Note> {
  readonly samples: readonly Sample<Note>[];
  readonly rules: EpisodeRules<Note>;
  /** What stands out now is no news. */
  readonly baseline?: boolean | undefined;
}

/**
 * Follows a value from one data time to the next: each counts once and in order, whatever the polls, and what is not
 * known is no sample and changes nothing. The baseline is silent. What began and ended between two calls is not told;
 * at most one end and one beginning are.
 */
export function follow<Note>(
  past: Episode<Note> | undefined,
  { samples, rules, baseline = past === undefined }: News<Note>,
): { readonly next: Episode<Note> | undefined; readonly transitions: readonly Transition<Note>[] } {
  let next = past;
  const ordered = samples.length > 1 ? samples.toSorted((a, b) => a.at - b.at) : samples;
  for (const sample of ordered) {
    const again = sample.at === next?.seen;
    if (next !== undefined && (sample.at < next.seen || (again && rules.partial !== true))) continue;
    next =
      next !== undefined && sample.side === null && isIdle(next, rules)
        ? { ...next, seen: sample.at }
        : count(next ?? blank, { sample, rules, step: again ? 0 : 1 });
  }
  if (baseline) return { next: next && silent(next, rules), transitions: [] };
  return { next, transitions: next === undefined ? [] : transitionsOf(past, next) };
}

/** A value that mostly stands out on no side does so on none, as at most looks. */
const isIdle = <Note>({ open, pending }: Episode<Note>, { settle }: EpisodeRules<Note>): boolean =>
  settle === undefined && open === null && pending === null;

const blank = { seen: 0, stands: null, open: null, pending: null, last: null };

/** What is strong and not yet confirmed was there as well, and is no news when it is confirmed; of a turn it is. */
function silent<Note>(
  { seen, stands, open, pending }: Episode<Note>,
  { settle }: EpisodeRules<never>,
): Episode<Note> {
  if (settle !== undefined) return { seen, stands, open: null, pending, last: null };
  const found = open ?? (pending && begin(pending, seen));
  return { seen, stands, open: found && { ...found, quiet: true }, pending: null, last: null };
}

type Beginning<Note> = Pick<Open<Note>, 'side' | 'severity' | 'note'>;

function begin<Note>({ side, severity, note }: Beginning<Note>, at: number): Open<Note> {
  return { side, since: at, saidAt: at, quiet: false, off: 0, severity, peak: severity, note };
}

interface Counted<Note> {
  readonly sample: Sample<Note>;
  readonly rules: EpisodeRules<Note>;
  /** 0: of its data time a sample has been counted. */
  readonly step: 0 | 1;
}

function count<Note>(past: Episode<Note>, counted: Counted<Note>): Episode<Note> {
  const { sample, rules, step } = counted;
  const { at, side, strong, severity = 'info', note } = sample;
  const turns = rules.settle !== undefined;
  const from = turns ? past.stands : (past.open?.side ?? null);
  const row = past.pending?.side === side ? past.pending.count + step : 1;
  const waits = side !== null && strong && side !== from;
  const seen = { ...past, seen: at, pending: waits ? { side, count: row, severity, note } : null };
  return turns ? turned(seen, counted) : stoodOut(seen, counted);
}

/** The side that enough samples in a row agree on, where it is another one. */
const confirmedBy = <Note>({ pending }: Episode<Note>, { confirm = 1 }: EpisodeRules<Note>) =>
  pending !== null && pending.count >= confirm ? pending : null;

/** Of a value that is always on some side. */
function turned<Note>(past: Episode<Note>, { sample, rules }: Counted<Note>): Episode<Note> {
  const { at } = sample;
  const { settle = 0, cooldown = 0 } = rules;
  const lasts = past.open !== null && sample.over !== true && at - past.open.since < settle;
  const open = past.open !== null && lasts ? goOn(past.open, { ...rules, sample }) : null;
  // The first side there is was there before.
  if (past.stands === null) return { ...past, stands: sample.side, pending: null };
  const confirmed = confirmedBy(past, rules);
  if (confirmed === null) return { ...past, open };
  const stands = { ...past, stands: confirmed.side, pending: null };
  if (sample.known === true || (past.last !== null && at - past.last.at < cooldown))
    return { ...stands, open: null };
  const { side, severity: peak } = confirmed;
  return { ...stands, open: begin(confirmed, at), last: { side, at, peak } };
}

/** Of a value that is mostly on none. */
function stoodOut<Note>(past: Episode<Note>, { sample, rules, step }: Counted<Note>): Episode<Note> {
  const { at } = sample;
  const confirmed = confirmedBy(past, rules);
  let { open, last } = past;
  if (open !== null) {
    const off = sample.side === open.side ? 0 : open.off + step;
    if (sample.over === true || confirmed !== null || off >= (rules.calm ?? 1)) {
      last = { side: open.side, at, peak: open.peak };
      open = null;
    } else open = goOn({ ...open, off }, { ...rules, sample });
  }
  if (open !== null || confirmed === null || isCooling({ ...past, last }, rules))
    return { ...past, open, last };
  return { ...past, open: begin(confirmed, at), pending: null, last };
}

/** What goes on, after one more sample. */
function goOn<Note>(
  open: Open<Note>,
  { sample, eases }: Pick<Counted<Note>, 'sample'> & EpisodeRules<Note>,
): Open<Note> {
  const { at, side, severity = 'info', note = open.note, renew = false } = sample;
  const on = side === open.side;
  const step = on ? severityRank(severity) - severityRank(open.severity) : 0;
  const moved = step > 0 || (step < 0 && eases?.(open.severity, sample) === true);
  const worst = moved && severityRank(severity) > severityRank(open.peak);
  return {
    ...open,
    note: on ? note : open.note,
    ...(moved && { severity }),
    ...((moved || renew) && { saidAt: at }),
    ...(worst && { peak: severity, quiet: false }),
  };
}

/** What is confirmed has to wait. */
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

/** From what people know of to what they are to know of. */
function transitionsOf<Note>(
  past: Episode<Note> | undefined,
  { open, stands, seen }: Episode<Note>,
): readonly Transition<Note>[] {
  const before = past?.open?.quiet === false ? past.open : null;
  const after = open?.quiet === false ? open : null;
  const one = (status: Change['status'], of: Open<Note> | null) =>
    of === null ? [] : [{ ...of, status, over: status === 'resolved', stands, seen }];
  if (before === null || before.side !== after?.side)
    return [...one('resolved', before), ...one('firing', after)];
  const moved = before.since === after.since && before.saidAt !== after.saidAt;
  return moved ? one('updated', after) : [];
}

/** What goes on or cools is kept, and the rest for `keep` ms: after that it is met as if for the first time. */
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

/** Names of what goes on. */
export const opened = (all: Readonly<Record<string, Pick<Episode, 'open'>>> = {}): string[] =>
  Object.keys(all).filter((name) => all[name]?.open !== null);
