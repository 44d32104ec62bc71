import { marketName } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { type Alert, dataBlind, type Labels, type Severity, severityRank } from './alert.ts';
import { kindOfRule } from './rule.ts';
import { namesSymbol } from './symbols.ts';

/** One place to reach. `address` belongs to the notifier, which gave it its schema. */
export interface Receiver {
  readonly notifier: string;
  readonly address: Readonly<Record<string, string | number>>;
}

/** Identity of a receiver: the same place gives the same text, whatever the order of its fields. */
export const receiverKey = ({ notifier, address }: Receiver): string =>
  `${notifier}:${JSON.stringify(Object.entries(address).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))}`;

/** The receiver that has this identity. */
export const receiverOfKey = (key: string): Receiver => {
  const notifier = key.slice(0, key.indexOf(':'));
  return { notifier, address: Object.fromEntries(JSON.parse(key.slice(notifier.length + 1))) };
};

/** Whose address has this field with this value: all of a guild, say. */
export interface AddressMatch {
  readonly notifier: string;
  readonly field: string;
  readonly value: string;
}

/** What only its platform knows of an address. */
export interface Addresses {
  /** Identity of what a receiver is a part of, by which limits count: several channels are of one server. */
  accountOf(receiver: Receiver): string;
  /** The room under which its messages are kept; undefined: its platform keeps them itself. */
  roomOf(receiver: Receiver): string | undefined;
}

/** Each receiver stands for itself. */
export const plainAddresses: Addresses = { accountOf: receiverKey, roomOf: () => undefined };

/** `"*"` in a list means every one. Symbols may also be groups of them: see symbols.ts. */
export interface Matcher {
  readonly kinds: readonly string[];
  readonly symbols: readonly string[];
}

/** Who wants which alerts, and how. Times are market ms. */
export interface Subscription extends Matcher {
  readonly id: string;
  readonly receiver: Receiver;
  readonly minSeverity: Severity;
  readonly quietHours: QuietHours | null;
  /** Null: told at once. What is critical is told at once all the same. */
  readonly digest: Digest | null;
  /** Who is to be called by a new post: the id of a role, on platforms that have them. */
  readonly mention: string | null;
  /** Kept, and told nothing. */
  readonly paused: boolean;
  /** Who it is, as their platform proves it; a name where it does not. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** The file that has it, which alone changes it; absent: it is the place's own. */
  readonly file?: string;
}

/** From Monday, as ISO 8601 counts them. */
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

/** Told together, at every full hour, once a day or once a week. */
export interface Digest {
  readonly every: 'hour' | 'day' | 'week';
  /** Local time `HH:MM` of a daily or weekly one. */
  readonly at: string;
  /** Of a weekly one; Monday where it is left out. */
  readonly weekday?: Weekday;
  readonly timeZone: string;
}

/** Muted on request. `receiver` null mutes everywhere (the operator's). */
export interface Silence extends Matcher {
  readonly id: string;
  readonly receiver: Receiver | null;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
}

const includes = (list: readonly string[], value: string | undefined): boolean =>
  list.includes('*') || (value !== undefined && list.includes(value));

/** Who is subscribed to a kind is also told when that kind is blind. */
const ofKind = (kinds: readonly string[], { kind, detector }: Labels): boolean =>
  includes(kinds, kind) || (kind === dataBlind && includes(kinds, detector));

/**
 * An alert without a symbol concerns the whole market: it matches every list of symbols.
 * @param universe tracked symbols, the largest volume first; without it `top20` and the like match nothing
 */
export const matches = (
  { kinds, symbols }: Matcher,
  { labels, universe = [] }: { readonly labels: Labels; readonly universe?: readonly string[] | undefined },
): boolean =>
  ofKind(kinds, labels) &&
  (labels.symbol === undefined || namesSymbol(symbols, { symbol: labels.symbol, universe }));

/** Whether an alert is of one of these kinds; `kindOfRule` is one as well. */
export const isOfKind = (kinds: readonly string[], { kind, rule }: Labels): boolean =>
  includes(kinds, kind) || (rule !== undefined && kinds.includes(kindOfRule(rule)));

/**
 * A silence of symbols leaves alone what concerns the whole market: nobody muted that. One rule of many is muted by its
 * `kindOfRule`.
 */
export const mutes = ({ kinds, symbols }: Matcher, labels: Labels): boolean =>
  isOfKind(kinds, labels) && includes(symbols, labels.symbol);

/**
 * Severity is judged by the worst the episode has reached, so that whoever saw it fire sees it end. That a kind is
 * blind concerns everyone who relies on it.
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
  matches(subscription, { labels: alert.labels, universe }) &&
  (alert.labels.kind === dataBlind || severityRank(alert.peak) >= severityRank(subscription.minSeverity));

export const listed = (names: readonly string[], every: Text): Text =>
  names.includes('*') ? every : listOf(names);

/** `funding-extreme for BTC, ETH` */
export const matcherText = ({ kinds, symbols }: Matcher): Text =>
  msg('{kinds} for {symbols}', {
    kinds: listed(kinds, msg('all alerts')),
    symbols: listed(symbols.map(marketName), msg('all markets')),
  });
