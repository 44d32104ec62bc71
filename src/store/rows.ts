import type { Insertable, Selectable } from 'kysely';
import type { Alert, Severity } from '../alert/alert.ts';
import type { Reason } from '../alert/reason.ts';
import type { Style } from '../alert/style.ts';
import {
  type Addresses,
  type Receiver,
  receiverKey,
  type Silence,
  type Subscription,
} from '../alert/subscription.ts';
import { watchlist } from '../alert/symbols.ts';
import { chunksOf } from '../runtime/chunks.ts';
import type { Criteria, Delivery, KeptAlert } from './ports.ts';
import type { Tables } from './tables.ts';

// Text written by this store is trusted when read back: it was validated before it was written.
const parse = <Value>(text: string): Value => JSON.parse(text) as Value;

/** Number of rows that one statement writes. */
const rowsAtOnce = 200;

export const inPages = <Row>(rows: readonly Row[]): Row[][] => chunksOf(rows, rowsAtOnce);

export const receiverColumns = (receiver: Receiver) => ({
  receiver: receiverKey(receiver),
  notifier: receiver.notifier,
  address: JSON.stringify(receiver.address),
});

export const receiverOf = ({ notifier, address }: { notifier: string; address: string }): Receiver => ({
  notifier,
  address: parse(address),
});

/**
 * Parses a stored alert.
 * @throws TypeError if it is none: a row that another version, or somebody by hand, has written
 */
export function alertOf(body: string): Alert {
  const alert = parse<Partial<Alert> | null>(body);
  const { labels, annotations, event } = alert ?? {};
  if (labels?.kind === undefined || annotations?.title === undefined || event?.title === undefined)
    throw new TypeError('the kept alert cannot be read: its labels, annotations or event are missing');
  return alert as Alert;
}

/** Returns what can be read of these rows. A row that cannot be read is left out, so that it does not block the others. */
export const readable = <Row, Value>(rows: readonly Row[], read: (row: Row) => Value): Value[] =>
  rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch {
      return [];
    }
  });

export const keptAlertOf = (
  row: Pick<Selectable<Tables['alert']>, 'body' | 'group_key' | 'due' | 'held_by'>,
): KeptAlert => ({
  alert: alertOf(row.body),
  group: row.group_key,
  due: row.due,
  heldBy: row.held_by,
});

export const alertRow = ({ alert, group, due, heldBy }: KeptAlert): Insertable<Tables['alert']> => ({
  id: alert.id,
  fingerprint: alert.fingerprint,
  kind: alert.labels.kind,
  group_key: group,
  body: JSON.stringify(alert),
  due,
  only_for: alert.only === undefined ? null : receiverKey(alert.only),
  held_by: heldBy,
  updated_at: alert.updatedAt,
  ends_at: alert.endsAt,
});

export const subscriptionRow = (
  subscription: Omit<Subscription, 'id'>,
  accountOf: Addresses['accountOf'],
) => ({
  ...receiverColumns(subscription.receiver),
  account: accountOf(subscription.receiver),
  kinds: JSON.stringify(subscription.kinds),
  symbols: JSON.stringify(subscription.symbols),
  min_severity: subscription.minSeverity,
  quiet_hours: textOrNull(subscription.quietHours),
  digest: textOrNull(subscription.digest),
  mention: subscription.mention,
  style: textOrNull(subscription.style ?? null),
  paused: subscription.paused ? 1 : 0,
  created_by: subscription.createdBy,
  created_at: subscription.createdAt,
  file: subscription.file ?? null,
});
const textOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

export const matcherOf = ({
  kinds,
  symbols,
  min_severity,
}: Pick<Selectable<Tables['matcher']>, 'kinds' | 'symbols' | 'min_severity'>): Criteria => ({
  kinds: parse(kinds),
  symbols: parse(symbols),
  minSeverity: min_severity as Severity,
});

/** Returns the row's symbols, with those that its place follows in place of the watchlist. */
export function effectiveSymbols(row: {
  readonly symbols: string;
  readonly followed: string | null;
}): string[] {
  const symbols = parse<string[]>(row.symbols);
  if (!symbols.includes(watchlist)) return symbols;
  const followed = row.followed === null ? [] : parse<string[]>(row.followed);
  return symbols.flatMap((each) => (each === watchlist ? followed : each));
}

/** Returns the subscription as it was entered: its watchlist is not replaced by the symbols. */
export const subscriptionOf = (row: Selectable<Tables['subscription']>): Subscription =>
  subscriptionBy(row, matcherOf(row));

/** Returns the subscription of a row, whose matcher asks for these criteria. */
export const subscriptionBy = (
  row: Omit<Selectable<Tables['subscription']>, 'kinds' | 'symbols' | 'min_severity' | 'account' | 'moved'>,
  criteria: Criteria,
): Subscription => ({
  id: row.id,
  receiver: receiverOf(row),
  ...criteria,
  quietHours: row.quiet_hours === null ? null : parse(row.quiet_hours),
  digest: row.digest === null ? null : parse(row.digest),
  mention: row.mention,
  ...(row.style !== null && { style: parse<Style>(row.style) }),
  paused: row.paused === 1,
  createdBy: row.created_by,
  createdAt: row.created_at,
  ...(row.file !== null && { file: row.file }),
});

export const silenceOf = (row: Selectable<Tables['silence']>): Silence => ({
  id: row.id,
  receiver: receiverOf(row),
  kinds: parse(row.kinds),
  symbols: parse(row.symbols),
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  createdBy: row.created_by,
});

export const reasonOf = (text: string | null): Reason | null => (text === null ? null : parse(text));

export const deliveryOf = (row: Selectable<Tables['delivery']>): Delivery => ({
  at: row.at,
  alertId: row.alert_id,
  revision: row.revision,
  receiver: receiverOf(row),
  title: parse(row.title),
  outcome: row.outcome as Delivery['outcome'],
  reason: reasonOf(row.reason),
});
