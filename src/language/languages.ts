import es from './es/index.ts';
import zh from './zh/index.ts';

export const languages = ['en', 'es', 'zh'] as const;
export type Language = (typeof languages)[number];

/** Each as those who speak it call it. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Español',
  zh: '中文',
};

export interface Catalogue {
  /** ICU message in English → in this language. */
  readonly messages: Readonly<Record<string, string>>;
  /** What the page says around the answers: `{name}` stands for a value, and nothing else of ICU. */
  readonly page: Readonly<Record<string, string>>;
  /** Labels of the contract and of ours, as within a sentence. */
  readonly labels: Readonly<Record<string, string>>;
  /** Days, hours, minutes and seconds, each with its number. */
  readonly units: readonly [days: string, hours: string, minutes: string, seconds: string];
}

/** English needs none: its messages are the keys. */
export const catalogues: Readonly<Record<Exclude<Language, 'en'>, Catalogue>> = { es, zh };

/** BCP 47: numbers as in the United States, as markets are quoted in English. */
export const localeOf: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-ES', zh: 'zh-CN' };

/** Days go before months everywhere: `21 Nov 2025`. */
export const dateLocaleOf = (language: Language): string =>
  language === 'en' ? 'en-GB' : localeOf[language];

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
    .at(0) ?? 'en';
