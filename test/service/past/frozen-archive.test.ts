import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { timeOf } from '#src/runtime/rows.ts';
import { day, hour } from '#src/runtime/units.ts';
import { oiRows } from '#src/service/analytics/oi-momentum.ts';
import type { Archive, ArchiveReader, TimeRange } from '#src/service/archive/archive.ts';
import { derived } from '#src/service/archive/derivation.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { frozenArchive } from '#src/service/past/frozen-archive.ts';
import { filledArchive, now, universe } from '../fixture.ts';

let archive: Archive;
beforeAll(async () => {
  archive = await filledArchive();
});
afterAll(() => archive.close());

const end = now - hour;
const time = fc.integer({ min: now - 50 * day, max: end });
const window = fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const series = fc.constantFrom(
  'candles1h' as const,
  'funding' as const,
  'openInterest' as const,
  'venueOpenInterest' as const,
);
const symbol = fc.constantFrom(
  ...universe,
  'NOPEUSDT',
  ...universe.map((each) => marketAt('hyperliquid', each)),
);
const count = fc.integer({ min: 1, max: 300 });

type Asked = (reader: ArchiveReader) => Promise<unknown>;
const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.tuple(series, symbol, window).map(
    ([name, of, within]): Asked =>
      (reader) =>
        reader.read(name, { symbol: of, window: within }),
  ),
  fc.tuple(series, symbol, window).map(
    ([name, of, within]): Asked =>
      (reader) =>
        reader.columns(name, { symbol: of, window: within }),
  ),
  fc.tuple(series, symbol, count, time).map(
    ([name, of, most, to]): Asked =>
      (reader) =>
        reader.last(name, { symbol: of, count: most, to }),
  ),
  fc.tuple(series, symbol, count, time).map(
    ([name, of, most, to]): Asked =>
      (reader) =>
        reader.columns(name, { symbol: of, count: most, to }),
  ),
  fc.tuple(series, time).map(
    ([name, to]): Asked =>
      (reader) =>
        reader.latest(name, to),
  ),
  fc.tuple(series, window).map(
    ([name, within]): Asked =>
      (reader) =>
        reader.readAll(name, within),
  ),
  window.map(
    (within): Asked =>
      (reader) =>
        reader.quality(within),
  ),
  window.map(
    (within): Asked =>
      (reader) =>
        reader.audits(within),
  ),
  fc.tuple(fc.option(symbol, { nil: undefined }), fc.option(time, { nil: undefined }), time, count).map(
    ([of, after, to, limit]): Asked =>
      (reader) =>
        reader.liquidations({
          ...(of === undefined ? {} : { symbol: of }),
          ...(after === undefined ? {} : { after }),
          to,
          limit,
        }),
  ),
);

it('responds as the archive does, for any requests in any order, also simultaneous ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 12 }), fc.boolean(), async (all, atOnce) => {
      const frozen = frozenArchive(archive, end);
      const right = await Promise.all(all.map((one) => one(archive)));
      const given: unknown[] = [];
      if (atOnce) given.push(...(await Promise.all(all.map((one) => one(frozen)))));
      else for (const one of all) given.push(await one(frozen));
      expect(given).toEqual(right);
    }),
    { numRuns: 40 },
  );
});

it('rows derived from a window equal those of the archive, with their times', async () => {
  const short = fc
    .tuple(time, fc.integer({ min: hour, max: 4 * day }))
    .map(([to, length]) => ({ from: to - length, to }));
  const ask = (reader: ArchiveReader, within: TimeRange) =>
    derived(reader, { ...within, name: 'openInterest', symbol: 'BTCUSDT', derivation: oiRows });
  await fc.assert(
    fc.asyncProperty(fc.array(short, { minLength: 1, maxLength: 5 }), async (windows) => {
      const frozen = frozenArchive(archive, end);
      const given: Awaited<ReturnType<typeof ask>>[] = [];
      for (const within of windows) given.push(await ask(frozen, within));
      for (const [index, within] of windows.entries()) {
        const rows = given[index] ?? [];
        expect(JSON.stringify(rows)).toBe(JSON.stringify(await ask(archive, within)));
        expect(rows.map(timeOf)).toEqual(rows.map(({ timestamp }) => Date.parse(timestamp)));
      }
    }),
    { numRuns: 20 },
  );
});
