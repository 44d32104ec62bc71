import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { catalogueOf, languages } from '#src/language/languages.ts';

/** Returns the characters of the BMP that a font has: its `cmap` in format 4 (OpenType 1.9.1, “cmap”). */
function charactersOf(font: Buffer): Set<string> {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const record = tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0;
  const cmap = font.subarray(font.readUInt32BE(record + 8));
  const table = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) =>
    cmap.subarray(cmap.readUInt32BE(8 + 8 * index)),
  ).find((each) => each.readUInt16BE(0) === 4);
  if (table === undefined) throw new Error('no table of format 4');
  const segments = table.readUInt16BE(6) / 2;
  const found = new Set<string>();
  for (let segment = 0; segment < segments; segment++) {
    const last = table.readUInt16BE(14 + 2 * segment);
    const first = table.readUInt16BE(16 + 2 * (segments + segment));
    for (let code = first; code <= last; code++) found.add(String.fromCharCode(code));
  }
  return found;
}

const scripts = languages.flatMap((language) => {
  const { fonts } = catalogueOf(language).about;
  return fonts === undefined ? [] : [{ language, ...fonts }];
});

it.each(scripts.flatMap(({ regular, bold, ...each }) => [regular, bold].map((file) => ({ ...each, file }))))(
  '$file has every character of the texts in “$language”',
  ({ language, script, file }) => {
    const characters = charactersOf(readFileSync(new URL(`../../src/chart/fonts/${file}`, import.meta.url)));
    const said = readFileSync(
      new URL(`../../src/language/catalogues/${language}.json`, import.meta.url),
      'utf8',
    );
    const drawn = [...new Set(said)].filter((each) => script.test(each));
    expect(drawn.length).toBeGreaterThan(300);
    expect(drawn.filter((each) => !characters.has(each))).toEqual([]);
  },
);
