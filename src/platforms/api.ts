import type { Receiver } from '../alert/subscription.ts';

/** What a key of the HTTP API allows: to read what its place has, to ask questions, to change its settings. */
export const scopes = ['read', 'ask', 'manage'] as const;
export type Scope = (typeof scopes)[number];

/** Who sent a key. */
export interface KeyHolder {
  readonly id: string;
  readonly name: string;
  /** The place that it is of. */
  readonly receiver: Receiver;
  readonly scopes: ReadonlySet<string>;
}

export interface ApiKeys {
  /** Undefined: nobody's, or revoked. Each time it is somebody's counts as a use. */
  holder(text: string): Promise<KeyHolder | undefined>;
}
