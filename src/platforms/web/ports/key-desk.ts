import { z } from 'zod';
import type { Receiver } from '../../../alert/subscription.ts';
import type { Scope } from './api.ts';

/** What a key is called: one line, because control characters could rewrite the lines of a list on a terminal. */
export const keyName = z
  .string()
  .max(80)
  .regex(/^\P{Cc}*$/u);

/** A valid key of the HTTP API. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Name of the place that the key reads and changes. */
  readonly place: string;
  /** Wall ms. */
  readonly createdAt: number;
  readonly requests: number;
  /** Wall ms; null: never used. */
  readonly usedAt: number | null;
}

export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly receiver: Receiver;
}

/** The keys of the HTTP API, for operators. Throws UserError with the remedy. */
export interface KeyDesk {
  /** Returns the keys that are not revoked, the oldest first. */
  list(): Promise<readonly KeyRow[]>;
  /** Returns the text of the new key, which is stored nowhere. */
  create(draft: KeyDraft): Promise<string>;
  revoke(id: string): Promise<void>;
}
