import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { startService } from '#src/service/run/service.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

it('a new collector responds from the other’s data until an exchange has answered it', async () => {
  let fault: Fault | undefined;
  const played = await startExchanges({ market, clock: realTime(wallClock), fault: () => fault });
  onTestFinished(() => played.close());
  const { urls } = played;
  const archiveUrl = await (await startPostgres()).fresh();
  const logged: string[] = [];
  const start = async () => {
    const service = await startService({
      market: { kind: 'live', urls: { ...urls, fred: urls.deribit }, venue: 'binance' },
      ...{ archiveUrl, speed: 1, host: '127.0.0.1', port: 0, symbols: 2 },
      log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
    });
    onTestFinished(() => service.close());
    await service.ready;
    return service;
  };
  const first = await start();
  const second = await start();
  fault = { kind: 'hang' };
  onTestFinished(() => {
    fault = undefined;
  });
  await first.close();
  await expect.poll(() => logged).toContain('took this role over from another process');
  const status = async ({ path }: { readonly path: string }) => (await fetch(second.url + path)).status;
  const { regime, regimeHistory, meta } = contract;
  expect(await Promise.all([regime, regimeHistory, meta].map(status))).toEqual([200, 200, 200]);
});
