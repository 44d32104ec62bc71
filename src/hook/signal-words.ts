import type { Severity } from '../alert/alert.ts';

/** The direction of the price that a signal announces. */
export type SignalDirection = 'up' | 'down';

const directionByWord: ReadonlyMap<string, SignalDirection> = new Map([
  ...['up', 'buy', 'long', 'bull', 'bullish', 'uptrend', 'enter_long', 'long_entry'].map(
    (word) => [word, 'up'] as const,
  ),
  ...['down', 'sell', 'short', 'bear', 'bearish', 'downtrend', 'enter_short', 'short_entry'].map(
    (word) => [word, 'down'] as const,
  ),
]);

const severityByWord: ReadonlyMap<string, Severity> = new Map([
  ...['critical', 'crit', 'page', 'error', 'emergency', 'fatal', 'high', 'urgent', 'p1'].map(
    (word) => [word, 'critical'] as const,
  ),
  ...['warning', 'warn', 'major', 'medium', 'moderate', 'p2'].map((word) => [word, 'warning'] as const),
  ...['info', 'information', 'informational', 'notice', 'minor', 'low', 'none', 'debug', 'p3'].map(
    (word) => [word, 'info'] as const,
  ),
]);

/** Words for an end. Strategies send `flat` and similar words for a closed position. */
const endWords = new Set([
  'resolved',
  'ok',
  'closed',
  'ended',
  'normal',
  'recovered',
  'inactive',
  'close',
  'exit',
  'flat',
]);

const normalize = (text: string): string => text.trim().toLowerCase();

export const directionOf = (text: string): SignalDirection | undefined =>
  directionByWord.get(normalize(text));
export const severityOf = (text: string): Severity | undefined => severityByWord.get(normalize(text));
export const isEndWord = (text: string): boolean => endWords.has(normalize(text));
