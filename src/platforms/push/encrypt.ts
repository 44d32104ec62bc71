import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

const curve = 'prime256v1';
/** The size of the one record, bytes: push services take no more (RFC 8291 §4). */
const recordSize = 4_096;
const tagSize = 16;
const saltSize = 16;
const pointSize = 65;

/** The most bytes that can be encrypted: the rest is header, delimiter and tag (RFC 8188 §2). */
export const maxPlainBytes = recordSize - (saltSize + 4 + 1 + pointSize) - 1 - tagSize;

interface Sender {
  readonly salt: Buffer;
  /** The sender's private key for this one message. */
  readonly privateKey: Buffer;
}

const newSender = (): Sender => ({ salt: randomBytes(saltSize), privateKey: newPrivateKey() });

export function newPrivateKey(): Buffer {
  const keys = createECDH(curve);
  keys.generateKeys();
  // OpenSSL leaves out leading zeros.
  return Buffer.concat([Buffer.alloc(32), keys.getPrivateKey()]).subarray(-32);
}

export function publicKeyOf(privateKey: Buffer): Buffer {
  const keys = createECDH(curve);
  keys.setPrivateKey(privateKey);
  return keys.getPublicKey();
}

const derive = (
  from: Buffer,
  { salt, info, length }: { readonly salt: Buffer; readonly info: Buffer; readonly length: number },
): Buffer => Buffer.from(hkdfSync('sha256', from, salt, info, length));

/** Encrypts a message for one browser, in the content encoding aes128gcm (RFC 8291). */
export function encrypt(
  plain: Buffer,
  { p256dh, auth }: { readonly p256dh: string; readonly auth: string },
  { salt, privateKey }: Sender = newSender(),
): Buffer {
  const [theirs, secret] = [p256dh, auth].map((text) => Buffer.from(text, 'base64url')) as [Buffer, Buffer];
  const keys = createECDH(curve);
  keys.setPrivateKey(privateKey);
  const ours = keys.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const shared = derive(keys.computeSecret(theirs), { salt: secret, info, length: 32 });
  const contentKey = derive(shared, {
    salt,
    info: Buffer.from('Content-Encoding: aes128gcm\0'),
    length: 16,
  });
  const nonce = derive(shared, { salt, info: Buffer.from('Content-Encoding: nonce\0'), length: 12 });
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  // 2 delimits the last record.
  const sealed = [cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, size, Buffer.from([ours.length]), ours, ...sealed]);
}
