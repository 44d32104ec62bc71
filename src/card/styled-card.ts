import type { Alert } from '../alert/alert.ts';
import { partsIn, readTemplate, type Style, type TemplateLine, unknownParts } from '../alert/style.ts';
import { kindsText } from '../alert/subscription.ts';
import { labelTitle, marketName, price as priceText } from '../language/format.ts';
import { plainReader, type Reader, say } from '../language/say.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import type { Card } from './card.ts';
import { footerParts } from './footer.ts';
import { changeText, firstText } from './market-then.ts';
import { plainLine } from './plain.ts';

/** The most characters that a template may become: it stays one message on every platform. */
const maxText = 1_500;

interface Styling {
  readonly style: Style;
  readonly alerts: readonly Alert[];
  /** What the price did after earlier alerts, as its fact says it. */
  readonly record: Text | undefined;
  /** What no style leaves out: that the post is late, or that its data is not fresh. */
  readonly notices: readonly Text[];
}

/**
 * Returns the card as a subscription wants it written. A template decides on words and order alone: every text stays a text,
 * and the time and source of the data, what is overdue or unknown, and the buttons stay. If it cannot be filled in, the card
 * stays as it is and says so.
 */
export function styledCard(card: Card<string>, styling: Styling): Card<string> {
  const { style } = styling;
  const { reader = plainReader } = card;
  if (style.name === 'normal') return withLook(card, style);
  const template = style.name === 'minimal' ? minimal : (style.template ?? '');
  const written = fillIn(card, template, styling);
  if (typeof written !== 'string') return withLook(written, style);
  const failed = say(msg('This chat’s template was not used: {problem}.', { problem: written }), reader);
  return withLook({ ...card, summary: joinLines(card.summary, failed) }, style);
}

const minimal = '{title}\n{price} · {change1h} · {change24h}';

/** Adds the colour and the footer line, which are of every style. */
function withLook(card: Card<string>, { color, footer }: Style): Card<string> {
  const text = footer === undefined ? '' : plainLine(footer.text);
  return {
    ...card,
    ...(color !== undefined && { color }),
    ...(text !== '' &&
      (footer?.url === undefined
        ? { summary: joinLines(card.summary, text) }
        : { links: [...(card.links ?? []), { label: text, url: footer.url }] })),
  };
}

const joinLines = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n');

/** Returns the card by its template, or why that is not possible. */
function fillIn(card: Card<string>, template: string, styling: Styling): Card<string> | string {
  const { reader = plainReader, summary = '' } = card;
  const lines = readTemplate(template);
  const unknown = unknownParts(lines);
  if (unknown.length > 0) return unknown.map((part) => `{${part}}`).join(', ');
  const parts = new Set(partsIn(lines));
  const values = valuesOf(card, styling);
  const [title = '', ...rest] = lines.flatMap((line) => fillInLine(line, values));
  if (title === '') return say(msg('its first line is empty'), reader);
  const notices = styling.notices.map((notice) => say(notice, reader));
  const missing = parts.has('why') ? notices.filter((notice) => !summary.includes(notice)) : notices;
  const text = joinLines(...rest, ...missing);
  if (title.length + text.length > maxText) return say(msg('the text is too long'), reader);
  const { summary: _, facts = [], table, chart, links, ...always } = card;
  const told = [
    ...(['price', 'change1h', 'change24h'].some((part) => parts.has(part)) ? [msg('Price')] : []),
    ...(parts.has('first') ? [msg('Moved first')] : []),
    ...(parts.has('record') ? [msg('Record')] : []),
  ].map((name) => say(name, reader));
  return {
    ...always,
    title,
    ...(text !== '' && { summary: text }),
    ...(parts.has('facts') && { facts: facts.filter(({ name }) => !told.includes(name)), table }),
    ...(parts.has('chart') && { chart }),
    ...(parts.has('links') && { links }),
  };
}

/** Returns the line with its parts filled in; none if it consists of nothing but parts that say nothing here. */
function fillInLine(line: TemplateLine, values: ReadonlyMap<string, string>): readonly string[] {
  const valueIn = ({ part }: { readonly part: string }) => values.get(part) ?? '';
  const isPart = (piece: TemplateLine[number]) => typeof piece !== 'string';
  const filled = line.map((piece) => (typeof piece === 'string' ? piece : valueIn(piece))).join('');
  const empty = line.filter(isPart).filter((piece) => typeof piece !== 'string' && valueIn(piece) === '');
  if (empty.length === 0) return filled.trim() === '' ? [] : [filled.trim()];
  const said = line.some((piece) => isPart(piece) && !empty.includes(piece));
  return said ? [filled.replace(separators, '$1').trim().replace(ends, '')] : [];
}

/** Separators that are left where a part says nothing: between two others, and at the ends of a line. */
const separators = /(\s*[·|•/]\s*)(?:\s*[·|•/]\s*)+/g;
const ends = /^[\s·|•/,;:–-]+|[\s·|•/,;:–-]+$/g;

function valuesOf(card: Card<string>, { alerts, record }: Styling): ReadonlyMap<string, string> {
  const { reader = plainReader, severity, status } = card;
  const [first, ...others] = alerts;
  const market = others.length === 0 ? first?.annotations.market : undefined;
  const symbols = [...new Set(alerts.flatMap(({ labels }) => labels.symbol ?? []))];
  const texts: Readonly<Record<string, Text | undefined>> = {
    title: card.title,
    market: listOf(symbols.slice(0, 5).map(marketName)),
    kind: kindsText([...new Set(alerts.map(({ labels }) => labels.kind))]),
    severity: severity && labelTitle(severity),
    status: status && labelTitle(status),
    why: card.summary,
    price: market && priceText(market.price),
    change1h: market && changeText(market.change1hPct, '1 h'),
    change24h: market && changeText(market.change24hPct, '24 h'),
    first: market?.first === undefined ? undefined : firstText(market.first),
    record,
    time: footerParts({ ...card, source: undefined })[0],
    source: card.source,
  };
  return new Map(
    Object.entries(texts).map(([part, text]) => [part, text === undefined ? '' : sayPlain(text, reader)]),
  );
}

const sayPlain = (text: Text, reader: Reader): string =>
  typeof text === 'string' ? text : say(text, reader);
