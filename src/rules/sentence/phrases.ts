import { distance } from '../../language/closest.ts';
import { catalogueOf, languages } from '../../language/languages.ts';

interface Phrase {
  readonly roles: readonly string[];
  readonly isSpanish: boolean;
}

/** What phrases mean, in all languages. */
const phrases: ReadonlyMap<string, Phrase> = (() => {
  const all = new Map<string, Phrase>();
  for (const language of languages)
    for (const [role, list] of catalogueOf(language).sentence)
      for (const phrase of list.split(' | ')) {
        const known = all.get(phrase);
        const isSpanish = language === 'es' && (known?.isSpanish ?? true);
        all.set(phrase, { roles: [...new Set([...(known?.roles ?? []), role])], isSpanish });
      }
  return all;
})();
/** The languages whose catalogues have phrases. A sentence in another one is not read. */
export const sentenceLanguages = languages.filter((language) => catalogueOf(language).sentence.size > 0);
const longestPhrase = Math.max(...[...phrases.keys()].map(({ length }) => length));

/** English words that are recognized with a letter too many, too few, or swapped with its neighbour. */
const wordsToCorrect = [...phrases].filter(
  ([phrase, { roles, isSpanish }]) =>
    !isSpanish &&
    /^[a-z]{5,}$/.test(phrase) &&
    roles.every((role) => /^(above|below|reach|rise|fall|oversold|overbought|yearly|metric .*)$/.test(role)),
);

const isLatin = (character = ''): boolean => /[\p{Script=Latin}\p{N}]/u.test(character);

/** Returns the longest phrase that stands at `from`. A phrase of Latin letters is not part of a longer word. */
export function phraseAt(
  text: string,
  from: number,
): { readonly phrase: Phrase; readonly end: number } | undefined {
  for (let length = Math.min(longestPhrase, text.length - from); length > 0; length -= 1) {
    const end = from + length;
    const phrase = phrases.get(text.slice(from, end));
    if (phrase === undefined) continue;
    const cutsBefore = from > 0 && isLatin(text[from]) && /\p{Script=Latin}/u.test(text[from - 1] ?? '');
    const cutsAfter = isLatin(text[end - 1]) && isLatin(text[end]);
    if (!cutsBefore && !cutsAfter) return { phrase, end };
  }
  return undefined;
}

/**
 * Returns what a misspelt word means. Undefined: it may mean several things, or be another word: "crossed" has one letter that "crosses"
 * has not.
 */
export function correction(word: string): readonly string[] | undefined {
  const lettersOf = (text: string) => [...text].sort().join('');
  const near = wordsToCorrect.filter(
    ([known]) =>
      distance(word, known) === 1 && (word.length !== known.length || lettersOf(word) === lettersOf(known)),
  );
  const [first, ...others] = [...new Set(near.map(([, { roles }]) => roles.join()))];
  return first === undefined || others.length > 0 ? undefined : first.split(',');
}
