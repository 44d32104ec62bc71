import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '#src/runtime/errors.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { readRecording } from '#src/service/simulation/read-recording.ts';
import { recordedMarket } from '#src/service/simulation/recorded-market.ts';
import binance from '#src/service/venues/binance/venue.ts';
import { simulatedExchanges } from '#src/service/venues/simulated.ts';
import { recordedBars, recordedFolder, recordedFunding } from '#test/support/recorded-market.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tocsin-recording-'));
});
afterEach(() => rm(dir, { recursive: true }));

const put = (name: string, ...lines: string[]) => writeFile(join(dir, name), `${lines.join('\n')}\n`);
const header = 'open_time,open,high,low,close,volume';
const line = (at: number, open: number, close: number) =>
  [
    new Date(at * hour).toISOString(),
    open,
    Math.max(open, close) + 1,
    Math.min(open, close) - 1,
    close,
    5,
  ].join();
const first = Date.parse('2021-03-01T00:00:00.000Z') / hour;
const fourHours = [0, 1, 2, 3].map((at) => line(first + at, 100 + at, 101 + at));

describe('readRecording', () => {
  it('joins files of a symbol, the later name wins where they overlap', async () => {
    await put('btcusdt_1h_a.csv', header, ...fourHours);
    await put('btcusdt_1h_b.csv', header, line(first + 3, 500, 501), line(first + 4, 501, 502));
    await put('ethusdt_funding_8h_2021.csv', 'timestamp,rate', '2021-03-01T00:00:00.000Z,-0.0003');
    await put('vix-daily.csv', 'DATE,OPEN', 'nonsense');
    const { candles, funding } = await readRecording(dir);
    expect(candles.get('BTCUSDT')?.map(({ open }) => open)).toEqual([100, 101, 102, 500, 501]);
    expect(funding).toEqual(
      new Map([['ETHUSDT', [{ symbol: 'ETHUSDT', time: first * hour, rate: -0.0003 }]]]),
    );
  });

  it.each([
    [
      'a price that is no number',
      [line(first, 20, 21).replace(',20,', ',x,')],
      'line 2: open: must be a number',
    ],
    ['a negative price', [line(first, -5, 2)], 'line 2: open'],
    ['a time that is none', ['yesterday,1,2,1,2,3'], 'line 2: open_time'],
    [
      'a time within the hour',
      [line(first, 20, 21).replace(':00:00.', ':30:00.')],
      'line 2: open_time: must be a full hour',
    ],
    [
      'a high below the close',
      [line(first, 20, 21).replace(',22,', ',20.5,')],
      'line 2: high must be the highest',
    ],
    ['too few columns', [line(first, 20, 21), '2021-03-01T01:00:00.000Z,1,2'], 'line 3: low'],
    ['times out of order', [line(first + 1, 20, 21), line(first, 20, 21)], 'line 3: its time is not after'],
    ['a time twice', [line(first, 20, 21), line(first, 20, 21)], 'line 3: its time is not after'],
    ['no rows', [], 'holds no rows'],
  ])('%s is a ConfigError naming file and line', async (_, lines, message) => {
    await put('btcusdt_1h_a.csv', header, ...lines);
    const error = await readRecording(dir).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('btcusdt_1h_a.csv');
    expect(String(error)).toContain(message);
  });

  it('reads any text or refuses it with a ConfigError, and with no other error', async () => {
    // Columns of a row that may be valid, and other text.
    const cell = fc.oneof(
      fc.constantFrom('1', '5e-3', '-1', '', iso(first * hour)),
      fc.string({ maxLength: 9 }),
    );
    const lines = fc.oneof(
      fc.constant(fourHours.join('\n')),
      fc.array(cell, { minLength: 1, maxLength: 7 }).map((cells) => cells.join()),
      fc.string({ maxLength: 80 }),
    );
    const seen = { read: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(header), fc.string({ maxLength: 80 })),
        lines,
        async (head, body) => {
          await put('btcusdt_1h_a.csv', head, body);
          try {
            const { candles } = await readRecording(dir);
            for (const { open, high, low, close } of candles.get('BTCUSDT') ?? []) {
              expect(Math.min(open, close)).toBeGreaterThanOrEqual(low);
              expect(Math.max(open, close)).toBeLessThanOrEqual(high);
              expect(low).toBeGreaterThan(0);
            }
            expect(candles.get('BTCUSDT')?.length).toBeGreaterThan(0);
            seen.read++;
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
            expect(String(error)).toContain('btcusdt_1h_a.csv');
            seen.refused++;
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(seen.read).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });

  it('says what to do if the folder is missing or has no candles', async () => {
    await expect(readRecording(dir)).rejects.toThrow('Put files named <symbol>_1h_*.csv there');
    await expect(readRecording(join(dir, 'nowhere'))).rejects.toThrow('Give a folder that exists');
  });
});

describe('recordedMarket', () => {
  it('keeps gaps, and spans what was recorded', async () => {
    await put('btcusdt_1h_a.csv', header, ...fourHours, line(first + 7, 110, 111));
    const market = await recordedMarket(dir, { seed: 7 });
    const times = market
      .candles('BTCUSDT', { from: 0, to: Number.MAX_SAFE_INTEGER })
      .map(({ time }) => time / hour - first);
    expect(times).toEqual([0, 1, 2, 3, 7]);
    expect([market.earliest / hour - first, market.latest / hour - first]).toEqual([0, 8]);
    expect(market.price('BTCUSDT', (first + 5) * hour)).toBeGreaterThan(100);
  });

  it('a page that crosses a gap has the candles on both sides of it', async () => {
    await put('btcusdt_1h_a.csv', header, ...fourHours, line(first + 7, 110, 111));
    const market = await recordedMarket(dir, { seed: 7 });
    const { signal } = new AbortController();
    const clock = { now: () => market.latest + 90 * hour };
    const { markets } = simulatedExchanges(binance, { market, clock, signal });
    const page = { from: 0, to: clock.now() };
    const candles = (await markets.candles?.('BTCUSDT', { interval: '1h', page })) ?? [];
    expect(candles.map(({ time }) => time / hour - first)).toEqual([0, 1, 2, 3, 7]);
  });
});

describe('the recorded years', () => {
  it('are played unchanged; what was not recorded is synthesized to match, and its source says so', async () => {
    const folder = await recordedFolder();
    onTestFinished(() => rm(folder, { recursive: true }));
    const market = await recordedMarket(folder, { seed: 7 });
    expect(market.sources).toMatchObject({
      candles: 'recorded',
      funding: 'recorded',
      liquidations: 'simulated',
    });
    expect(market.sourceOf('candles', 'BTCUSDT')).toBe('recorded');
    expect(market.sourceOf('candles', 'ETHUSDT')).toBe('simulated');
    expect(market.sourceOf('funding', 'ETHUSDT')).toBe('recorded');

    const candles = market.candles('BTCUSDT', { from: 0, to: market.latest });
    expect(candles).toHaveLength(19_547);
    expect(candles.map(({ time, close }) => ({ time, close }))).toEqual(recordedBars());
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      const settlements = market.settlements(symbol, { from: 0, to: market.latest });
      expect(settlements.map(({ time, rate }) => ({ time, rate }))).toEqual(recordedFunding(symbol));
      expect(settlements).toHaveLength(3_288);
    }
    // ETH's price was not recorded: the synthetic one follows Bitcoin's and stays close to it.
    expect(market.candles('ETHUSDT', { from: 0, to: market.latest }).length).toBeGreaterThan(candles.length);
  });
});
