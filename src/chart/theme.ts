import type { Tone } from '../alert/alert.ts';

export type ThemeName = 'dark' | 'light';

/** The colours of the page (src/web/theme.css), so that a chart looks the same everywhere. */
export interface Theme {
  readonly ground: string;
  readonly rule: string;
  readonly text: string;
  readonly soft: string;
  /** The colours of series without a tone, in their order. */
  readonly series: readonly string[];
  readonly tones: Readonly<Record<Tone, string>>;
}

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    ground: '#181c22',
    rule: '#2a3039',
    text: '#e8eaee',
    soft: '#9aa3b2',
    series: ['#6eb0ff', '#f4a34a', '#4fd1a8', '#c492ff', '#ff8fb8', '#d6cf63', '#63d5e8', '#b8c0cc'],
    tones: { good: '#56c98a', caution: '#f4b740', bad: '#ff7a70', neutral: '#9aa3b2' },
  },
  light: {
    ground: '#ffffff',
    rule: '#dfe2e8',
    text: '#171a20',
    soft: '#5a6270',
    series: ['#2563c9', '#b4560a', '#0f8a6c', '#8a3fc4', '#c02a6b', '#7a6f00', '#0b7f96', '#5a6270'],
    tones: { good: '#1a7a45', caution: '#9a5b00', bad: '#c02626', neutral: '#5a6270' },
  },
};

/** A tone, or a number: the place among the series without a tone, which take their colours in turn. */
export type Colour = Tone | number;

export const colourIn = (theme: Theme, colour: Colour): string =>
  (typeof colour === 'number' ? theme.series[colour % theme.series.length] : theme.tones[colour]) ??
  theme.text;
