import type { Language } from '../language/languages.ts';
import es from './translations/es.ts';
import zh from './translations/zh.ts';

/**
 * What a menu says in another language: `command` → its description, `command.input` → that of an input.
 * Names of commands, inputs and values stay as they are. What is missing stays English.
 */
export type MenuCatalogue = Readonly<Record<string, string>>;

/** ISO 639-1 language → its catalogue. */
export type Translations = Readonly<Record<string, MenuCatalogue>>;

export const translations = { es, zh } satisfies Translations;

export const inLanguage = (language: Language, key: string, english: string): string =>
  (translations as Translations)[language]?.[key] ?? english;
