import type { Card } from './card.ts';

export interface Picture {
  readonly png: Uint8Array;
  /** The picture in words, at most 1,000 characters. */
  readonly alt: string;
}

/** Draws a card's chart as a picture. Undefined: the card has no chart, or it could not be drawn. */
export type Draw = (card: Card<string>) => Promise<Picture | undefined>;
