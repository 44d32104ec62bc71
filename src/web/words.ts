import type { Words } from '../platforms/web/page.ts';
import { type FillValues, fill } from './fill.ts';

/** The page's words in its language, written into index.html by the server. */
const words: Words = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=words]')?.content ??
    '{"messages":{},"english":{},"labels":{},"digits":{"locale":"en"},"dates":"en-GB"}',
);
const messages = new Map(Object.entries(words.messages));
const english = new Map(Object.entries(words.english));
const labels = new Map(Object.entries(words.labels));

/** How cards in this language write numbers and dates: the page writes the same, wherever its visitor is. */
export const { digits, dates } = words;

export const language = document.documentElement.lang;

/** An ICU message in English → in the page's language, whoever wrote it out. */
export const inWords = (message: string, values: FillValues = {}): string =>
  messages.has(message)
    ? fill(messages.get(message) ?? [], { values, locale: digits.locale })
    : fill(english.get(message) ?? [message], { values, locale: 'en' });

/** The only way the page says something: an ICU message in English, written out where it is said. */
export const msg = inWords;

/** A label of the contract or of ours, within a sentence. */
export const label = (name: string): string => labels.get(name) ?? name.replaceAll('_', ' ').toLowerCase();

/** The same, alone. */
export const title = (name: string): string => {
  const words = label(name);
  return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
};
