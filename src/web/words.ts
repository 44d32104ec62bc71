import type { Words } from '../platforms/web/page.ts';
import { type FillValues, fill } from './fill.ts';

/** The translations of the page, written into index.html by the server. */
const words: Words = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=words]')?.content ?? '');
const messages = new Map(Object.entries(words.messages));
const english = new Map(Object.entries(words.english));
const labels = new Map(Object.entries(words.labels));

/** How the page's language writes numbers, dates and lengths of time. The page writes them as cards do, wherever its visitor is. */
export const { digits, dates, units } = words;

export const language = document.documentElement.lang;

/** Translates a message, an English ICU message that is already known by its text, into the page's language. */
export const translate = (message: string, values: FillValues = {}): string =>
  messages.has(message)
    ? fill(messages.get(message) ?? [], { values, locale: digits.locale })
    : fill(english.get(message) ?? [message], { values, locale: 'en' });

/** Translates a message that is written out at the call. All texts of the page go through this function or `translate`. */
export const msg = translate;

/** Returns a label, from the contract or from this program, as it stands within a sentence. */
export const label = (name: string): string => labels.get(name) ?? name.replaceAll('_', ' ').toLowerCase();

/** Returns a label as it stands alone, with a capital. */
export const labelTitle = (name: string): string => {
  const words = label(name);
  return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
};
