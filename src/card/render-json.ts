import { z } from 'zod';
import { type Chart, type Panel, severities } from '../alert/alert.ts';
import type { Card } from './card.ts';
import { plainLine, plainLines } from './plain.ts';

const tone = z.enum(['good', 'caution', 'bad', 'neutral']);
const panelJson = z.strictObject({
  unit: z.string(),
  series: z.array(
    z.strictObject({
      name: z.string(),
      /** [market time in ms, value], oldest first. */
      points: z.array(z.tuple([z.number(), z.number()])),
      shape: z.enum(['line', 'bars', 'steps']).exactOptional(),
      /** Of values that are closes: [open, high, low, volume] of each. */
      candles: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])).exactOptional(),
      tone: tone.exactOptional(),
    }),
  ),
  marks: z
    .array(
      z.strictObject({
        name: z.string(),
        value: z.number(),
        /** The other end of a zone. */
        to: z.number().exactOptional(),
        tone: tone.exactOptional(),
      }),
    )
    .exactOptional(),
});

/** The schema of a card as the page and webhooks get it. Texts are plain, never mark-up: the receiver must escape them. */
export const cardJson = z.strictObject({
  title: z.string(),
  /** The link of the title. */
  url: z.url().exactOptional(),
  /** Lines are separated by `\n`. */
  summary: z.string().exactOptional(),
  severity: z.enum(severities).exactOptional(),
  status: z.enum(['firing', 'updated', 'resolved', 'ended']).exactOptional(),
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })).exactOptional(),
  table: z.strictObject({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) }).exactOptional(),
  chart: z
    .strictObject({
      title: z.string(),
      ...panelJson.shape,
      below: panelJson.exactOptional(),
      lanes: z.array(panelJson.extend({ name: z.string() })).exactOptional(),
      bands: z
        .array(z.strictObject({ name: z.string(), from: z.number(), to: z.number(), tone }))
        .exactOptional(),
      moments: z
        .array(z.strictObject({ name: z.string(), at: z.number(), tone: tone.exactOptional() }))
        .exactOptional(),
    })
    .exactOptional(),
  /** A file, to be saved under its name. */
  file: z.strictObject({ name: z.string(), text: z.string() }).exactOptional(),
  actions: z.array(z.strictObject({ label: z.string(), command: z.string() })).exactOptional(),
  /** Market time of the data. */
  dataTime: z.iso.datetime({ precision: 3 }).exactOptional(),
  source: z.string().exactOptional(),
  /** The IANA zone in which the texts write times. */
  timeZone: z.string().exactOptional(),
});
export type CardJson = z.output<typeof cardJson>;

/** Returns the card as plain JSON values that `cardJson` accepts. Values that are not finite numbers are left out. */
export function renderJson(card: Card<string>): CardJson {
  const { url, summary, severity, status, facts, table, chart, file, actions, dataTime, source, reader } =
    card;
  return {
    title: plainLine(card.title),
    ...(url !== undefined && { url }),
    ...(summary !== undefined && { summary: plainLines(summary).join('\n') }),
    ...(severity !== undefined && { severity }),
    ...(status !== undefined && { status }),
    ...(facts !== undefined && {
      facts: facts.map(({ name, value }) => ({
        name: plainLine(name),
        value: plainLines(value).join('\n'),
      })),
    }),
    ...(table !== undefined && {
      table: { columns: table.columns.map(plainLine), rows: table.rows.map((row) => row.map(plainLine)) },
    }),
    ...(chart !== undefined && { chart: renderChart(chart) }),
    ...(file !== undefined && { file: { name: plainLine(file.name), text: plainLine(file.text) } }),
    ...(actions !== undefined && {
      actions: actions.map(({ label, command }) => ({
        label: plainLine(label),
        command: plainLine(command),
      })),
    }),
    ...(dataTime !== undefined && isInstant(dataTime) && { dataTime: new Date(dataTime).toISOString() }),
    ...(source !== undefined && { source: plainLine(source) }),
    ...(reader !== undefined && { timeZone: reader.timeZone }),
  };
}

// Years 0 to 9999: outside them ISO 8601 needs a sign, which a `timestamp` of the contract does not have.
const isInstant = (ms: number): boolean => ms >= -62_167_219_200_000 && ms < 253_402_300_800_000;

function renderChart({
  title,
  below,
  lanes,
  bands,
  moments,
  ...panel
}: Chart<string>): NonNullable<CardJson['chart']> {
  return {
    title: plainLine(title),
    ...renderPanel(panel),
    ...(below !== undefined && { below: renderPanel(below) }),
    ...(lanes !== undefined && {
      lanes: lanes.map(({ name, ...panel }) => ({ ...renderPanel(panel), name: plainLine(name) })),
    }),
    ...(bands !== undefined && {
      bands: bands.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)).map(withPlainName),
    }),
    ...(moments !== undefined && {
      moments: moments.filter(({ at }) => Number.isFinite(at)).map(withPlainName),
    }),
  };
}

const renderPanel = ({ unit, series, marks }: Panel<string>): z.output<typeof panelJson> => ({
  unit: plainLine(unit),
  series: series.map(({ points, candles, ...rest }) => {
    const isKnown = (_: unknown, index: number) =>
      [...(points[index] ?? []), ...(candles?.[index] ?? [])].every(Number.isFinite);
    return {
      ...withPlainName(rest),
      points: points.filter(isKnown).map(([at, value]): [number, number] => [at, value]),
      ...(candles !== undefined && {
        candles: candles.filter(isKnown).map((candle): [number, number, number, number] => [...candle]),
      }),
    };
  }),
  ...(marks !== undefined && {
    marks: marks
      .filter(({ value, to = value }) => Number.isFinite(value) && Number.isFinite(to))
      .map(withPlainName),
  }),
});

const withPlainName = <Item extends { readonly name: string }>(item: Item): Item => ({
  ...item,
  name: plainLine(item.name),
});
