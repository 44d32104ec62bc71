import pino from 'pino';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { startService } from '#src/service/run/service.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import { none, report } from '../measuring/figures.ts';

const followed = 100;

/** Every listed market is asked about, of a live data service over stand-in exchanges that enforce their limits. */
export async function listed(): Promise<void> {
  const market = { ...syntheticMarket({ seed: 7 }), outages: () => [] };
  const refused: string[] = [];
  const exchanges = await startExchanges({ market, clock: realTime(wallClock), limited: true });
  const startedAt = performance.now();
  const service = await startService({
    market: { kind: 'live', urls: { ...exchanges.urls, fred: exchanges.urls.deribit }, venue: 'binance' },
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    symbols: followed,
    archiveUrl: 'file::memory:',
    limits: { window: minute, anonymous: 1_000_000, key: 1_000_000 },
    log: pino({ level: 'warn' }, { write: (line) => void (/429|418/.test(line) && refused.push(line)) }),
  });
  const ask = async <Name extends EndpointName>(name: Name, query: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}${contract[name].path}?${new URLSearchParams(query)}`);
    return response.ok
      ? (contract[name].answer.parse(await response.json()) as EndpointAnswer<Name>)
      : undefined;
  };
  const count = market.instruments.length;
  let priced = 0;
  while (priced < count && performance.now() - startedAt < minute) {
    priced = (await ask('prices'))?.count ?? 0;
    await wallClock.sleep(second / 10);
  }
  const pricedAfter = performance.now() - startedAt;
  await service.ready;
  const readyAfter = performance.now() - startedAt;

  const times = { fetched: [] as number[], bulk: [] as number[] };
  let answered = 0;
  for (const { symbol } of market.instruments.slice(followed)) {
    const before = performance.now();
    const coin = await ask('intelligence', { symbol });
    const took = performance.now() - before;
    times[(coin?.candles24h.length ?? 0) > 0 ? 'fetched' : 'bulk'].push(took);
    const [funding, oi] = [await ask('fundingHistory', { symbol }), await ask('oi', { symbol })];
    if (coin !== undefined && (funding?.data.length ?? 0) > 0 && (oi?.data.length ?? 0) > 0) answered += 1;
  }
  const p95 = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0;
  report(`market: ${count} listed, ${followed} followed, at stand-in exchanges`, [
    {
      name: 'every listed price, after the start',
      value: pricedAfter,
      unit: 'ms',
      bound: { most: 10 * second },
    },
    { name: 'ready, after the start', value: readyAfter, unit: 'ms' },
    {
      name: 'not followed markets that answer coin, funding and oi',
      value: answered / (count - followed),
      unit: '',
      bound: { least: 1 },
    },
    { name: 'fetched for who asked', value: times.fetched.length, unit: 'markets' },
    { name: 'p95 of those', value: p95(times.fetched), unit: 'ms', bound: { most: 1.5 * second } },
    { name: 'p95 from bulk', value: p95(times.bulk), unit: 'ms', bound: { most: 400 } },
    none('refused by an exchange', refused.length),
  ]);
  await service.close();
  await exchanges.close();
}
