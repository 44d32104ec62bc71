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
  'resolved resolve ok closed close ended normal recovered recovery recover inactive exit flat cleared clear restored fixed done'.split(
    ' ',
  ),
);
/** The same of what is watched, but not of a price. */
const upWords = new Set('up online available healthy operational'.split(' '));
/** Words of an event that say that something begins or goes on. */
const beginWords = new Set(
  'new created opened open reopened triggered firing fired alerting problem alarm down updated acknowledged started'.split(
    ' ',
  ),
);

export const severityOf = (text: string): Severity | undefined =>
  severityByWord.get(text.trim().toLowerCase());

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
/** `NOT OK` is no end. */
const endsWith = (text: string, ends: ReadonlySet<string>): boolean => {
  const words = wordsOf(text);
  return ends.has(words.at(-1) ?? '') && !words.includes('not');
};
export const isEndWord = (text: string): boolean => endsWith(text, endWords);
export const isUpWord = (text: string): boolean => endsWith(text, upWords);

/** Returns whether one of the words of an event's type says that it is over: `resolved_item`. */
export const saysEnd = (type: string): boolean => wordsOf(type).some((word) => endWords.has(word));
/** Returns whether a text is the type of an event, which changes while what it is about stays: `new_item`. */
export const isEventType = (text: string): boolean =>
  /^[a-z]+(?:[._:][a-z]+)+$/.test(text) &&
  (saysEnd(text) || wordsOf(text).some((word) => beginWords.has(word)));

/** A status before what it is about: `RESOLVED: disk full`, `[OK] disk full`, `[FIRING:1] disk full`. */
const lead = /^(?:\W*\[\s*)?\W*(\p{L}+)\s*(?::\s*\d+\s*)?(?:\]\W*|[:|]\s+|\s[-–—]\s+)(?=\S)/u;
/** Returns the status that a text begins with, empty if it begins with none, and the rest. */
export function leadOf(text: string): readonly [status: string, rest: string] {
  const [all = '', word = ''] = lead.exec(text) ?? [];
  const known = [endWords, upWords, beginWords].some((each) => each.has(word.toLowerCase()));
  return known && all.length < text.length ? [word, text.slice(all.length)] : ['', text];
}
