import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { marketClock } from '#src/runtime/clock.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import { startExchanges } from '#src/service/simulator/exchanges.ts';
import { recordedMarket } from '#src/service/simulator/recorded.ts';
import { readRecording } from '#src/service/simulator/recording.ts';
import { describeWith, recordings } from '#test/support/needs.ts';

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
      'line 2: open: a number is expected',
    ],
    ['a negative price', [line(first, -5, 2)], 'line 2: open'],
    ['a time that is none', ['yesterday,1,2,1,2,3'], 'line 2: open_time'],
    [
      'a time within the hour',
      [line(first, 20, 21).replace(':00:00.', ':30:00.')],
      'line 2: open_time: a full hour',
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

  it('any text is read or refused with a ConfigError, never another error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), async (head, body) => {
        await put('btcusdt_1h_a.csv', fc.sample(fc.boolean(), 1)[0] ? header : head, body);
        const outcome = await readRecording(dir).catch((cause: unknown) => cause);
        expect(outcome instanceof ConfigError || typeof outcome === 'object').toBe(true);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ConfigError);
      }),
      { numRuns: 40 },
    );
  });

  it('a folder without candles, and one that is not there, say what to do', async () => {
    await expect(readRecording(dir)).rejects.toThrow('Put files named <symbol>_1h_*.csv there');
    await expect(readRecording(join(dir, 'nowhere'))).rejects.toThrow('Give a folder that exists');
  });
});

describe('recordedMarket', () => {
  it('keeps gaps, and spans what was recorded', async () => {
    await put('btcusdt_1h_a.csv', header, ...fourHours, line(first + 7, 110, 111));
    const market = await recordedMarket(dir, { seed: 7 });
    const times = market
      .candles('BTCUSDT', 0, Number.MAX_SAFE_INTEGER)
      .map(({ time }) => time / hour - first);
    expect(times).toEqual([0, 1, 2, 3, 7]);
    expect([market.earliest / hour - first, market.latest / hour - first]).toEqual([0, 8]);
    expect(market.price('BTCUSDT', (first + 5) * hour)).toBeGreaterThan(100);
  });

  it('a page across a gap is full', async () => {
    await put('btcusdt_1h_a.csv', header, ...fourHours, line(first + 7, 110, 111));
    const market = await recordedMarket(dir, { seed: 7 });
    const clock = marketClock({ now: () => 0 }, { market: market.latest + 90 * hour, wall: 0, speed: 1 });
    const exchanges = await startExchanges({ market, clock });
    const ask = async (rest: string): Promise<[number][]> => {
      const url = `${exchanges.urls.binance}/fapi/v1/klines?symbol=BTCUSDT&interval=1h&${rest}`;
      return (await fetch(url)).json() as Promise<[number][]>;
    };
    const hours = (rows: [number][]) => rows.map(([time]) => time / hour - first);
    expect(hours(await ask('startTime=0&limit=5'))).toEqual([0, 1, 2, 3, 7]);
    expect(hours(await ask('limit=3'))).toEqual([2, 3, 7]);
    await exchanges.close();
  });
});

describeWith('../shared/market-data', 'the shared recordings', () => {
  it('are played as they are; what was not recorded is made around them and called so', async () => {
    const market = await recordedMarket(recordings, { seed: 7 });
    expect(market.sources).toMatchObject({
      candles: 'recorded',
      funding: 'recorded',
      liquidations: 'simulated',
    });
    expect(market.sourceOf('candles', 'BTCUSDT')).toBe('recorded');
    expect(market.sourceOf('candles', 'ETHUSDT')).toBe('simulated');
    expect(market.sourceOf('funding', 'ETHUSDT')).toBe('recorded');

    const lines = (await readFile(join(recordings, 'btcusdt_1h_2020-10_2022-12.csv'), 'utf8'))
      .trim()
      .split('\n');
    const candles = market.candles('BTCUSDT', 0, market.latest);
    expect(candles).toHaveLength(19_547);
    for (const [index, { time, open, high, low, close, volume }] of candles.entries()) {
      const [at = '', ...numbers] = (lines[index + 1] ?? '').split(',');
      expect([time, open, high, low, close, volume]).toEqual([Date.parse(at), ...numbers.map(Number)]);
    }
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      const file = join(recordings, `${symbol.toLowerCase()}_funding_8h_2020_2022.csv`);
      const settlements = market.settlements(symbol, 0, market.latest).map(({ time, rate }) => [time, rate]);
      const rows = (await readFile(file, 'utf8')).trim().split('\n').slice(1);
      expect(settlements).toEqual(
        rows.map((row) => [Date.parse(row.split(',')[0] ?? ''), Number(row.split(',')[1])]),
      );
    }
    // Nobody recorded ETH's price: the made one follows Bitcoin's and stays in its neighbourhood.
    expect(market.candles('ETHUSDT', 0, market.latest).length).toBeGreaterThan(19_547);
  });
});
