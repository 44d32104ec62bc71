import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The stored part of an API key or session token. The text itself is not stored anywhere. */
export interface Recognised {
  /** The first 12 digits of the random part. They identify the credential and reveal nothing about the rest. */
  readonly id: string;
  /** SHA-256 in hex. A fast hash is enough: besides the id there are 208 random bits, which cannot be guessed. */
  readonly digest: string;
}

/** `tocsin` is a key of the data service and `tocsinbot` one of the bot; `session` is a session of either's page. */
export type CredentialKind = 'tocsin' | 'session' | 'tocsinbot';

const form = /^(tocsin|session|tocsinbot)_([0-9a-f]{12})[0-9a-f]{52}$/;
const digestOf = (text: string): string => hash('sha256', text);

/**
 * Creates a credential: prefix, underscore, 64 random hexadecimal digits. The text is not stored, so it can be shown
 * only once.
 */
export function createCredential(kind: CredentialKind): { readonly text: string } & Recognised {
  const digits = randomBytes(32).toString('hex');
  const text = `${kind}_${digits}`;
  return { text, id: digits.slice(0, 12), digest: digestOf(text) };
}

/** Returns null if the text does not have the form of such a credential. */
export function recognise(kind: CredentialKind, text: string): Recognised | null {
  const [, prefix, id] = form.exec(text) ?? [];
  return prefix === kind && id !== undefined ? { id, digest: digestOf(text) } : null;
}

/** Compares two digests in constant time. */
export const sameDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
