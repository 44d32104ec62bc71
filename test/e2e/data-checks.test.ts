import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { calmMarket } from '#test/support/calm-market.ts';
import { begin } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { patience } from '#test/support/patience.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';
import { liveSettings } from '#test/support/venues/live-settings.ts';

/** Prices stand still, so that at any time of day a value differs only because of a fault. */
const market = {
  ...calmMarket,
  mark: (symbol: string, time: number) => ({ ...calmMarket.mark(symbol, Date.UTC(2026, 0, 1)), time }),
};

/** Starts a service over a simulated exchange on loopback that can be given faults, checked every second. */
async function serve(fault: (path: string) => Fault | undefined) {
  const folder = await ownFolder();
  const played = await startExchanges({ market, clock: realTime(wallClock), fault });
  onTestFinished(() => played.close());
  const live = liveSettings(played.urls);
  const embedded = { market: 'live', symbols: 2, live, checks: { every: '1s', symbols: 2 } };
  const file = join(folder, 'live.yaml');
  // On a busy machine the test asks for longer than the limit of one address allows.
  const limits = { anonymous: 100_000 };
  const data = { venue: 'binance', venues: ['hyperliquid'], embedded };
  await writeFile(file, JSON.stringify({ data, serve: { limits } }));
  const words = ['serve', '--market', 'live', '--port', '0', '--symbols', '2'];
  const env = {
    TOCSIN_CONFIG: file,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
  };
  const service = await begin(folder, words, env, /The data service is on (\S+)\n/);
  onTestFinished(() => service.kill());
  await service.until(/It is ready/);
  const url = /The data service is on (\S+)\n/.exec(service.written())?.[1] ?? '';
  const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json();
  return {
    audit: async () => contract.dataChecks.answer.parse(await get('/data/checks')),
    quality: async () => contract.dataQuality.answer.parse(await get('/data/quality')),
    written: service.written,
  };
}

/** Rewrites the closes of the mark price as an exchange with other prices would have them. */
const elsewhere = (body: string): string =>
  JSON.stringify((JSON.parse(body) as unknown[][]).map((row) => row.with(4, String(Number(row[4]) * 1.05))));

it(
  'published values match the exchange; quality degrades while they differ; a refused request counts as a miss',
  async () => {
    let fault: (path: string) => Fault | undefined = () => undefined;
    const { audit, quality, written } = await serve((path) => fault(path));
    const soon = { interval: 300, timeout: patience };
    // Running funding cannot be compared in the five minutes after a settlement, nor before the first rate has been received.
    const atAnyTime = ({ value }: { readonly value: string }) => value !== 'running_funding';
    const checks = async () =>
      (await audit()).values
        .filter((each) => each.role === 'PRIMARY' && atAnyTime(each))
        .map(({ checks: count }) => count >= 4);
    await expect.poll(checks, soon).toEqual(Array(5).fill(true));
    const { misses, source, ...all } = await audit();
    const [values, worst] = [all.values.filter(atAnyTime), all.worst.filter(atAnyTime)];
    expect({ source, worst }).toEqual({ source: 'live', worst: [] });
    expect(values.map(({ value, venue, share }) => `${value} ${venue} ${share}`).toSorted()).toEqual([
      'funding Binance USD-M 1',
      'funding Hyperliquid undefined',
      'liquidations Hyperliquid undefined',
      'liquidations rows received 1',
      'mark Binance USD-M 1',
      'mark Hyperliquid 1',
      'open_interest Binance USD-M 1',
      'open_interest Hyperliquid undefined',
      'volume_24h Binance USD-M 1',
      'volume_24h Hyperliquid undefined',
    ]);
    expect(misses.filter(atAnyTime)).toMatchObject([
      { value: 'liquidations', venue: 'Hyperliquid', reason: 'CANNOT_BE_ASKED' },
    ]);
    expect(await quality()).toMatchObject({ status: 'HEALTHY', score: 100 });

    fault = (path) =>
      path.endsWith('/markPriceKlines') ? { kind: 'rewrite', rewrite: elsewhere } : undefined;
    const status = async () => (await quality()).status;
    await expect.poll(status, soon).toBe('DEGRADED');
    const { drifts, checks: feeds } = await quality();
    expect(drifts).toMatchObject([{ value: 'mark', venue: 'Binance USD-M', checks: 4 }]);
    expect(drifts?.[0]?.reason).toMatch(
      /^mark differs from Binance USD-M: \d of the last 4 checks .* -4\.\d+ % /,
    );
    expect(feeds).toMatchObject({ candles: { fresh: true }, oi_history: { fresh: true } });

    fault = () => undefined;
    await expect.poll(status, soon).toBe('HEALTHY');

    fault = (path) => (path.startsWith('/fapi/') ? { kind: 'answer', status: 429 } : undefined);
    const refused = async () =>
      (await audit()).misses
        .filter(({ venue, reason }) => venue === 'Binance USD-M' && reason === 'REFUSED')
        .map(({ value }) => value)
        .toSorted();
    await expect.poll(refused, soon).toEqual(['funding', 'mark', 'running_funding', 'volume_24h']);
    expect((await quality()).status).toBe('HEALTHY');
    expect(written()).not.toMatch(/"level":50|error/i);
  },
  3 * patience,
);
