import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { hour, iso } from '#src/runtime/units.ts';
import type { ClosedBar } from '#src/service/analytics/regime.ts';
import type { State } from '#test/bench/regime/score.ts';

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const stretch = z.object({ from: instant, values: z.array(z.number()) });
const state = z.enum(['RISK_ON', 'RISK_OFF', 'TRANSITION']) satisfies z.ZodType<State>;
const market = z
  .object({
    closes: z.array(stretch),
    funding: z.record(z.string(), z.array(stretch)),
    hindsight: z.object({ from: instant, runs: z.array(z.tuple([state, z.int()])) }),
  })
  .parse(
    JSON.parse(
      gunzipSync(readFileSync(join(import.meta.dirname, '../fixtures/market/market.json.gz'))).toString(),
    ),
  );

const timed = (stretches: readonly z.output<typeof stretch>[], step: number) =>
  stretches.flatMap(({ from, values }) => values.map((value, i) => ({ time: from + i * step, value })));

/** Bitcoin's hourly closes from October 2020 to December 2022, by open time; gaps as recorded. */
export const recordedBars = (): ClosedBar[] =>
  timed(market.closes, hour).map(({ time, value }) => ({ time, close: value }));

/** Settled funding rates of BTCUSDT and ETHUSDT from 2020 to 2022. */
export const recordedFunding = (symbol: string): { readonly time: number; readonly rate: number }[] =>
  timed(market.funding[symbol] ?? [], 8 * hour).map(({ time, value }) => ({ time, rate: value }));

/** The regime of each hour, as judged afterwards, by open time. */
export const recordedHindsight = (): Map<number, State> => {
  const { from, runs } = market.hindsight;
  const states = runs.flatMap(([state, hours]) => Array.from({ length: hours }, () => state));
  return new Map(states.map((state, i) => [from + i * hour, state]));
};

/**
 * Writes the closes and the funding as a folder of recordings; the caller removes it. Each hour opens at the close before, or
 * at its own close after a gap, and moves straight to its close; volume was not recorded and is 1.
 */
export async function recordedFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-recorded-'));
  const candles = recordedBars().map(({ time, close }, i, bars) => {
    const before = bars[i - 1];
    const open = before?.time === time - hour ? before.close : close;
    return [iso(time), open, Math.max(open, close), Math.min(open, close), close, 1].join();
  });
  const files: Record<string, string[]> = {
    'btcusdt_1h_closes.csv': ['open_time,open,high,low,close,volume', ...candles],
    ...Object.fromEntries(
      Object.keys(market.funding).map((symbol) => [
        `${symbol.toLowerCase()}_funding_8h_settled.csv`,
        ['timestamp,rate', ...recordedFunding(symbol).map(({ time, rate }) => `${iso(time)},${rate}`)],
      ]),
    ),
  };
  for (const [name, lines] of Object.entries(files)) await writeFile(join(dir, name), lines.join('\n'));
  return dir;
}
