import type { Alert, Chart, Panel } from '../alert/alert.ts';
import { plainReader, type Reader, say } from '../language/say.ts';
import { momentsIn, type Text } from '../language/text.ts';
import type { Card } from './card.ts';

/** Returns the card in its reader's language. */
export function sayCard(card: Card, reader: Reader): Card<string> {
  const times = timesOn(card, reader);
  return { ...sayWords(card, reader), ...(times.size > 0 && { times }), reader };
}

function timesOn({ title, summary, facts, table }: Card, reader: Reader): ReadonlyMap<string, number> {
  const texts = [
    ...[title, summary ?? ''],
    ...(facts ?? []).map(({ value }) => value),
    ...(table?.rows ?? []).flat(),
  ];
  return new Map(texts.flatMap(momentsIn).map((time) => [say({ time }, reader), time]));
}

function sayWords(card: Card, reader: Reader): Card<string> {
  const said = (text: Text) => say(text, reader);
  const { title, summary, facts, table, chart, actions, source, ...rest } = card;
  return {
    ...rest,
    title: said(title),
    ...(summary !== undefined && { summary: said(summary) }),
    ...(facts !== undefined && {
      facts: facts.map(({ name, value }) => ({ name: said(name), value: said(value) })),
    }),
    ...(table !== undefined && {
      table: { ...table, columns: table.columns.map(said), rows: table.rows.map((row) => row.map(said)) },
    }),
    ...(chart !== undefined && {
      chart: sayChart(chart, { source, reader }),
    }),
    ...(actions !== undefined && {
      actions: actions.map((action) => ({ ...action, label: said(action.label) })),
    }),
    ...(source !== undefined && { source: said(source) }),
  };
}

/** Returns an alert for programs: as it is stored, with its texts in English. */
export function sayAlert({ annotations, event: _, end, ...alert }: Alert) {
  const { dataTime, ...words } = annotations;
  const said = { ...sayWords(words, plainReader), dataTime };
  return { ...alert, annotations: said, end: end && sayWords(end, plainReader) };
}

const named = <Part extends { readonly name: Text }>(parts: readonly Part[], said: (text: Text) => string) =>
  parts.map((part) => ({ ...part, name: said(part.name) }));

const sayPanel = ({ unit, series, marks }: Panel, said: (text: Text) => string): Panel<string> => ({
  unit: said(unit),
  series: named(series, said),
  ...(marks !== undefined && { marks: named(marks, said) }),
});

/** Returns the chart in its reader's language. It carries the source, because a picture may be shown without its card. */
function sayChart(
  chart: Chart,
  { source, reader }: { readonly source: Text | undefined; readonly reader: Reader },
): Chart<string> {
  const said = (text: Text) => say(text, reader);
  const { title, below, bands, moments } = chart;
  return {
    ...sayPanel(chart, said),
    title: said(title),
    ...(source !== undefined && { source: said(source) }),
    ...(below !== undefined && { below: sayPanel(below, said) }),
    ...(bands !== undefined && { bands: named(bands, said) }),
    ...(moments !== undefined && { moments: named(moments, said) }),
  };
}
