import type { Language } from './languages.ts';
import { plainReader, type Reader } from './say.ts';

/** How charts are drawn. */
export const chartThemes = ['dark', 'light'] as const;
export type ChartTheme = (typeof chartThemes)[number];

/** How messages are written on a platform that has both styles: not every app shows rich messages. */
export const messageStyles = ['plain', 'rich'] as const;
export type MessageStyle = (typeof messageStyles)[number];

/** The settings that a place or a person has chosen; a setting that was not chosen is absent. */
export interface Preferences {
  readonly language?: Language;
  /** IANA name. */
  readonly timeZone?: string;
  readonly theme?: ChartTheme;
  /** A setting of places; the default is plain. */
  readonly messages?: MessageStyle;
  /** A setting of places: how many posts may interrupt it in any 24 h; null: any number. */
  readonly budget?: number | null;
}

/**
 * Returns a reader. Each setting comes from the first argument that has it: a person's choice precedes their place's,
 * and both precede a platform's hint.
 */
export const readerBy = (...chosen: readonly (Partial<Reader> | undefined)[]): Reader =>
  Object.assign({}, plainReader, ...chosen.toReversed());
