import { type Card, linksOf } from './card.ts';
import { footerParts } from './footer.ts';
import { plainLine, plainLines } from './plain.ts';

/** Returns what a card says below its title as lines of plain text: one for each fact or row, none of them empty. */
export const bodyLines = (card: Card<string>): readonly string[] =>
  [
    ...plainLines(card.summary ?? ''),
    ...(card.facts ?? []).map(({ name, value }) => `${plainLine(name)}: ${plainLine(value)}`),
    ...(card.table?.rows ?? []).map((row) => `• ${row.map(plainLine).join(' · ')}`),
    ...linksOf(card).map(({ label, url }) => `${plainLine(label)}: ${url}`),
    footerParts(card).map(plainLine).join(' · '),
  ].filter((line) => line !== '');
