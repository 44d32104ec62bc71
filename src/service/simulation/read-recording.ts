import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../runtime/errors.ts';
import { hour } from '../../runtime/units.ts';
import type { Candle, SettledFunding } from '../archive/archive.ts';
import { keyOf, normal } from './random.ts';

interface RecordedMarket {
  /** Candles by symbol, joined from all files, ascending by open time. Gaps in the recording remain. */
  readonly candles: Map<string, Candle[]>;
  readonly funding: Map<string, SettledFunding[]>;
}

const candleFile = /^([\p{L}\p{N}]+usdt)_1h_.*\.csv$/u;
const fundingFile = /^([\p{L}\p{N}]+usdt)_funding_8h_.*\.csv$/u;

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const number = z
  .string()
  .regex(/^-?\d+(\.\d+)?(e-?\d+)?$/i, 'must be a number')
  .transform(Number);
const positive = number.pipe(z.number().positive());
const candleRow = z
  .object({
    open_time: instant.refine((time) => time % hour === 0, 'must be a full hour'),
    open: positive,
    high: positive,
    low: positive,
    close: positive,
    volume: number.pipe(z.number().min(0)),
  })
  .refine(
    ({ open, high, low, close }) => high >= Math.max(open, close, low) && low <= Math.min(open, close),
    'high must be the highest and low the lowest of the four prices',
  )
  .transform(({ open_time: time, ...row }) => ({ time, ...row }));
const settlementRow = z
  .object({ timestamp: instant, rate: number })
  .transform(({ timestamp: time, rate }) => ({ time, rate }));

const remedy = 'Correct or remove the line, or restore the file from its source.';

/** Reads the rows of one file, which must be ascending. @throws ConfigError naming the file and, for a bad row, the line */
async function readRows<Row extends { readonly time: number }>(
  file: string,
  schema: z.ZodType<Row>,
): Promise<Row[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new ConfigError([`${file}: it cannot be read. Check its permissions.`], { cause });
  });
  const lines = text.split(/\r?\n/);
  const header = (lines[0] ?? '').replace(/^\uFEFF/, '').split(',');
  const rows: Row[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue;
    const values = line.split(',');
    const parsed = schema.safeParse(Object.fromEntries(header.map((name, column) => [name, values[column]])));
    const place = `${file}, line ${index + 1}`;
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'not a row' };
      throw new ConfigError([`${place}: ${[path.join('.'), message].filter(Boolean).join(': ')}. ${remedy}`]);
    }
    const { time } = parsed.data;
    if (time <= last) {
      throw new ConfigError([
        `${place}: its time is not after the previous line’s. Sort the file and remove duplicates.`,
      ]);
    }
    last = time;
    rows.push(parsed.data);
  }
  if (rows.length === 0) {
    throw new ConfigError([`${file}: it holds no rows below its header. Remove it or restore it.`]);
  }
  return rows;
}

/** Merges the rows of a file into those of its symbol by time. Where files overlap, the row of the later file name is kept. */
function merge<Row extends Candle | SettledFunding>(all: Map<string, Row[]>, added: readonly Row[]): void {
  const { symbol } = added[0] ?? { symbol: '' };
  const rows = new Map([...(all.get(symbol) ?? []), ...added].map((row) => [row.time, row]));
  all.set(
    symbol,
    [...rows.values()].sort((a, b) => a.time - b.time),
  );
}

/** Adds the taker volume and the quote volume, which recordings lack. Both are estimates; the takers' share is generated. */
const completeCandle = (
  symbol: string,
  { seed, time, open, high, low, close, volume }: { readonly seed: number } & z.output<typeof candleRow>,
): Candle => {
  const push = high > low ? (close - open) / (high - low) : 0;
  const share = 0.5 + 0.04 * push + 0.012 * Math.tanh(normal(keyOf(seed, symbol), time / hour, 41));
  const takerBuy = Math.round(volume * share * 1e8) / 1e8;
  const quoteVolume = Math.round(volume * ((open + high + low + close) / 4) * 100) / 100;
  return { symbol, time, open, high, low, close, volume, takerBuy, quoteVolume };
};

/**
 * Reads `<symbol>_1h_*.csv` (open_time,open,high,low,close,volume) and `<symbol>_funding_8h_*.csv`
 * (timestamp,rate), USDT pairs, ISO times in UTC. Other files are ignored.
 * @throws ConfigError naming file, line and remedy
 */
export async function readRecording(
  dir: string,
  { seed = 7 }: { readonly seed?: number } = {},
): Promise<RecordedMarket> {
  const names = await readdir(dir).catch((cause: unknown) => {
    throw new ConfigError(
      [`${dir}: the recordings cannot be listed. Give a folder that exists and is readable.`],
      { cause },
    );
  });
  const recording: RecordedMarket = { candles: new Map(), funding: new Map() };
  for (const name of names.sort()) {
    const file = join(dir, name);
    const candles = candleFile.exec(name)?.[1]?.toUpperCase();
    if (candles !== undefined) {
      const rows = await readRows(file, candleRow);
      merge(
        recording.candles,
        rows.map((row) => completeCandle(candles, { ...row, seed })),
      );
    }
    const symbol = fundingFile.exec(name)?.[1]?.toUpperCase();
    if (symbol !== undefined) {
      const rows = await readRows(file, settlementRow);
      merge(
        recording.funding,
        rows.map((row) => ({ symbol, ...row })),
      );
    }
  }
  if (recording.candles.size === 0) {
    throw new ConfigError([
      `${dir}: it holds no hourly candles. Put files named <symbol>_1h_*.csv there, e.g. btcusdt_1h_2021.csv.`,
    ]);
  }
  return recording;
}
