import { type Card, linksOf } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { beginning, plainLine, plainLines } from '../../card/plain.ts';
import { compact } from '../../runtime/compact.ts';

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Characters of a subject: more than mail lists show. */
const maxSubject = 150;
const nothing = '–';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? '');

/**
 * Renders a card as a mail, in plain text and in HTML; no text of the card can become mark-up.
 * @param picture content id and alternative text of an attached picture
 */
export function renderMail(
  card: Card<string>,
  picture?: { readonly cid: string; readonly alt: string },
): Mail {
  const title = plainLine(card.title) || nothing;
  const summary = plainLines(card.summary ?? '');
  const facts = (card.facts ?? []).map(({ name, value }) => [name, value].map(plainLine));
  const columns = (card.table?.columns ?? []).map(plainLine);
  const rows = (card.table?.rows ?? []).map((row) => row.map(plainLine));
  const footer = footerParts(card).map(plainLine).join(' · ');
  const url = linkOf(card.url);
  const links = linksOf(card);
  const parts = [
    [title, ...summary],
    facts.map((fact) => fact.join(': ')),
    rows.map((row) => `- ${row.join(' · ')}`),
    [
      ...(url === undefined ? [] : [url]),
      ...links.map(({ label, url: page }) => `${plainLine(label)}: ${page}`),
      footer,
    ],
  ];
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag} align="left">${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const table = (lines: readonly string[]) =>
    lines.length === 0 ? [] : [`<table cellpadding="4">${lines.join('')}</table>`];
  const heading = escaped(title);
  const html = compact([
    `<h3>${url === undefined ? heading : `<a href="${escaped(url)}">${heading}</a>`}</h3>`,
    ...summary.map((line) => `<p>${escaped(line)}</p>`),
    ...table(facts.map((fact) => cells('td', fact))),
    ...table(rows.length === 0 ? [] : [cells('th', columns), ...rows.map((row) => cells('td', row))]),
    picture !== undefined &&
      `<p><img src="cid:${picture.cid}" alt="${escaped(plainLine(picture.alt))}" width="640"></p>`,
    links.length !== 0 &&
      `<p>${links.map(({ label, url: page }) => `<a href="${escaped(page)}">${escaped(plainLine(label))}</a>`).join(' · ')}</p>`,
    `<p><small>${escaped(footer)}</small></p>`,
  ]);
  return {
    subject: title.length > maxSubject ? `${beginning(title, maxSubject - 1)}…` : title,
    text: parts
      .map((lines) => lines.filter((line) => line !== '').join('\n'))
      .filter((part) => part !== '')
      .join('\n\n'),
    html: html.join('\n'),
  };
}

function linkOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
}
