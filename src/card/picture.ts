import type { Card } from './card.ts';

export interface Picture {
  readonly png: Uint8Array;
  /** The same in words, at most 1,000 characters. */
  readonly alt: string;
}

/** A card's chart as a picture; undefined where it has none or it could not be drawn. */
export type Draw = (card: Card<string>) => Promise<Picture | undefined>;
