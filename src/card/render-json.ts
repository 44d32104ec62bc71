import { z } from 'zod';
import { type Chart, type Panel, severities } from '../alert/alert.ts';
import { chartWritten } from '../alert/panels.ts';
import { type Card, linksOf } from './card.ts';
import { plainLine, plainLines } from './plain.ts';

const tone = z.enum(['good', 'caution', 'bad', 'neutral']);
const panelJson = z.strictObject({
  unit: z.string(),
  series: z.array(
    z.strictObject({
      name: z.string(),
      /** [market time in ms, value], oldest first. */
      points: z.array(z.tuple([z.number(), z.number()])),
      shape: z.enum(['line', 'bars', 'steps']).optional(),
      /** Of values that are closes: [open, high, low, volume] of each. */
      candles: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])).optional(),
      tone: tone.optional(),
    }),
  ),
  marks: z
    .array(
      z.strictObject({
        name: z.string(),
        value: z.number(),
        /** The other end of a zone. */
        to: z.number().optional(),
        tone: tone.optional(),
      }),
    )
    .optional(),
});

/** The schema of a card as the page and webhooks get it. Texts are plain, never mark-up: the receiver must escape them. */
export const cardJson = z.strictObject({
  title: z.string(),
  /** The link of the title. */
  url: z.url().optional(),
  /** Lines are separated by `\n`. */
  summary: z.string().optional(),
  severity: z.enum(severities).optional(),
  status: z.enum(['firing', 'updated', 'resolved', 'ended']).optional(),
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
  table: z.strictObject({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) }).optional(),
  /** The table as a spreadsheet takes it. Only the page gets it. */
  sheet: z
    .strictObject({
      columns: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number()]))),
    })
    .optional(),
  chart: z
    .strictObject({
      title: z.string(),
      ...panelJson.shape,
      below: panelJson.optional(),
      lanes: z.array(panelJson.extend({ name: z.string() })).optional(),
      bands: z.array(z.strictObject({ name: z.string(), from: z.number(), to: z.number(), tone })).optional(),
      moments: z
        .array(z.strictObject({ name: z.string(), at: z.number(), tone: tone.optional() }))
        .optional(),
    })
    .optional(),
  /** A file, to be saved under its name. */
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
  /** Pages about what the card is about; `button`: what a button says that opens the page. */
  links: z
    .array(z.strictObject({ label: z.string(), url: z.url(), button: z.string().optional() }))
    .optional(),
  actions: z.array(z.strictObject({ label: z.string(), command: z.string() })).optional(),
  /** Market time of the data. */
  dataTime: z.iso.datetime({ precision: 3 }).optional(),
  source: z.string().optional(),
  /** The IANA zone in which the texts write times. */
  timeZone: z.string().optional(),
});
export type CardJson = z.output<typeof cardJson>;

const plainCell = (cell: string | number): string | number =>
  typeof cell === 'string' ? plainLine(cell) : Number.isFinite(cell) ? cell : '';

/** The card as the page gets it: its table can be saved, too. */
export const renderPage = (card: Card<string>): CardJson => ({
  ...renderJson(card),
  sheet: card.sheet && {
    columns: card.sheet.columns.map(plainLine),
    rows: card.sheet.rows.map((row) => row.map(plainCell)),
  },
});

/** Returns the card as plain JSON values that `cardJson` accepts. Values that are not finite numbers are left out. */
export function renderJson(card: Card<string>): CardJson {
  const { url, summary, severity, status, facts, table, chart, file, actions, dataTime, source, reader } =
    card;
  return {
    title: plainLine(card.title),
    url,
    summary: summary && plainLines(summary).join('\n'),
    severity,
    status,
    facts: facts?.map(({ name, value }) => ({ name: plainLine(name), value: plainLines(value).join('\n') })),
    table: table && {
      columns: table.columns.map(plainLine),
      rows: table.rows.map((row) => row.map(plainLine)),
    },
    chart: chart && renderChart(chart),
    file: file && { name: plainLine(file.name), text: plainLine(file.text) },
    links:
      card.links &&
      linksOf(card).map(({ label, url, button }) => ({
        label: plainLine(label),
        url,
        button: button && plainLine(button),
      })),
    actions: actions?.map(({ label, command }) => ({ label: plainLine(label), command: plainLine(command) })),
    dataTime: dataTime !== undefined && isInstant(dataTime) ? new Date(dataTime).toISOString() : undefined,
    source: source && plainLine(source),
    timeZone: reader?.timeZone,
  };
}

// Years 0 to 9999: outside them ISO 8601 needs a sign, which a `timestamp` of the contract does not have.
const isInstant = (ms: number): boolean => ms >= -62_167_219_200_000 && ms < 253_402_300_800_000;

function renderChart(chart: Chart<string>): NonNullable<CardJson['chart']> {
  const plain = chartWritten(chart, plainLine);
  const { title, below, lanes, bands, moments } = plain;
  return {
    title,
    ...finitePanel(plain),
    below: below && finitePanel(below),
    lanes: lanes?.map((lane) => ({ ...finitePanel(lane), name: lane.name })),
    bands: bands?.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)),
    moments: moments?.filter(({ at }) => Number.isFinite(at)),
  };
}

const finitePanel = ({ unit, series, marks }: Panel<string>): z.output<typeof panelJson> => ({
  unit,
  series: series.map(({ points, candles, ...rest }) => {
    const isKnown = (_: unknown, index: number) =>
      [...(points[index] ?? []), ...(candles?.[index] ?? [])].every(Number.isFinite);
    return {
      ...rest,
      points: points.filter(isKnown).map(([at, value]): [number, number] => [at, value]),
      candles: candles?.filter(isKnown).map((candle): [number, number, number, number] => [...candle]),
    };
  }),
  marks: marks?.filter(({ value, to = value }) => Number.isFinite(value) && Number.isFinite(to)),
});
