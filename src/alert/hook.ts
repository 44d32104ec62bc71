import type { Severity } from './alert.ts';
import type { Receiver } from './subscription.ts';

const prefix = 'hook/';

/**
 * Returns the kind of the alerts that one hook brings: `hook/abcd2345`. Each hook has a kind of its own, because the record
 * of one hook's alerts says nothing about those of another.
 */
export const kindOfHook = (id: string): string => `${prefix}${id}`;

/** Returns the id of the hook whose alerts are of that kind; undefined if the kind is not a hook's. */
export const hookOfKind = (kind: string): string | undefined =>
  kind.startsWith(prefix) ? kind.slice(prefix.length) : undefined;

/** The fields of a signal that a hook's template can map. */
export const hookFields = ['name', 'symbol', 'direction', 'severity', 'title', 'text', 'status'] as const;
export type HookField = (typeof hookFields)[number];

/**
 * A text for each field, in which `{path.to.field}` is replaced by a value of the request body. A field that is left out is
 * looked up in the body under its usual names.
 */
export type HookTemplate = Readonly<Partial<Record<HookField, string>>>;

/** An address to which other programs post signals. The signals become alerts for one receiver only. Times are market ms. */
export interface Hook {
  readonly id: string;
  readonly receiver: Receiver;
  readonly name: string;
  readonly template: HookTemplate;
  /** The severity of alerts whose body names none. */
  readonly severity: Severity;
  /** How long an alert goes on without a repetition of its signal, ms; null: the default of the body's format. */
  readonly lasts: number | null;
  /** Whether senders must sign each body (Standard Webhooks). Unsigned bodies are then refused. */
  readonly signed: boolean;
  /** The horizon over which its entries count as calls, ms; null: they do not. */
  readonly calls: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
}
