import type { Card } from './card.ts';
import { footerParts } from './footer.ts';
import { plainLine, plainLines } from './plain.ts';

/** What a card says below its title as plain text: a fact or a row a line, and none that is empty. */
export const bodyLines = (card: Card<string>): readonly string[] =>
  [
    ...plainLines(card.summary ?? ''),
    ...(card.facts ?? []).map(({ name, value }) => `${plainLine(name)}: ${plainLine(value)}`),
    ...(card.table?.rows ?? []).map((row) => `• ${row.map(plainLine).join(' · ')}`),
    footerParts(card).map(plainLine).join(' · '),
  ].filter((line) => line !== '');
