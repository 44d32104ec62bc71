import type { Alert } from '../alert/alert.ts';
import { chartWritten } from '../alert/panels.ts';
import { unknown } from '../language/format.ts';
import { plainReader, type Reader, say } from '../language/say.ts';
import { type Quantity, type Text, valuesIn } from '../language/text.ts';
import type { Card, PlainTable } from './card.ts';

/** Returns the card in its reader's language. */
export function sayCard(given: Card, reader: Reader): Card<string> {
  // A table without rows says nothing.
  const card = given.table?.rows.length === 0 ? { ...given, table: undefined } : given;
  return { ...sayWords(card, reader), ...namedOn(card, reader), sheet: sheetOf(card, reader), reader };
}

const unitOf = ({ as }: Quantity): string =>
  as.style === 'percent' ? '%' : as.style === 'currency' ? (as.currency ?? '') : '';

/** Returns a number in the unit in which it is written, without what a factor of 100 adds behind its digits. */
const amountOf = ({ number, as }: Quantity): number =>
  as.style === 'percent' ? Number((number * 100).toPrecision(15)) : number;

function sheetOf({ table }: Card, reader: Reader): PlainTable | undefined {
  if (table === undefined) return undefined;
  const { columns, rows } = table;
  const units = columns.map((_, index) => {
    const found = new Set(
      rows.flatMap(({ [index]: cell }) =>
        typeof cell === 'object' && 'number' in cell ? [unitOf(cell)] : [],
      ),
    );
    return found.size === 1 ? [...found][0] : undefined;
  });
  const cellOf = (cell: Text, index: number): string | number => {
    if (typeof cell === 'string') return cell === unknown ? '' : cell;
    if ('time' in cell && !cell.weekly) return new Date(cell.time).toISOString();
    // Where the units of a column differ, each stands with its number.
    return 'number' in cell && units[index] !== undefined ? amountOf(cell) : say(cell, reader);
  };
  return {
    columns: columns.map((column, index) => {
      const unit = units[index];
      return unit ? `${say(column, reader)} (${unit})` : say(column, reader);
    }),
    rows: rows.map((row) => row.map(cellOf)),
  };
}

/** Returns the times and the command lines that a card names, by how they are written on it. */
function namedOn(
  { title, summary, facts, table }: Card,
  reader: Reader,
): Pick<Card<string>, 'times' | 'typed'> {
  const texts = [
    ...[title, summary ?? ''],
    ...(facts ?? []).map(({ value }) => value),
    ...(table?.rows ?? []).flat(),
  ];
  const values = texts.flatMap(valuesIn);
  const times = new Map(
    values.flatMap((each) => ('time' in each && !each.weekly ? [[say(each, reader), each.time]] : [])),
  );
  // Without a slash it is a word like any other.
  const lines = reader.slash ? values.filter((each) => 'typed' in each) : [];
  return {
    times: times.size > 0 ? times : undefined,
    typed: lines.length > 0 ? new Set(lines.map((each) => say(each, reader))) : undefined,
  };
}

function sayWords(card: Card, reader: Reader): Card<string> {
  const sayText = (text: Text) => say(text, reader);
  const { summary, facts, table, chart, links, actions, source } = card;
  return {
    ...card,
    title: sayText(card.title),
    summary: summary && sayText(summary),
    facts: facts?.map(({ name, value }) => ({ name: sayText(name), value: sayText(value) })),
    table: table && {
      ...table,
      columns: table.columns.map(sayText),
      rows: table.rows.map((row) => row.map(sayText)),
    },
    // It carries the source, because a picture may be shown without its card.
    chart: chart && { ...chartWritten(chart, sayText), source: source && sayText(source) },
    links: links?.map(({ label, url, button }) => ({
      label: sayText(label),
      url,
      button: button && sayText(button),
    })),
    actions: actions?.map((action) => ({ ...action, label: sayText(action.label) })),
    source: source && sayText(source),
  };
}

/** Returns an alert for programs: as it is stored, with its texts in English. */
export function sayAlert({ annotations, event: _, end, ...alert }: Alert) {
  const { dataTime, ...words } = annotations;
  const sayAnnotations = { ...sayWords(words, plainReader), dataTime };
  return { ...alert, annotations: sayAnnotations, end: end && sayWords(end, plainReader) };
}
