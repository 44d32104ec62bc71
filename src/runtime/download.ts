import { request } from 'undici';

/** Returns the body of a URL, at most `most` bytes. Throws if the body is longer, or the status is not 200. */
export async function download(
  url: string,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { statusCode, body } = await request(url, { signal });
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`the file is answered with status ${statusCode}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > most) throw new RangeError(`the file has more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
