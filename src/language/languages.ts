import { fileURLToPath } from 'node:url';
import { type Catalogue, english, type Language, readCatalogues } from './catalogue.ts';
import { memoized } from './memoized.ts';

export { english, type Language } from './catalogue.ts';

const catalogues = readCatalogues(fileURLToPath(new URL('catalogues/', import.meta.url)));

export const languages: readonly Language[] = [...catalogues.keys()];

/** Returns the catalogue of a language; the English one if the language has none. */
export function catalogueOf(language: Language): Catalogue {
  const found = catalogues.get(language) ?? catalogues.get(english);
  if (found === undefined) throw new Error(`src/language/catalogues/${english}.json is missing`);
  return found;
}

/** Returns the other words that may be typed for a command, in all languages. */
export const aliasesOf = memoized((name: string): readonly string[] =>
  languages.flatMap((language) => {
    const { menu, typed } = catalogueOf(language);
    return [...(typed.get(name) ?? []), menu.commands.get(name) ?? []].flat();
  }),
);

/**
 * Returns the BCP 47 locale of a language's numbers. English uses that of the United States, in which markets are
 * quoted.
 */
export const localeOf = (language: Language): string => catalogueOf(language).about.locale;

/** Returns the BCP 47 locale of a language's dates. The day precedes the month in all of them: `21 Nov 2025`. */
export function dateLocaleOf(language: Language): string {
  const { dates, locale } = catalogueOf(language).about;
  return dates ?? locale;
}

/** Returns the language of a tag such as `es-419`, `zh-Hans-CN` or `en_GB`; undefined if it has no catalogue. */
export const languageOf = (tag: string): Language | undefined => {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return languages.find((language) => language === primary);
};

/**
 * Returns the first language of an Accept-Language header that has a catalogue, else English. Browsers list the
 * preferred language first.
 */
export const acceptedLanguage = (header = ''): Language =>
  header
    .split(',')
    .flatMap((range) => languageOf(range.split(';')[0]?.trim() ?? '') ?? [])
    .at(0) ?? english;
