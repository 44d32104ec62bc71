import { expect, it, onTestFinished } from 'vitest';
import { day, minute, second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import options from '#src/service/collecting/collectors/options.ts';

const due = Date.UTC(2026, 0, 1);
const step = 15 * minute;

it('a row stays as it was read when it was due, although the process is started again', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  let openInterest = 100;
  const asked: string[] = [];
  const option = { expiry: due + 30 * day, strike: 60_000, impliedVolatility: 50 };
  const context = {
    exchanges: {
      deribit: {
        async chain(currency: string) {
          asked.push(currency);
          return [
            { ...option, kind: 'C', openInterest },
            { ...option, kind: 'P', openInterest },
          ];
        },
      },
    },
    archive,
    write: archive.write,
  } as unknown as CollectorContext;
  const collect = (now: number, since?: number) =>
    options.collect?.(context, { now, since, catchUp: async () => undefined });
  const stored = async () =>
    (await archive.last('options', { symbol: 'BTC', count: 9, to: due + step })).map((row) => [
      (row.time - due) / step,
      row.callOI,
    ]);

  await collect(due + 2 * second);
  openInterest = 110;
  await collect(due + 14 * minute);
  expect(await stored()).toEqual([[0, 100]]);
  expect(asked).toEqual(['BTC', 'ETH']);
  await collect(due + step + 2 * second, due + 14 * minute);
  expect(await stored()).toEqual([
    [0, 100],
    [1, 110],
  ]);
});
