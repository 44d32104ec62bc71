import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../runtime/secret.ts';

/** `refused`: a credential was sent and nobody knows it. */
export type Access = (headers: IncomingHttpHeaders) => 'anonymous' | 'key' | 'refused';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Accepts the keys given, compared in constant time. No session exists yet, so every bearer is refused. */
export function createAccess(keys: readonly Secret[]): Access {
  const known = keys.map((key) => digest(key.reveal()));
  return (headers) => {
    const given = headers['x-api-key'];
    if (given === undefined) return headers.authorization === undefined ? 'anonymous' : 'refused';
    const offered = digest(String(given));
    return known.filter((key) => timingSafeEqual(key, offered)).length > 0 ? 'key' : 'refused';
  };
}
