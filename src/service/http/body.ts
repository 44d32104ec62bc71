import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type Encoding = 'br' | 'gzip';

/** A response body as it is sent: serialised once and compressed at most once for each encoding. */
export interface Body {
  readonly bytes: Buffer;
  /** A weak tag, because it is the same for every encoding. */
  readonly etag: string;
  /** Returns null if the body is too small to gain anything. */
  compressed(encoding: Encoding): Promise<Buffer> | null;
}

/** The least number of bytes to compress: a smaller body fits into one packet anyway. */
const minCompressibleBytes = 1_400;

/**
 * Compresses at levels at which a 30 kB body takes about 1 ms. The highest levels save a tenth more and cost fifty times as
 * much, and a body lives only until its data changes.
 */
const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 5 }),
};

export function createBody(text: string): Body {
  const bytes = ownBytes(text);
  const compressedBytes: Partial<Record<Encoding, Promise<Buffer>>> = {};
  return {
    bytes,
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    compressed(encoding) {
      if (bytes.length < minCompressibleBytes) return null;
      compressedBytes[encoding] ??= compress[encoding](bytes);
      return compressedBytes[encoding];
    },
  };
}

/**
 * Encodes a text into a buffer of its own. Buffer.from would cut a small buffer from a slab of 64 KiB: a single body of 200
 * bytes would keep the whole slab in memory for as long as the body is kept, and the slab would not be counted.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Returns the best encoding that a client accepts, from its Accept-Encoding; null for no compression. */
export function preferredEncoding(accepted: string): Encoding | null {
  const quality = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    quality.set(coding, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  const qualityOf = (encoding: string) => quality.get(encoding) ?? quality.get('*') ?? 0;
  if (qualityOf('br') > 0 && qualityOf('br') >= qualityOf('gzip')) return 'br';
  return qualityOf('gzip') > 0 ? 'gzip' : null;
}

/** Tells whether If-None-Match names the tag, by the weak comparison that RFC 9110 requires. */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.includes(etag.replace(/^W\//, ''));
