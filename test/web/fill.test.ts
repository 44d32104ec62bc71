import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { findMessages } from '#src/language/find-messages.ts';
import { catalogueOf, languages, localeOf } from '#src/language/languages.ts';
import { patternOf } from '#src/platforms/web/pattern.ts';
import { fill } from '#src/web/fill.ts';

const folder = new URL('../../src/web/', import.meta.url);
const said = new Set(
  readdirSync(folder)
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => findMessages(readFileSync(new URL(file, folder), 'utf8')))
    .flatMap(({ key }) => key ?? []),
);

const icu = [
  "{n, plural, =0 {none} one {# feed of {of}} other {# feeds}} it''s '{here}' #",
  '{n, plural, offset:1 one {# and you} other {# and {of, select, all {everybody} other {{of}}}}}',
  '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}, {n, number}',
];

/** The page fills in what the server has parsed; together they must behave as the full ICU implementation. */
const same = (message: string, locale: string) =>
  fc.assert(
    fc.property(fc.nat(2_000_000), fc.constantFrom('all', 'x', ''), (n, of) => {
      const names = [...message.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
      const values = { ...Object.fromEntries(names.map((name) => [name, n])), of };
      const expected = new IntlMessageFormat(message, locale, undefined, { ignoreTag: true }).format(values);
      expect(fill(patternOf(message, locale), { values, locale })).toBe(expected);
    }),
    { numRuns: 20 },
  );

describe.each(languages)('in %s', (language) => {
  it('every message of the page is filled in as the rest of the bot does it', () => {
    expect(said.size).toBeGreaterThan(25);
    for (const message of said) {
      const own = catalogueOf(language).messages.get(message) ?? message;
      same(own, localeOf(language));
    }
  });

  it.each(icu)('the ICU message %s is filled in correctly', (message) => {
    same(message, localeOf(language));
  });
});

it('a missing value appears as its name in braces', () => {
  expect(fill(patternOf('as of {time}', 'en'), { values: {}, locale: 'en' })).toBe('as of {time}');
});

it.each(['{at, date}', '{share, number, percent}', '{n, plural, one {x}'])('%s is refused', (message) => {
  expect(() => patternOf(message, 'en')).toThrow();
});
