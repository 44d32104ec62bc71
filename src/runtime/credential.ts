import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is kept of an API key or a session token: the text itself is nowhere. */
export interface Recognised {
  /** The first 12 digits of the random part: says which one it is, and nothing about the rest. */
  readonly id: string;
  /** SHA-256 in hex. Fast on purpose: behind the id are 208 random bits, which no one guesses. */
  readonly digest: string;
}

/** A key or a session of the data service; a key of the bot. */
export type CredentialKind = 'tocsin' | 'session' | 'tocsinbot';

const form = /^(tocsin|session|tocsinbot)_([0-9a-f]{12})[0-9a-f]{52}$/;
const digestOf = (text: string): string => hash('sha256', text);

/** A new one: prefix, underscore, 64 random hexadecimal digits. The text is given out once. */
export function createCredential(kind: CredentialKind): { readonly text: string } & Recognised {
  const digits = randomBytes(32).toString('hex');
  const text = `${kind}_${digits}`;
  return { text, id: digits.slice(0, 12), digest: digestOf(text) };
}

/** Null where the text has not the form of one. */
export function recognise(kind: CredentialKind, text: string): Recognised | null {
  const [, prefix, id] = form.exec(text) ?? [];
  return prefix === kind && id !== undefined ? { id, digest: digestOf(text) } : null;
}

/** In constant time. */
export const sameDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
