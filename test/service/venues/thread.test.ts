import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import venue from '#src/service/venues/binance/venue.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import { openThreadedExchanges } from '#src/service/venues/thread.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

const to = Date.UTC(2025, 5, 3, 10);
const page = { from: to - 48 * hour, to };

async function play(fault: (path: string) => Fault | undefined = () => undefined) {
  const workers: Worker[] = [];
  const remember = (worker: Worker) => void workers.push(worker);
  process.on('worker', remember);
  const ending = new AbortController();
  const exchanges = await startExchanges({ market, clock: realTime({ now: () => to }), fault });
  const threaded = await openThreadedExchanges(exchanges.urls, { venue, signal: ending.signal });
  const here = openExchanges(exchanges.urls, { venue, wall: wallClock, signal: ending.signal });
  onTestFinished(async () => {
    process.off('worker', remember);
    await Promise.all([threaded.close(), here.close()]);
    await exchanges.close();
  });
  return { threaded, here, workers, ending };
}

describe('clients in a thread of their own', () => {
  it('return the same rows as clients in this thread', async () => {
    const { threaded, here } = await play();
    expect(threaded.streams).toEqual(here.streams);
    const [there, ours] = await Promise.all(
      [threaded, here].map(({ markets, deribit }) =>
        Promise.all([
          markets.candles?.('BTCUSDT', { interval: '1h', page }),
          markets.marks?.(['BTCUSDT', 'ETHUSDT'], to),
          deribit.chain('ETH'),
        ]),
      ),
    );
    expect(there).toEqual(ours);
    expect(there?.[0]?.length).toBeGreaterThan(40);
  });

  it('fail with the same error', async () => {
    const faults: Record<string, Fault> = {
      '/fapi/v1/klines': { kind: 'rewrite', rewrite: (body) => body.replaceAll('"', '') },
      '/fng/': { kind: 'answer', status: 429, headers: { 'retry-after': '7' } },
    };
    const { threaded, here } = await play((path) => faults[path]);
    const failure = (markets: typeof here.markets) =>
      Promise.resolve(markets.candles?.('BTCUSDT', { interval: '1h', page })).catch(
        (error: unknown) => error,
      );
    const [there, ours] = [await failure(threaded.markets), await failure(here.markets)];
    expect(there).toEqual(ours);
    expect(there).toMatchObject({ name: 'ApiError', reason: 'malformed', field: expect.any(String) });
    await expect(threaded.fearGreed.index(3)).rejects.toMatchObject({
      reason: 'rate_limited',
      retryAfter: expect.any(Number),
    });
  });

  it('a thread that dies is an unreachable upstream, and is started again by the next call', async () => {
    const { threaded, workers } = await play((path) => (path === '/fng/' ? { kind: 'hang' } : undefined));
    const hanging = threaded.fearGreed.index(3).catch((error: unknown) => error);
    await threaded.markets.serverTime();
    await workers[0]?.terminate();
    expect(await hanging).toMatchObject({ name: 'ApiError', reason: 'unreachable' });
    expect(await threaded.markets.serverTime()).toBe(to);
    expect(workers).toHaveLength(2);
  });

  it('stopping ends hanging calls with the signal’s own reason, and sends nothing more', async () => {
    const { threaded, ending } = await play((path) => (path === '/fng/' ? { kind: 'hang' } : undefined));
    const hanging = threaded.fearGreed.index(3).catch((error: unknown) => error);
    await threaded.markets.serverTime();
    ending.abort(new Error('enough'));
    expect(await hanging).toMatchObject({ message: 'enough' });
    await expect(threaded.markets.serverTime()).rejects.toThrow('enough');
  });
});
