import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { z } from 'zod';
import { onLoopback } from './loopback.ts';

const tls = join(import.meta.dirname, '../fixtures/tls');
const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(tls, name), 'utf8'));

/** Makes this process trust the double's certificate. Returns what undoes it. */
export function trustDouble(): () => void {
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, String(cert)]);
  return () => setDefaultCACertificates(usual);
}

/** A browser that has subscribed: it alone can read what is sent to it. */
export function createBrowser() {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys().toString('base64url');
  const auth = Buffer.alloc(16, 7);
  return { p256dh, auth: auth.toString('base64url'), read: (body: Buffer) => decrypt(body, { keys, auth }) };
}
export type PushBrowser = ReturnType<typeof createBrowser>;

/** Reads a message as a browser does (RFC 8188 §2.1, RFC 8291 §3.4): one record, which the last delimiter ends. */
export function decrypt(
  body: Buffer,
  { keys, auth }: { readonly keys: ECDH; readonly auth: Buffer },
): string {
  const [salt, recordSize, idLength] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)];
  if (idLength !== 65) throw new Error('the key id is the sender’s public key of 65 bytes');
  const [theirs, sealed] = [body.subarray(21, 86), body.subarray(86)];
  if (sealed.length > recordSize) throw new Error('there is more than one record');
  const derive = (from: Buffer | ArrayBuffer, by: { salt: Buffer; info: Buffer; length: number }) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(from as Buffer), by.salt, by.info, by.length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), theirs]);
  const shared = derive(keys.computeSecret(theirs), { salt: auth, info, length: 32 });
  const contentKey = derive(shared, { salt, info: Buffer.from('Content-Encoding: aes128gcm\0'), length: 16 });
  const nonce = derive(shared, { salt, info: Buffer.from('Content-Encoding: nonce\0'), length: 12 });
  const opening = createDecipheriv('aes-128-gcm', contentKey, nonce);
  opening.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('the last record ends with the delimiter 2');
  return padded.subarray(0, end).toString('utf8');
}

const claims = z.strictObject({
  aud: z.string(),
  exp: z.int(),
  sub: z
    .string()
    .regex(/^(https|mailto):/)
    .optional(),
});

/** Checks `Authorization: vapid …` (RFC 8292 §2 and §3), and returns the key that signed. Throws what is wrong. */
function signerOf(
  header: string,
  { origin, now }: { readonly origin: string; readonly now: number },
): string {
  const [, token = '', signer = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(header) ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  if (json(head).alg !== 'ES256') throw new Error('the token is not signed with ES256');
  const point = Buffer.from(signer, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${body}`), signed, Buffer.from(signature, 'base64url')))
    throw new Error('the signature is wrong');
  const { aud, exp } = claims.parse(json(body));
  if (aud !== origin) throw new Error(`the token is for ${aud}`);
  if (exp * 1_000 <= now || exp * 1_000 > now + 24 * 3_600_000)
    throw new Error('the token is expired or too long');
  return signer;
}

/** A message that the service has taken. */
export interface PushedMessage {
  readonly body: Buffer;
  readonly signer: string;
  readonly topic: string | undefined;
  readonly ttl: number;
  readonly urgency: string | undefined;
  readonly subject: string | undefined;
}

interface Given {
  /** Wall ms. */
  readonly now: () => number;
  /** Answers instead of taking a message. */
  readonly answer?: { readonly status: number; readonly headers?: Record<string, string> };
  /** The key that browsers have subscribed with; absent: any. */
  readonly subscribedWith?: string;
}

/** Starts a push service on loopback that takes only what RFC 8030, 8188, 8291 and 8292 allow, and says 400 or 403 to all else. */
export async function startPushService({ now, answer, subscribedWith }: Given) {
  /** The messages that wait, the newest of a topic alone (RFC 8030 §5.4). */
  let waiting: PushedMessage[] = [];
  const refused: string[] = [];
  const server = createServer({ key, cert }, async (request, response) => {
    const body = await buffer(request);
    if (answer !== undefined) return response.writeHead(answer.status, answer.headers).end();
    const { headers, method, url } = request;
    const reject = (status: number, why: string) => {
      refused.push(why);
      response.writeHead(status).end();
    };
    const { ttl = '', topic, urgency, authorization = '' } = headers as Record<string, string>;
    if (method !== 'POST' || url !== '/push/token-of-a-browser') return reject(404, 'no such subscription');
    if (headers['content-encoding'] !== 'aes128gcm')
      return reject(400, 'the content encoding is not aes128gcm');
    if (!/^\d+$/.test(ttl)) return reject(400, 'a TTL is required');
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic)) return reject(400, 'the topic is malformed');
    if (urgency !== undefined && !/^(very-low|low|normal|high)$/.test(urgency))
      return reject(400, 'the urgency is unknown');
    if (body.length > 4_096) return reject(413, 'the message is too large');
    try {
      const signer = signerOf(authorization, { origin, now: now() });
      if (subscribedWith !== undefined && signer !== subscribedWith)
        return reject(403, 'another key subscribed');
      const { sub: subject } = JSON.parse(
        Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString(),
      );
      waiting = [
        ...waiting.filter((each) => topic === undefined || each.topic !== topic),
        { body, signer, topic, ttl: Number(ttl), urgency, subject },
      ];
    } catch (error) {
      return reject(403, String(error));
    }
    return response.writeHead(201, { location: '/message/1' }).end();
  });
  const { port, close } = await onLoopback(server);
  const origin = `https://127.0.0.1:${port}`;
  return {
    endpoint: `${origin}/push/token-of-a-browser`,
    refused,
    waiting: () => waiting,
    close,
  };
}
