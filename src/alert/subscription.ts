import { type Alert, type Labels, type Severity, severityRank } from './alert.ts';

/** One place to reach. `address` belongs to the notifier, which gave it its schema. */
export interface Receiver {
  readonly notifier: string;
  readonly address: Readonly<Record<string, string | number>>;
}

/** Identity of a receiver: the same place gives the same text, whatever the order of its fields. */
export const receiverKey = ({ notifier, address }: Receiver): string =>
  `${notifier}:${JSON.stringify(Object.entries(address).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))}`;

/** `"*"` in a list means every one. */
export interface Matcher {
  readonly kinds: readonly string[];
  readonly symbols: readonly string[];
}

/** Who wants which alerts. Times are market ms. */
export interface Subscription extends Matcher {
  readonly id: string;
  readonly receiver: Receiver;
  readonly minSeverity: Severity;
  readonly quietHours: QuietHours | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** Local times `HH:MM`; `from` after `to` spans midnight. `timeZone` is an IANA name. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
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

/** An alert without a symbol concerns the whole market: it matches every list of symbols. */
export const matches = ({ kinds, symbols }: Matcher, labels: Labels): boolean =>
  includes(kinds, labels.kind) && (labels.symbol === undefined || includes(symbols, labels.symbol));

/** A silence of symbols leaves alone what concerns the whole market: nobody muted that. */
export const mutes = ({ kinds, symbols }: Matcher, labels: Labels): boolean =>
  includes(kinds, labels.kind) && includes(symbols, labels.symbol);

/** Severity is judged by the worst the episode has reached, so that whoever saw it fire sees it end. */
export const wants = (
  subscription: Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>,
  alert: Pick<Alert, 'labels' | 'severity' | 'previousSeverity'>,
): boolean =>
  matches(subscription, alert.labels) &&
  Math.max(severityRank(alert.severity), severityRank(alert.previousSeverity)) >=
    severityRank(subscription.minSeverity);
