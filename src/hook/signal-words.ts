import type { Severity } from '../alert/alert.ts';

const severityByWord: ReadonlyMap<string, Severity> = new Map([
  ...['critical', 'crit', 'page', 'error', 'emergency', 'fatal', 'high', 'urgent', 'disaster', 'p1'].map(
    (word) => [word, 'critical'] as const,
  ),
  ...['warning', 'warn', 'major', 'medium', 'moderate', 'average', 'p2'].map(
    (word) => [word, 'warning'] as const,
  ),
  ...['info', 'information', 'informational', 'notice', 'minor', 'low', 'none', 'debug', 'p3'].map(
    (word) => [word, 'info'] as const,
  ),
]);

/** Words of a status that say that something is over. */
const endWords = new Set(
  'resolved resolve ok closed close ended normal recovered recovery recover inactive exit flat cleared clear restored fixed'.split(
    ' ',
  ),
);
/** The same of what is watched, but not of a price. */
const upWords = new Set('up online healthy'.split(' '));

export const severityOf = (text: string): Severity | undefined =>
  severityByWord.get(text.trim().toLowerCase());

const lastWord = (text: string): string =>
  text
    .toLowerCase()
    .match(/\p{L}+/gu)
    ?.at(-1) ?? '';
export const isEndWord = (text: string): boolean => endWords.has(lastWord(text));
export const isUpWord = (text: string): boolean => upWords.has(lastWord(text));
