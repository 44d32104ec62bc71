import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePng } from '#src/chart/png.ts';

/** Decodes the colours of an indexed 8-bit PNG whose lines are unfiltered, or add to the line above. */
function decode(png: Uint8Array): { width: number; height: number; colors: string[] } {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const size = bytes.readUInt32BE(at);
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + size));
  }
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const palette = chunks.get('PLTE') ?? Buffer.alloc(0);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const indices = new Uint8Array(width * height);
  for (const pixel of indices.keys()) {
    const begin = Math.floor(pixel / width) * (width + 1);
    const filter = lines[begin] ?? 0;
    expect([0, 2]).toContain(filter);
    const above = filter === 2 ? (indices[pixel - width] ?? 0) : 0;
    indices[pixel] = above + (lines[begin + 1 + (pixel % width)] ?? 0);
  }
  const colors = Array.from(indices, (index) => palette.subarray(index * 3, index * 3 + 3).toString('hex'));
  return { width, height, colors };
}

const rgba = (colors: readonly string[]): Uint8Array =>
  Uint8Array.from(colors.flatMap((color) => [...Buffer.from(`${color}ff`, 'hex')]));

describe('a PNG', () => {
  it('with at most 256 colours has each pixel unchanged', () => {
    const color = fc
      .integer({ min: 0, max: 255 })
      .map((n) => Buffer.of(n, 255 - n, (n * 7) % 256).toString('hex'));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(color, { minLength: 1, maxLength: 30 }),
        (width, row) => {
          const colors = Array.from(
            { length: width * row.length },
            (_, index) => row[Math.floor(index / width)] ?? '',
          );
          expect(decode(encodePng(rgba(colors), { width, height: row.length }))).toEqual({
            width,
            height: row.length,
            colors,
          });
        },
      ),
    );
  });

  it('with more colours keeps the frequent ones and uses the nearest for the others', () => {
    const rare = Array.from({ length: 600 }, (_, index) =>
      Buffer.of(index >> 2, index & 3, 0).toString('hex'),
    );
    const colors = [...rare, ...Array.from({ length: 400 }, () => 'f0f0f0')];
    const drawn = decode(encodePng(rgba(colors), { width: 100, height: 10 })).colors;
    expect(drawn.slice(600)).toEqual(colors.slice(600));
    const off = drawn.slice(0, 256).filter((color, index) => color !== colors[index]);
    expect(off.length).toBeLessThanOrEqual(1);
    expect(drawn.every((color) => colors.includes(color))).toBe(true);
  });
});
