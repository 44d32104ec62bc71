import type { Language } from './languages.ts';
import { plainReader, type Reader } from './say.ts';

/** How charts are drawn. */
export const chartThemes = ['dark', 'light'] as const;
export type ChartTheme = (typeof chartThemes)[number];

/** How messages are written, where a platform has both: not every app shows rich ones. */
export const messageStyles = ['plain', 'rich'] as const;
export type MessageStyle = (typeof messageStyles)[number];

/** What a place or a person has chosen of how they are told; what they have not is absent. */
export interface Preferences {
  readonly language?: Language;
  /** IANA name. */
  readonly timeZone?: string;
  readonly theme?: ChartTheme;
  /** Of a place: plain where it has not chosen. */
  readonly messages?: MessageStyle;
  /** Of a place: posts in any 24 h that may interrupt it; null: any number. */
  readonly budget?: number | null;
}

/** Each by the first that has chosen it: a person goes before their place, and both before a platform's hint. */
export const readerBy = (...chosen: readonly (Partial<Reader> | undefined)[]): Reader =>
  Object.assign({}, plainReader, ...chosen.toReversed());
