import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createBody, matchesEtag, preferredEncoding } from '#src/service/http/body.ts';
import { createBodies } from '#src/service/http/kept-bodies.ts';

describe('the encoding a client prefers', () => {
  it.each([
    ['br before gzip where both are alike', 'gzip, deflate, br', 'br'],
    ['gzip where br is not known', 'gzip, deflate', 'gzip'],
    ['the higher quality', 'br;q=0.5, gzip;q=0.8', 'gzip'],
    ['none that has quality 0', 'gzip;q=0, br;q=0', null],
    ['anything', '*', 'br'],
    ['anything but', '*;q=0.1, br;q=0', 'gzip'],
    ['as it is', 'identity', null],
    ['nothing', '', null],
    ['in any case and with spaces', ' GZIP ; Q=1 ', 'gzip'],
    ['garbage', ';;q=,=,br;q=x', null],
  ])('%s', (_rule, accepted, encoding) => {
    expect(preferredEncoding(accepted)).toBe(encoding);
  });
});

describe('If-None-Match names a tag', () => {
  const etag = 'W/"abc"';
  it.each([
    ['weak, as it was sent', 'W/"abc"', true],
    ['strong, as a proxy may make it', '"abc"', true],
    ['in a list', '"x", W/"abc"', true],
    ['any', '*', true],
    ['another', 'W/"abcd"', false],
    ['none', '', false],
  ])('%s', (_rule, header, same) => {
    expect(matchesEtag(header, etag)).toBe(same);
  });
});

it('bodies of 64 MB are kept, and of more those that were asked for last', async () => {
  const built: unknown[] = [];
  const bodies = createBodies({
    clock: { speed: 1, now: () => 0, wallUntil: () => 0 },
    feedsOf: () => [],
    build: async (_, query) => built.push(query) && 'x'.repeat(10_000_000),
  });
  const ask = (limit: number) => bodies.get('oi', { limit });
  for (const limit of [1, 2, 3, 4, 5, 6, 1]) await ask(limit);
  expect(built).toHaveLength(6);
  await ask(7);
  await ask(1);
  expect(built).toHaveLength(7);
  await ask(2);
  expect(built).toHaveLength(8);
});

describe('a body', () => {
  const text = JSON.stringify(Array(500).fill('0.00010000'));

  it('is compressed once per encoding, and decompresses to the same content', async () => {
    const body = createBody(text);
    expect(body.compressed('br')).toBe(body.compressed('br'));
    expect(brotliDecompressSync((await body.compressed('br')) ?? '').toString()).toBe(text);
    expect(gunzipSync((await body.compressed('gzip')) ?? '').toString()).toBe(text);
  });

  it('that is small is not compressed', () => {
    expect(createBody('{}').compressed('br')).toBeNull();
  });

  it('uses no more memory than its bytes, however small it is', () => {
    const { bytes } = createBody('{"data":[{"symbol":"Ünlü"}]}');
    expect(bytes.toString()).toBe('{"data":[{"symbol":"Ünlü"}]}');
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  it('has the tag of its bytes', () => {
    expect(createBody(text).etag).toBe(createBody(text).etag);
    expect(createBody(text).etag).not.toBe(createBody(`${text} `).etag);
  });
});
