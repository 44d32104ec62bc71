import { labelTitle, marketName, words } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { type Alert, dataBlind, type Labels, type Severity, severityRank } from './alert.ts';
import { type PresetName, presetOf } from './presets.ts';
import { kindOfRule } from './rule.ts';
import type { Style } from './style.ts';
import { includesSymbol, isGroup } from './symbols.ts';

/** One place that alerts can be sent to. The schema of `address` is defined by the notifier. */
export interface Receiver {
  readonly notifier: string;
  readonly address: Readonly<Record<string, string | number>>;
}

/** Returns the identity of a receiver: equal addresses give equal text, whatever the order of their fields. */
export const receiverKey = ({ notifier, address }: Receiver): string =>
  `${notifier}:${JSON.stringify(Object.entries(address).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))}`;

/** Returns a receiver's name for people. @param address without its secret parts */
export const receiverLabel = ({ notifier, address }: Receiver): string =>
  [notifier, ...Object.values(address)].join(' ');

/** Returns the receiver that has this identity: the inverse of `receiverKey`. */
export const receiverOfKey = (key: string): Receiver => {
  const notifier = key.slice(0, key.indexOf(':'));
  return { notifier, address: Object.fromEntries(JSON.parse(key.slice(notifier.length + 1))) };
};

/** Selects all receivers of a notifier whose address has this value in this field: all channels of a guild, for example. */
export interface AddressMatch {
  readonly notifier: string;
  readonly field: string;
  readonly value: string;
}

/** Facts about an address that only its platform knows. */
export interface Addresses {
  /**
   * Returns the identity of the account that a receiver belongs to. Limits count per account: several channels belong to
   * one server.
   */
  accountOf(receiver: Receiver): string;
  /** Returns the room under which the bot stores the receiver's messages; undefined if the platform stores them itself. */
  roomOf(receiver: Receiver): string | undefined;
}

/** Treats each receiver as an account of its own, without a room. */
export const plainAddresses: Addresses = { accountOf: receiverKey, roomOf: () => undefined };

/**
 * The kinds of alerts and the symbols that a subscription or a silence applies to. `"*"` in a list means all. An entry
 * of `symbols` may also name a group of symbols: see symbols.ts.
 */
export interface Matcher {
  readonly kinds: readonly string[];
  readonly symbols: readonly string[];
}

/** Which alerts a receiver wants, and how they are delivered. Times are market ms. */
export interface Subscription extends Matcher {
  readonly id: string;
  readonly receiver: Receiver;
  readonly minSeverity: Severity;
  readonly quietHours: QuietHours | null;
  /** When to send alerts together as a digest. Null: each is sent at once. Critical alerts are always sent at once. */
  readonly digest: Digest | null;
  /** The id of the role that a new post mentions, on platforms that have roles. */
  readonly mention: string | null;
  /** How its posts look; absent: as usual. */
  readonly style?: Style | undefined;
  /** Whether the subscription is kept but receives nothing. */
  readonly paused: boolean;
  /** The creator's id, as verified by their platform; a name if the platform verifies none. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** The file that defines this subscription; only a change of the file changes it. Absent if no file defines it. */
  readonly file?: string;
}

/** The days of the week in the order of ISO 8601, which starts with Monday. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

/** Local times `HH:MM`; `from` after `to` spans midnight. `timeZone` is an IANA name. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** Alerts are sent together: at every full hour, once a day or once a week. */
export interface Digest {
  readonly every: 'hour' | 'day' | 'week';
  /** Local time `HH:MM` of a daily or weekly digest. */
  readonly at: string;
  /** The day of a weekly digest; Monday if absent. */
  readonly weekday?: Weekday | undefined;
  readonly timeZone: string;
}

/** Alerts that are muted at one receiver on request. */
export interface Silence extends Matcher {
  readonly id: string;
  readonly receiver: Receiver;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
}

const includes = (list: readonly string[], value: string | undefined): boolean =>
  list.includes('*') || (value !== undefined && list.includes(value));

/** Includes the alert that a detector gets no data (`dataBlind`) for subscribers to that detector's kind. */
const matchesKind = (kinds: readonly string[], { kind, detector }: Labels): boolean =>
  includes(kinds, kind) || (kind === dataBlind && includes(kinds, detector));

/** The label of an alert about a market that reaches only who names that market: `*` and groups do not ask for it. */
export const namedOnly = { reach: 'named' } as const;

const matchesSymbol = (symbols: readonly string[], labels: Labels, universe: readonly string[]): boolean =>
  labels.symbol === undefined ||
  (labels.reach === namedOnly.reach
    ? symbols.includes(labels.symbol)
    : includesSymbol(symbols, labels.symbol, universe));

/**
 * Returns whether an alert is of a listed kind and symbol. An alert without a symbol concerns the whole market and matches
 * every list of symbols.
 * @param universe tracked symbols, the largest volume first; without it groups such as `top20` match nothing
 */
export const matches = (
  { kinds, symbols }: Matcher,
  labels: Labels,
  universe: readonly string[] | undefined = [],
): boolean => matchesKind(kinds, labels) && matchesSymbol(symbols, labels, universe);

/** Returns whether an alert is of one of these kinds. An entry may also name a single rule, as made by `kindOfRule`. */
export const isOfKind = (kinds: readonly string[], { kind, rule }: Labels): boolean =>
  includes(kinds, kind) || (rule !== undefined && kinds.includes(kindOfRule(rule)));

/**
 * Returns whether a silence mutes an alert. A silence of certain symbols does not mute alerts about the whole market.
 * A silence can mute a single rule by its `kindOfRule`.
 */
export const mutes = ({ kinds, symbols }: Matcher, labels: Labels): boolean =>
  isOfKind(kinds, labels) && includes(symbols, labels.symbol);

/** Whether two silences mute the same. */
export const muteSame = (a: Matcher, b: Matcher): boolean =>
  sameNames(a.kinds, b.kinds) && sameNames(a.symbols, b.symbols);
const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/**
 * Returns whether a subscription wants an alert. The severity compared is the worst that the alert has reached, so that
 * subscribers who were told of its beginning are also told of its end.
 */
export const wants = (
  subscription: Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>,
  {
    alert,
    universe = [],
  }: {
    readonly alert: Pick<Alert, 'labels' | 'peak' | 'only'>;
    readonly universe?: readonly string[] | undefined;
  },
): boolean =>
  alert.only === undefined &&
  matches(subscription, alert.labels, universe) &&
  severityRank(alert.peak) >= severityRank(subscription.minSeverity);

/**
 * Returns whether a subscription still asks for an alert that it asked for before. A market that has left a group such as
 * `top20` since then is still asked for.
 */
export const stillAsksFor = ({ kinds, symbols }: Matcher, { labels }: Pick<Alert, 'labels'>): boolean =>
  matchesKind(kinds, labels) &&
  (matchesSymbol(symbols, labels, []) || (labels.reach !== namedOnly.reach && symbols.some(isGroup)));

export const symbolsText = (symbols: readonly string[], allText: Text = msg('all markets')): Text =>
  symbols.includes('*')
    ? allText
    : listOf(symbols.map((each) => (isGroup(each) ? words(each) : marketName(each))));

/** What is known of kinds of alerts: the presets that include them, and the names of a place's own alerts and hooks. */
export interface KnownKinds {
  readonly kinds?: readonly { readonly name: string; readonly preset?: PresetName }[];
  readonly own?: ReadonlyMap<string, string>;
}

/** Returns the name of a kind, at the beginning of a line. A kind of one rule or hook has that of the rule or hook. */
const kindName = (kind: string, { own }: KnownKinds): Text =>
  own?.get(kind) ??
  (kind.includes('/') ? msg('Alert {id}', { id: kind.slice(kind.indexOf('/') + 1) }) : labelTitle(kind));

/** How many kinds are named in a text; further ones are counted. */
const maxNamed = 4;

/** Names kinds of alerts: `Standard alerts (14 kinds)`, `Extreme funding, OI momentum`. */
export function kindsText(kinds: readonly string[], known: KnownKinds = {}): Text {
  if (kinds.includes('*')) return msg('All alerts');
  const preset = presetOf(kinds, known.kinds ?? []);
  if (preset !== undefined && kinds.length > 1)
    return msg(
      '{preset, select, quiet {Most important alerts} standard {Standard alerts} other {All alerts}} ({n, plural, one {# kind} other {# kinds}})',
      { preset, n: kinds.length },
    );
  const more = kinds.length - maxNamed;
  const named = kinds.slice(0, more > 1 ? maxNamed : kinds.length).map((kind) => kindName(kind, known));
  return more > 1
    ? msg('{kinds} and {more, number} more kinds', { kinds: listOf(named), more })
    : listOf(named);
}

/** Describes kinds and symbols in words: `Extreme funding for BTC, ETH`, `Standard alerts (14 kinds), all markets`. */
export const matcherText = ({ kinds, symbols }: Matcher, known: KnownKinds = {}): Text =>
  msg('{all, select, yes {{kinds}, all markets} other {{kinds} for {symbols}}}', {
    all: symbols.includes('*') ? 'yes' : 'no',
    kinds: kindsText(kinds, known),
    symbols: symbolsText(symbols),
  });

/** Says what a silence mutes: `BTC`, `Extreme funding`, `Extreme funding for BTC`. */
export const mutedText = (matcher: Matcher, known: KnownKinds = {}): Text => {
  const { kinds, symbols } = matcher;
  if (symbols.includes('*')) return kinds.includes('*') ? msg('Everything') : kindsText(kinds, known);
  return kinds.includes('*') ? symbolsText(symbols) : matcherText(matcher, known);
};
