import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { hour, second } from '../../runtime/units.ts';
import { newPrivateKey, publicKeyOf } from './encrypt.ts';

/** The setting that holds the private key by which push services recognise this bot: 32 bytes in base64url. */
export const keySetting = 'push key';

/** How long a token is valid; push services refuse more than 24 h (RFC 8292 §2). */
const tokenLifetime = 12 * hour;

export const newKey = (): string => newPrivateKey().toString('base64url');
/** Returns the public key that browsers subscribe with, in base64url. */
export const publicKey = (key: string): string =>
  publicKeyOf(Buffer.from(key, 'base64url')).toString('base64url');

function signingKey(key: string): KeyObject {
  const point = Buffer.from(publicKey(key), 'base64url');
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  return createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d: key, x: part(1), y: part(33) },
    format: 'jwk',
  });
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * Returns the Authorization header by which a push service knows that a post comes from whom the browser subscribed to (RFC 8292).
 * @param now wall ms
 */
export function authorization(
  key: string,
  {
    endpoint,
    site,
    now,
  }: { readonly endpoint: string; readonly site?: string | undefined; readonly now: number },
): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor((now + tokenLifetime) / second),
    sub: site,
  };
  const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: signingKey(key), dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey(key)}`;
}
