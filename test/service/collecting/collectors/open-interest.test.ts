import { expect, it, onTestFinished } from 'vitest';
import { minute, second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import openInterest from '#src/service/collecting/collectors/open-interest.ts';

const due = Date.UTC(2026, 0, 1);
const step = 5 * minute;

it('a snapshot of the present stays as it was read when it was due, although the process is started again', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  let contracts = 100;
  const context = {
    exchanges: {
      venue: { roles: { openInterest: {} } },
      markets: {
        openInterest: async ([symbol = '']: readonly string[], time: number) => [
          { symbol, time, contracts, valueUsd: contracts },
        ],
      },
    },
    archive,
    symbols: () => ['BTCUSDT'],
    listed: () => new Map(),
    learn() {},
    write: archive.write,
  } as unknown as CollectorContext;
  const collect = (now: number, since?: number) =>
    openInterest.collect?.(context, { now, since, catchUp: async () => undefined });
  const stored = async () =>
    (await archive.last('openInterest', { symbol: 'BTCUSDT', count: 9, to: due + step })).map((row) => [
      (row.time - due) / step,
      row.contracts,
    ]);

  await collect(due + 2 * second);
  contracts = 110;
  await collect(due + 4 * minute);
  expect(await stored()).toEqual([[0, 100]]);
  await collect(due + step + 2 * second, due + 4 * minute);
  expect(await stored()).toEqual([
    [0, 100],
    [1, 110],
  ]);
});

it('markets that are not followed are read every quarter of an hour, and at once where nothing is known of them', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  const asked: (readonly string[])[] = [];
  const known = new Map<string, object>();
  const context = {
    exchanges: {
      venue: { roles: { openInterest: {} } },
      markets: {
        async openInterest(symbols: readonly string[], time: number) {
          asked.push(symbols);
          return symbols.map((symbol) => ({ symbol, time, contracts: 1, valueUsd: 1 }));
        },
      },
    },
    archive,
    symbols: () => ['BTCUSDT'],
    listed: () => new Map([...known, ['BTCUSDT', {}]]),
    learn: ({ interest }: { readonly interest: readonly { readonly symbol: string }[] }) => {
      for (const row of interest) known.set(row.symbol, { interest: row });
    },
    write: archive.write,
  } as unknown as CollectorContext;
  known.set('OLDUSDT', {});
  for (let at = due; at < due + 30 * minute; at += step) {
    if (at === due + 2 * step) known.set('NEWUSDT', {});
    await openInterest.collect?.(context, { now: at, since: at - step, catchUp: async () => undefined });
  }
  const all = ['BTCUSDT', 'NEWUSDT', 'OLDUSDT'];
  expect(asked.map((symbols) => symbols.toSorted())).toEqual([
    ['BTCUSDT', 'OLDUSDT'],
    ['BTCUSDT'],
    ['BTCUSDT', 'NEWUSDT'],
    all,
    ['BTCUSDT'],
    ['BTCUSDT'],
  ]);
});
