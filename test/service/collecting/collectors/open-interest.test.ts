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
