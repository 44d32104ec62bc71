import { fileURLToPath } from 'node:url';
import { type Catalogue, english, type Language, readCatalogues } from './catalogue.ts';

export { english, type Language } from './catalogue.ts';

const catalogues = readCatalogues(fileURLToPath(new URL('catalogues/', import.meta.url)));

/** Those that have a catalogue. */
export const languages: readonly Language[] = [...catalogues.keys()];

/** English where a language that somebody chose has none any more. */
export function catalogueOf(language: Language): Catalogue {
  const found = catalogues.get(language) ?? catalogues.get(english);
  if (found === undefined) throw new Error(`src/language/catalogues/${english}.json is missing`);
  return found;
}

/** What it is called where it is typed, in any language. */
export const typedFor = (name: string): readonly string[] =>
  languages.flatMap((language) => {
    const { menu, typed } = catalogueOf(language);
    return [...(typed.get(name) ?? []), menu.commands.get(name) ?? []].flat();
  });

/** BCP 47: numbers as in the United States, as markets are quoted in English. */
export const localeOf = (language: Language): string => catalogueOf(language).about.locale;

/** Days go before months everywhere: `21 Nov 2025`. */
export function dateLocaleOf(language: Language): string {
  const { dates, locale } = catalogueOf(language).about;
  return dates ?? locale;
}

/** `es-419`, `zh-Hans-CN`, `en_GB` → the language we have for it; undefined where there is none. */
export const languageOf = (tag: string): Language | undefined => {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return languages.find((language) => language === primary);
};

/** The first of an Accept-Language header that we have; browsers list what their reader likes best first. */
export const acceptedLanguage = (header = ''): Language =>
  header
    .split(',')
    .flatMap((range) => languageOf(range.split(';')[0]?.trim() ?? '') ?? [])
    .at(0) ?? english;
