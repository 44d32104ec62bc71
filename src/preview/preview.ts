import { type Severity, severityRank } from '../alert/alert.ts';
import { getsWholeEvent } from '../alert/inhibit.ts';
import { type PresetName, presetKinds, presets } from '../alert/presets.ts';
import { type Matcher, matches } from '../alert/subscription.ts';
import type { Text } from '../language/text.ts';
import { day, minute } from '../runtime/units.ts';
import type { PastAlert, PastAlerts } from './past-alerts.ts';

/** The part of a subscription that can be matched with the past. */
export interface PreviewWish extends Matcher {
  readonly minSeverity: Severity;
}

/** A kind of alerts. */
export interface PreviewedKind {
  readonly name: string;
  readonly preset: PresetName;
  /** Alerts of the kind that begin within this many ms share a post; 0: each has its own. */
  readonly groupWait: number;
  /** The number of markets that the kind watches at a time; absent: all. */
  readonly maxSymbols?: number;
}

/** What would have been sent in [from, to], market ms. */
export interface KnownPreview {
  readonly state: 'known';
  readonly from: number;
  readonly to: number;
  /**
   * `replayed`: over the data service's past; `seen`: over what the data service tells of its past and what this bot
   * has recorded; `kept`: counted among the alerts that this bot has stored.
   */
  readonly source: 'replayed' | 'seen' | 'kept';
  /** When each alert would have been sent, and its severity then; ascending. */
  readonly alerts: readonly { readonly at: number; readonly severity: Severity; readonly alert: PastAlert }[];
  /** Number of posts in which the alerts would have been sent. */
  readonly posts: number;
  /** Number of posts of each preset for the same symbols. Absent for own rules, which are in no preset. */
  readonly presets?: readonly { readonly name: PresetName; readonly posts: number }[];
  /**
   * Kinds of the subscription that were watched only from some time after `from`, or not at all: then `since` is
   * absent.
   */
  readonly partly: readonly { readonly kind: string; readonly since?: number }[];
  /**
   * Kinds whose alerts are about more markets than the kind watches at a time: a replay has no request budget and looks
   * at all of them, so the bot would have sent fewer.
   */
  readonly selective: readonly { readonly kind: string; readonly maxSymbols: number }[];
}

/** `impossible`: there is no preview, and why. */
export type CompletePreview = KnownPreview | { readonly state: 'impossible'; readonly why: Text };

export type Preview =
  | CompletePreview
  | {
      /** Still being computed. */
      readonly state: 'pending';
      /** Never rejects, and resolves within `longestWait` unless the bot stops. */
      readonly complete: Promise<CompletePreview>;
      /** How many days of a subscription's past have been replayed so far; undefined: that is not known. */
      readonly days?: number | undefined;
    };

/** How far back previews look, market ms: open interest is not kept much longer. */
export const previewPeriod = 30 * day;

/** Wall ms. Discord allows a response to be edited for 15 minutes (API docs, "Followup Messages"). */
export const longestWait = 10 * minute;

/** An announcement of an alert: its first to the subscriber, or a later one because it got worse. */
interface Announced {
  readonly at: number;
  readonly severity: Severity;
  readonly alert: PastAlert;
  readonly isFirst: boolean;
}

/** Returns the past as a subscription would have received it. */
export function previewOf(
  past: PastAlerts,
  {
    wish,
    kinds,
    universe,
    source,
  }: {
    readonly wish: PreviewWish;
    readonly kinds: readonly PreviewedKind[];
    readonly universe: readonly string[];
    readonly source: KnownPreview['source'];
  },
): KnownPreview {
  const groupWaits = new Map(kinds.map(({ name, groupWait }) => [name, groupWait]));
  const announcedTo = (wanted: PreviewWish): Announced[] =>
    past.alerts
      .flatMap((alert) => {
        if (!matches(wanted, alert.labels, universe)) return [];
        const waited = groupWaits.get(alert.labels.kind) ?? 0;
        const announcements = alert.announcements.filter(
          ({ at, partOf }) =>
            partOf === undefined ||
            at + waited < partOf.since ||
            !getsWholeEvent({ partOf }, [wanted], universe),
        );
        return announcements
          .filter(({ severity }) => severityRank(severity) >= severityRank(wanted.minSeverity))
          .map(({ at, severity }, index) => ({ at, severity, alert, isFirst: index === 0 }));
      })
      .sort((a, b) => a.at - b.at);
  const announced = announcedTo(wish);
  const alerts = announced.flatMap(({ isFirst, ...first }) => (isFirst ? [first] : []));
  const wishedKinds = kinds.filter(({ name }) => wish.kinds.includes('*') || wish.kinds.includes(name));
  return {
    state: 'known',
    from: past.from,
    to: past.to,
    source,
    alerts,
    posts: postsOf(announced, kinds),
    presets: presets.map(({ name, minSeverity }) => {
      const wanted = { symbols: wish.symbols, kinds: presetKinds(name, kinds), minSeverity };
      return { name, posts: postsOf(announcedTo(wanted), kinds) };
    }),
    partly: source === 'kept' ? [] : partlyKnown(past, wishedKinds),
    selective: source === 'replayed' ? selectiveKinds(alerts, wishedKinds) : [],
  };
}

/** A kind that is first watched within this time counts as watched throughout. */
const firstLook = day;

const partlyKnown = ({ from, since }: PastAlerts, kinds: readonly PreviewedKind[]) =>
  kinds.flatMap(({ name }) => {
    const first = since[name];
    if (first === undefined) return [{ kind: name }];
    return first > from + firstLook ? [{ kind: name, since: first }] : [];
  });

const selectiveKinds = (alerts: KnownPreview['alerts'], kinds: readonly PreviewedKind[]) =>
  kinds.flatMap(({ name: kind, maxSymbols }) => {
    const ofKind = alerts.filter(({ alert }) => alert.labels.kind === kind);
    const symbols = new Set(ofKind.map(({ alert }) => alert.labels.symbol));
    return maxSymbols !== undefined && symbols.size > maxSymbols ? [{ kind, maxSymbols }] : [];
  });

/**
 * Counts posts. Alerts of one kind that begin while its post still waits are sent in that post. An alert that gets worse is
 * another post, and one that joins an existing post is so only if it is worse than that.
 */
function postsOf(announced: readonly Announced[], kinds: readonly PreviewedKind[]): number {
  const groupWaits = new Map(kinds.map(({ name, groupWait }) => [name, groupWait]));
  const due = new Map<string, number>();
  const shown = new Map<string, number>();
  let posts = 0;
  for (const { at, severity, alert } of announced) {
    const { kind } = alert.labels;
    const post = alert.wave ?? kind;
    const wait = groupWaits.get(kind) ?? 0;
    const worst = shown.get(post) ?? Number.NEGATIVE_INFINITY;
    if (alert.wave !== undefined) shown.set(post, Math.max(worst, severityRank(severity)));
    if (wait > 0 && at < (due.get(post) ?? Number.NEGATIVE_INFINITY)) continue;
    if (alert.wave !== undefined && severityRank(severity) <= worst) continue;
    due.set(post, at + wait);
    posts += 1;
  }
  return posts;
}
