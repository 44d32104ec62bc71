import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive, ArchiveReader } from '#src/service/archive/archive.ts';
import { frozenArchive } from '#src/service/archive/frozen.ts';
import { filledArchive, now, universe } from '../fixture.ts';

let archive: Archive;
beforeAll(async () => {
  archive = await filledArchive();
});
afterAll(() => archive.close());

const end = now - hour;
const time = fc.integer({ min: now - 50 * day, max: end });
const window = fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const series = fc.constantFrom('candles1h' as const, 'funding' as const, 'openInterest' as const);
const symbol = fc.constantFrom(...universe, 'NOPEUSDT');
const count = fc.integer({ min: 1, max: 300 });

type Asked = (reader: ArchiveReader) => Promise<unknown>;
const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.tuple(series, symbol, window).map(
    ([name, of, within]): Asked =>
      (reader) =>
        reader.read(name, of, within),
  ),
  fc.tuple(series, symbol, count, time).map(
    ([name, of, most, to]): Asked =>
      (reader) =>
        reader.last(name, of, most, to),
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
        reader.regimes(within),
  ),
  window.map(
    (within): Asked =>
      (reader) =>
        reader.quality(within),
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

it('answers as the archive does, whatever is asked in whatever order, also at once', async () => {
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

it('says that a window passed on exactly when other rows are in it', async () => {
  const frozen = frozenArchive(archive, end);
  for (let at = now - 3 * day; at < end; at += 50 * minute) {
    const [here, there] = [at, at + 50 * minute].map((to) => ({ from: to - day + 1, to }));
    if (here === undefined || there === undefined) continue;
    const same = (await frozen.passed('funding', here)) === (await frozen.passed('funding', there));
    const rows = async (within: typeof here) => JSON.stringify(await archive.readAll('funding', within));
    expect(same).toBe((await rows(here)) === (await rows(there)));
  }
});

it('a window that moves on holds the same rows where as many have passed, whatever was read before or between', async () => {
  await fc.assert(
    fc.asyncProperty(
      series,
      fc.integer({ min: hour, max: 30 * day }),
      fc.array(time, { maxLength: 6 }),
      async (name, length, ends) => {
        const frozen = frozenArchive(archive, end);
        const seen = new Map<number, unknown>();
        for (const to of ends) {
          const within = { from: to - length, to };
          const rows = await archive.readAll(name, within);
          const passed = await frozen.passed(name, within);
          expect(seen.get(passed) ?? rows).toEqual(rows);
          seen.set(passed, rows);
        }
      },
    ),
    { numRuns: 60 },
  );
});
