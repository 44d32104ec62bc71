import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wallClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day } from '#src/runtime/units.ts';
import { type MacroChoice, openMacro } from '#src/service/exchanges/open-macro.ts';
import { readMacro } from '#src/service/run/market-choice.ts';

const key = 'abcdef0123456789abcdef0123456789';
const to = Date.UTC(2026, 0, 8);
const span = { from: to - 7 * day, to };

const open = async (choice: MacroChoice, fred = 'http://127.0.0.1:1') => {
  const { signal } = new AbortController();
  const macro = await openMacro(choice, { wall: wallClock, signal, urls: { fred } });
  onTestFinished(async () => macro.close?.());
  return macro;
};

async function fred(answer: RequestListener) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://fred'));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, macro: await open({ kind: 'fred', key }, url) };
}

describe('FRED', () => {
  const rows = [
    { realtime_start: '2026-01-08', date: '2026-01-05', value: '6902.05' },
    { realtime_start: '2026-01-08', date: '2026-01-06', value: '.' },
    { realtime_start: '2026-01-08', date: '2026-01-07', value: '6944.82' },
    { realtime_start: '2026-01-08', date: '2026-01-08', value: '1' },
  ];

  it('a close becomes known when its day is over; holidays have none; nothing later than asked', async () => {
    const { macro, asked } = await fred((_, response) =>
      response.end(JSON.stringify({ observations: rows })),
    );
    expect(await macro.read('sp500', span)).toEqual([
      { symbol: 'sp500', time: Date.UTC(2026, 0, 6), value: 6902.05 },
      { symbol: 'sp500', time: Date.UTC(2026, 0, 8), value: 6944.82 },
    ]);
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      series_id: 'SP500',
      api_key: key,
      file_type: 'json',
      observation_start: '2025-12-31',
      observation_end: '2026-01-08',
    });
  });

  it('a broad dollar becomes known when its week has been published, even after a holiday', async () => {
    const dates = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08', '2026-01-09', '2026-01-12'];
    const { macro, asked } = await fred((_, response) =>
      response.end(JSON.stringify({ observations: dates.map((date) => ({ date, value: '121.5' })) })),
    );
    // The week from the 5th is published on Monday the 12th, or on the 13th after a holiday.
    const published = { from: Date.UTC(2026, 0, 13), to: Date.UTC(2026, 0, 21) };
    const known = (await macro.read('broad_dollar', published)).map(({ time }) => time);
    expect(known).toEqual([14, 15, 16, 17, 18, 21].map((date) => Date.UTC(2026, 0, date)));
    expect(asked[0]?.searchParams.get('observation_start')).toBe('2026-01-04');
  });

  it('gold, which FRED no longer publishes, is none of its series', async () => {
    expect((await open({ kind: 'fred', key })).series).toEqual(['sp500', 'broad_dollar', 'vix']);
  });

  it.each<[string, number, string, RegExp]>([
    [
      'a wrong key says where it is set',
      400,
      '{"error_code":400,"error_message":"Bad key"}',
      /TOCSIN_FRED_KEY/,
    ],
    ['HTML', 200, '<html>', /HTML/],
    ['a changed type', 200, '{"observations":[{"date":"2026-01-05","value":7}]}', /observations\.0\.value/],
    ['an outage', 503, '', /HTTP 503/],
  ])('%s: one clear error without the key', async (_, status, body, message) => {
    const { macro } = await fred((_request, response) => response.writeHead(status).end(body));
    const error = await macro.read('vix', span).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ApiError', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain(key);
  });
});

describe('a folder of CSV files', () => {
  it('has the series of its files, under either name; other files are ignored', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tocsin-macro-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await expect(open({ kind: 'csv', dir })).rejects.toMatchObject({ name: 'ConfigError' });
    await writeFile(join(dir, 'vix-daily.csv'), 'DATE,OPEN,CLOSE\n01/07/2026,14,15.5\n');
    await writeFile(join(dir, 'gold.csv'), 'observation_date,GOLD\n2026-01-06,4400\n');
    await writeFile(join(dir, 'notes.csv'), 'x\n');
    const macro = await open({ kind: 'csv', dir });
    expect(macro.series.toSorted()).toEqual(['gold', 'vix']);
    expect(await macro.read('vix', span)).toEqual([{ symbol: 'vix', time: to, value: 15.5 }]);
  });

  it('a missing folder is a configuration error', async () => {
    await expect(open({ kind: 'csv', dir: '/nowhere' })).rejects.toThrow(/\/nowhere cannot be read/);
  });
});

describe('data.embedded.macro', () => {
  it.each([
    ['none', null, undefined],
    ['csv:data/macro', null, { kind: 'csv', dir: 'data/macro' }],
    ['fred', new Secret(key), { kind: 'fred', key }],
  ])('%s', (text, secret, expected) => expect(readMacro(text, secret)).toEqual(expected));

  it('fred without a key says where to get and set one', () => {
    expect(() => readMacro('fred', null)).toThrow(/fred\.stlouisfed\.org.*TOCSIN_FRED_KEY/);
  });
});
