import { z } from 'zod';
import { scopes } from './api.ts';
import { receiver } from './destinations.ts';

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

export const keyDraft = z.strictObject({
  name: keyName,
  scopes: z.array(z.enum(scopes)).min(1).readonly(),
  receiver,
});
export type KeyDraft = z.output<typeof keyDraft>;

/** The keys of the HTTP API, for operators. Throws UserError with the remedy. */
export interface KeyDesk {
  /** Returns the keys that are not revoked, the oldest first. */
  list(): Promise<readonly KeyRow[]>;
  /** Returns the text of the new key, which is stored nowhere. */
  create(draft: KeyDraft): Promise<string>;
  revoke(id: string): Promise<void>;
}
