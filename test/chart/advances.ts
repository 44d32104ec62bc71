import { readFileSync } from 'node:fs';

/** How far each letter of a font moves the next, in parts of its size. */
export type Advances = ReadonlyMap<string, number>;

/** Reads the advances of a face of Inter from its tables `cmap` (format 4) and `hmtx` (OpenType 1.9.1). */
export function advancesOf(face: string): Advances {
  const font = readFileSync(new URL(`../../src/chart/fonts/Inter-${face}.ttf`, import.meta.url));
  const table = (name: string) => {
    for (let at = 12; ; at += 16)
      if (font.toString('latin1', at, at + 4) === name) return font.subarray(font.readUInt32BE(at + 8));
  };
  const [em, metrics] = [table('head').readUInt16BE(18), table('hhea').readUInt16BE(34)];
  const offsets = Array.from({ length: table('cmap').readUInt16BE(2) }, (_, index) =>
    table('cmap').readUInt32BE(8 + 8 * index),
  );
  const cmap = table('cmap').subarray(offsets.find((at) => table('cmap').readUInt16BE(at) === 4));
  const size = cmap.readUInt16BE(6);
  const found = new Map<string, number>();
  for (let end = 14; end < 14 + size; end += 2) {
    const [start, delta, range] = [1, 2, 3].map((part) => cmap.readUInt16BE(end + part * size + 2)) as [
      number,
      number,
      number,
    ];
    for (let code = start; code <= cmap.readUInt16BE(end) && code < 0xffff; code++) {
      const listed = range === 0 ? code : cmap.readUInt16BE(end + 3 * size + 2 + range + 2 * (code - start));
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff;
      const advance = table('hmtx').readUInt16BE(4 * Math.min(glyph, metrics - 1)) / em;
      if (glyph !== 0) found.set(String.fromCharCode(code), advance);
    }
  }
  return found;
}
