import type { Severity } from './alert.ts';
import type { Receiver } from './subscription.ts';

const prefix = 'hook/';

/** The kind of the alerts that one hook brings, `hook/abcd2345`: what one of them is worth says nothing of another. */
export const kindOfHook = (id: string): string => `${prefix}${id}`;

/** The hook whose alerts are of that kind; undefined where no hook's are. */
export const hookOfKind = (kind: string): string | undefined =>
  kind.startsWith(prefix) ? kind.slice(prefix.length) : undefined;

/** What a hook can be told of the bodies it gets. */
export const hookFields = ['name', 'symbol', 'direction', 'severity', 'title', 'text', 'status'] as const;
export type HookField = (typeof hookFields)[number];

/** What stands for each field: words, with `{path.to.field}` for a value of the body. Left out: found by its usual names. */
export type HookTemplate = Readonly<Partial<Record<HookField, string>>>;

/** An address at which others bring signals, which become alerts of one place and nobody else's. Times are market ms. */
export interface Hook {
  readonly id: string;
  readonly receiver: Receiver;
  readonly name: string;
  readonly template: HookTemplate;
  /** Where the body says none. */
  readonly severity: Severity;
  /** How long an alert goes on without a repetition; null: as its format has it. */
  readonly lasts: number | null;
  /** Its senders sign each body (Standard Webhooks): nothing else is taken. */
  readonly signed: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
}
