import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { marketClock, realTime, wallClock } from '#src/runtime/clock.ts';
import { day, second } from '#src/runtime/units.ts';
import { checkLive, type LiveSource, streamsAmong } from '#src/service/venues/live-check.ts';
import { loadVenues } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { begin, run } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';
import { liveSettings } from '#test/support/venues/live-settings.ts';

/** Venues in which two market minutes pass in a second, so that there soon is something to hear. */
async function playedVenues(fault: (path: string) => Fault | undefined = () => undefined) {
  const now = wallClock.now();
  const clock = marketClock(wallClock, { market: now, wall: now, speed: 120 });
  const played = await startExchanges({ market, clock, limited: true, fault });
  onTestFinished(() => played.close());
  return played;
}

type Row = LiveSource['rows'][number] & { readonly state: string };
interface Report {
  readonly interrupted: boolean;
  readonly throughProxy: boolean;
  readonly sources: readonly (Omit<LiveSource, 'rows'> & { readonly rows: readonly Row[] })[];
}

/** A folder with the settings of a market at these addresses, and what to give the command line there. */
async function configured({ urls }: Awaited<ReturnType<typeof playedVenues>>, listen: number) {
  const folder = await ownFolder();
  const live = liveSettings(urls);
  await writeFile(join(folder, 'live.yaml'), JSON.stringify({ data: { embedded: { live } } }));
  const file = join(folder, 'report.json');
  return {
    folder,
    file,
    words: ['check', 'live', '--listen', String(listen), '--report', file],
    env: { TOCSIN_CONFIG: 'live.yaml' },
    async read() {
      const text = await readFile(file, 'utf8');
      return { text, report: JSON.parse(text) as Report };
    },
  };
}

/** What is not well: the source and path, its state, and the problems found. */
const troubles = ({ sources }: Report) =>
  sources.flatMap(({ title, rows }) =>
    rows.flatMap(({ what, state, findings }) =>
      state === 'ok'
        ? []
        : [`${title} ${what}: ${state}: ${findings.map(({ problem }) => problem).join('; ')}`],
    ),
  );

const rewriting = (from: string | RegExp, to: string): Fault => ({
  kind: 'rewrite',
  rewrite: (body) => body.replaceAll(from, to),
});
const answering = (status: number, body: string): Fault => ({ kind: 'answer', status, body });

/** Each fault, and what is said of it. */
const faults: readonly (readonly [path: string, fault: Fault, trouble: string | RegExp])[] = [
  [
    '/fapi/v1/premiumIndex',
    rewriting('"lastFundingRate"', '"lastRate"'),
    'Binance USD-M /fapi/v1/premiumIndex: problem: the field "0.lastFundingRate" is missing',
  ],
  [
    '/fapi/v1/ticker/bookTicker',
    rewriting(/"symbol":"BTCUSDT","bidPrice":"[^"]*"/g, '"symbol":"BTCUSDT","bidPrice":null'),
    /^Binance USD-M \/fapi\/v1\/ticker\/bookTicker: problem: 1 of 20 rows are left out: the field "\d+\.bidPrice" is null, not string$/,
  ],
  [
    '/futures/data/openInterestHist',
    rewriting(/"sumOpenInterest":"([^"]*)"/g, '"sumOpenInterest":$1'),
    'Binance USD-M /futures/data/openInterestHist: problem: the field "0.sumOpenInterest" is number, not string',
  ],
  [
    '/fapi/v1/exchangeInfo',
    rewriting(/("symbol":"ETHUSDT".*?"status":)"TRADING"/g, '$1"HALTED"'),
    'Binance USD-M /fapi/v1/exchangeInfo: problem: the field "status" has labels that are not known: HALTED',
  ],
  [
    '/market/ws/!forceOrder@arr',
    rewriting(/"S":"(?:BUY|SELL)"/g, '"S":"HOLD"'),
    /^Binance USD-M stream of liquidations: no answer: the field "0\.o\.S" is not as promised: Invalid option: expected one of "BUY"\|"SELL"$/,
  ],
  [
    '/bybit/v5/market/account-ratio',
    rewriting(/"list":\[.*?\]/g, '"list":[]'),
    'Bybit /v5/market/account-ratio: problem: it answered without a row that can be used',
  ],
  [
    '/bybit/v5/market/funding/history',
    answering(503, 'Service Unavailable'),
    'Bybit /v5/market/funding/history: problem: HTTP 503',
  ],
  [
    '/bybit/v5/market/open-interest',
    answering(404, 'not found'),
    'Bybit /v5/market/open-interest: problem: HTTP 404: the path is gone',
  ],
  [
    '/bybit/v5/public/linear',
    answering(451, ''),
    'Bybit stream of liquidations: no answer: the stream refuses this address',
  ],
  [
    '/bybit/v5/public/linear',
    answering(451, ''),
    'Bybit stream of ticks: no answer: the stream refuses this address',
  ],
  [
    '/okx/api/v5/market/index-tickers',
    answering(200, '<html>Sign in</html>'),
    'OKX /api/v5/market/index-tickers: problem: answered HTML: is the address right, is a proxy in between?',
  ],
  [
    '/okx/api/v5/public/open-interest',
    answering(429, '{"msg":"Too Many Requests from 203.0.113.77","code":"50011"}'),
    'OKX /api/v5/public/open-interest: problem: HTTP 429 (Too Many Requests from [address]): too many requests; nothing is asked for 60 s',
  ],
  [
    '/okx/api/v5/market/candles',
    { kind: 'reset' },
    'OKX /api/v5/market/candles: no answer: the connection was cut off',
  ],
  [
    '/okx/ws/v5/public',
    { kind: 'hang' },
    'OKX stream of liquidations: no answer: connected, but no event came in 3 s',
  ],
  [
    '/okx/ws/v5/public',
    { kind: 'hang' },
    'OKX stream of ticks: no answer: connected, but no event came in 3 s',
  ],
  [
    '/hyperliquid/ws',
    rewriting('"bbo":[', '"bbo":["'),
    'Hyperliquid stream of quotes: no answer: a message is not JSON',
  ],
  [
    '/api/v2/public/get_book_summary_by_currency',
    rewriting('"open_interest"', '"openInterest"'),
    'Deribit /api/v2/public/get_book_summary_by_currency: problem: the field "result.0.open_interest" is missing',
  ],
  [
    '/stablecoincharts/all',
    rewriting(/^.*$/g, '{"status":"moved"}'),
    'DefiLlama (stablecoins) /stablecoincharts/all: problem: the answer is object, not array',
  ],
];

describe('npm run check -- live', () => {
  it('is content where all is as documented, asks every path, hears every stream, and stays within the limits', async () => {
    const { folder, words, env, file, read } = await configured(await playedVenues(), 3);
    const { code, out, err } = await run(folder, words, env);
    const { report } = await read();
    expect({ troubles: troubles(report), code, err }).toEqual({ troubles: [], code: 0, err: '' });
    const venues = await loadVenues();
    for (const { title, paths, pools, roles } of venues) {
      const source = report.sources.find((each) => each.title === title);
      const streams = [...streamsAmong(roles).keys()].map((name) => `stream of ${name}`);
      expect(source?.rows.map(({ what }) => what)).toEqual([...paths, ...streams]);
      expect(source?.spent.map(({ pool }) => pool)).toEqual(pools.map(({ name }) => name));
      for (const { spent, limit } of source?.spent ?? []) {
        expect(spent).toBeGreaterThan(0);
        expect(spent).toBeLessThanOrEqual(0.6 * limit);
      }
    }
    expect(report.sources.map(({ title }) => title)).toEqual([
      ...venues.map(({ title }) => title),
      'Deribit',
      'alternative.me (fear and greed)',
      'DefiLlama (stablecoins)',
    ]);
    expect(out).toMatch(/ok +\/fapi\/v1\/premiumIndex +2 answers, \d+ ms, weight 10\n/);
    expect(out).toMatch(/ok +stream of liquidations +\d+ events, first after \d+ ms\n/);
    // Candles of an hour and of a day; those of gold where it is listed.
    expect(out).toMatch(/ok +\/fapi\/v1\/klines +2 answers/);
    expect(out).toMatch(/spent: weight \d+ of 2400 in 60 s/);
    expect(out).toContain(file);
  });

  it('names each difference, each with its remedy, and no secret', async () => {
    const faulty = new Map(faults.map(([path, fault]) => [path, fault]));
    const { folder, words, env, read } = await configured(await playedVenues((path) => faulty.get(path)), 3);
    const { code, out } = await run(folder, words, { ...env, TOCSIN_FRED_KEY: 'a-key-that-is-secret' });
    const { report, text } = await read();
    expect(code).toBe(1);
    const expected = [
      ...faults.map(([, , trouble]) => trouble),
      'FRED /fred/series/observations: no answer: nothing accepts the connection',
      // Its value is told by the mark, for which it was asked in vain.
      'Binance USD-M /fapi/v1/openInterest: not asked: ',
    ];
    const told = troubles(report);
    const isTold = (trouble: string | RegExp) =>
      told.some((each) => (typeof trouble === 'string' ? each === trouble : trouble.test(each)));
    expect(expected.filter((trouble) => !isTold(trouble))).toEqual([]);
    expect(told).toHaveLength(expected.length);
    for (const { findings } of report.sources.flatMap(({ rows }) => rows))
      for (const { problem, remedy } of findings) {
        expect(remedy).toMatch(/\w+ \w+/);
        expect(out).toContain(`${problem}\n`);
        expect(out).toContain(`→ ${remedy}\n`);
      }
    expect(text).not.toMatch(/203\.0\.113\.77|a-key-that-is-secret|127\.0\.0\.1/);
    expect(text).not.toContain(folder);
  });

  it('does without the venues that refuse this address or cannot be reached, and asks them no further', async () => {
    const asked: string[] = [];
    const refusals: Readonly<Record<string, Fault>> = {
      fapi: answering(451, '{"code":0,"msg":"Service unavailable from a restricted location"}'),
      bybit: answering(
        403,
        '<html>The Amazon CloudFront distribution is configured to block access from your country.</html>',
      ),
      okx: { kind: 'reset' },
    };
    const played = await playedVenues((path) => {
      const [, root = ''] = path.split('/');
      if (refusals[root] !== undefined && !path.includes('/ws/') && !path.includes('/public/linear'))
        asked.push(path);
      return path.includes('/v5/public/linear') || path.includes('/ws/') ? undefined : refusals[root];
    });
    const { folder, words, env, read } = await configured(played, 3);
    const { code } = await run(folder, words, env);
    const { report } = await read();
    expect(code).toBe(1);
    expect(asked.filter((path) => path.startsWith('/fapi') || path.startsWith('/bybit'))).toEqual([
      '/fapi/v1/time',
      '/bybit/v5/market/time',
    ]);
    expect(asked.filter((path) => path.startsWith('/okx')).length).toBeLessThanOrEqual(3);
    const told = troubles(report);
    expect(told).toContainEqual(
      expect.stringMatching(
        /^Binance USD-M \/fapi\/v1\/time: problem: HTTP 451 \(Service unavailable from a restricted location\): the exchange does not serve this country/,
      ),
    );
    expect(told).toContain('Binance USD-M /fapi/v1/klines: not asked: ');
    expect(told).toContainEqual(expect.stringMatching(/^Bybit \/v5\/market\/time: problem: HTTP 451/));
    expect(told).toContain('OKX /api/v5/public/time: no answer: the connection was cut off');
    expect(told.filter((each) => /^(?:Hyperliquid|Deribit)/.test(each))).toEqual([]);
  });

  it('ends with what it has when it is interrupted, whatever hangs', async () => {
    const hung = Promise.withResolvers<void>();
    const played = await playedVenues((path) => {
      if (path !== '/bybit/v5/market/tickers') return undefined;
      hung.resolve();
      return { kind: 'hang' };
    });
    const { folder, words, env, read } = await configured(played, 600);
    const child = await begin(folder, words, env, /Asking/);
    await hung.promise;
    await child.kill('SIGINT');
    const { report } = await read();
    expect(child.exitCode()).toBe(1);
    expect(report.interrupted).toBe(true);
    expect(troubles(report)).toContain('Bybit /v5/market/tickers: not asked: ');
    expect(report.sources.find(({ title }) => title === 'Bybit')?.rows[0]).toMatchObject({
      what: '/v5/market/time',
      state: 'ok',
    });
  });

  it('is content while the exchanges process the funding of a moment ago', async () => {
    const midnight = Math.floor(wallClock.now() / day) * day;
    const wall = { ...wallClock, now: () => midnight + second };
    const played = await startExchanges({ market, clock: realTime(wall) });
    onTestFinished(() => played.close());
    const urls = { ...played.urls, fred: played.urls.deribit };
    const { signal } = new AbortController();
    const given = { urls, fredKey: null, listen: 0, wall, random: () => 0, signal };
    const sources = await checkLive({ ...given, venues: await loadVenues() });
    const paths = sources.flatMap(({ rows }) => rows).filter(({ what }) => what.startsWith('/'));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter(({ findings }) => findings.length > 0)).toEqual([]);
  });

  it('hides the proxy’s address, user and password', async () => {
    const { folder, words, env, read } = await configured(await playedVenues(), 1);
    const proxy = 'http://trader:correct-horse@127.0.0.1:1';
    const { code, out } = await run(folder, words, { ...env, TOCSIN_PROXY: proxy });
    const { report, text } = await read();
    expect(code).toBe(1);
    expect(report.throughProxy).toBe(true);
    expect(troubles(report)).toContain(
      'Deribit /api/v2/public/get_book_summary_by_currency: no answer: nothing accepts the connection',
    );
    expect(out + text).not.toMatch(/trader|correct-horse|127\.0\.0\.1/);
  });

  it('says of a slow answer how long it took', async () => {
    let late = 0;
    const { urls } = await playedVenues((path) => {
      if (path === '/fng/') late = 6 * second;
      return undefined;
    });
    const wall = { ...wallClock, now: () => wallClock.now() + late };
    const { signal } = new AbortController();
    const sources = await checkLive({
      ...{ venues: [], fredKey: null, listen: 0, wall, random: () => 0, signal },
      urls: { ...urls, fred: urls.deribit },
    });
    const [row] = sources.find(({ title }) => title.startsWith('alternative.me'))?.rows ?? [];
    expect(row?.findings).toEqual([
      {
        problem: expect.stringMatching(/^it took (?:[6-9]|\d\d)\.\d s$/),
        remedy: expect.stringMatching(/check the network or the proxy/),
      },
    ]);
  });
});
