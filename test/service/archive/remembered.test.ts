import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import type { Archive, SettledFunding } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { rememberedArchive } from '#src/service/archive/remembered.ts';

const times = fc.integer({ min: 0, max: 6 }).map((hours) => hours * hour);
const settlement: fc.Arbitrary<SettledFunding> = fc.record({
  symbol: fc.constantFrom('ADAUSDT', 'BTCUSDT', 'ETHUSDT'),
  time: times,
  rate: fc.integer({ min: -9, max: 9 }),
});
type Act = (archive: Archive) => Promise<unknown>;
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.array(settlement, { maxLength: 4 }).map(
    (rows): Act =>
      (archive) =>
        archive.write('funding', rows),
  ),
  times.map(
    (to): Act =>
      (archive) =>
        archive.latest('funding', to),
  ),
  fc.tuple(times, times).map(
    ([from, to]): Act =>
      (archive) =>
        archive.readAll('funding', { from, to }),
  ),
);

it('a remembered archive answers as the one that it remembers, also while it is written', async () => {
  const acts = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(acts, times, times, async (steps, from, to) => {
      const plain = await openArchive('file::memory:');
      const remembered = rememberedArchive(plain);
      for (const together of steps) {
        await Promise.all(together.map((each) => each(remembered)));
        expect(await remembered.latest('funding', to)).toEqual(await plain.latest('funding', to));
        const window = { from, to };
        expect(await remembered.readAll('funding', window)).toEqual(await plain.readAll('funding', window));
      }
      await plain.close();
    }),
    { numRuns: 60 },
  );
});

it('a write that fails in part, and old rows deleted, are not hidden by what is remembered', async () => {
  const plain = await openArchive('file::memory:');
  const remembered = rememberedArchive({
    ...plain,
    async write(name, rows) {
      await plain.write(name, rows.slice(0, 1));
      throw new Error('the disk is full');
    },
  });
  await plain.write('funding', [{ symbol: 'BTCUSDT', time: hour, rate: 1 }]);
  await remembered.latest('funding', 9 * hour);
  await remembered.readAll('funding', { from: 0, to: 9 * hour });
  const rows = [2, 3].map((rate) => ({ symbol: 'BTCUSDT', time: rate * hour, rate }));
  await expect(remembered.write('funding', rows)).rejects.toThrow('the disk is full');
  expect(await remembered.latest('funding', 9 * hour)).toEqual(rows.slice(0, 1));
  expect(await remembered.readAll('funding', { from: 0, to: 9 * hour })).toHaveLength(2);

  await remembered.prune(10_000 * 24 * hour);
  expect(await remembered.latest('funding', 9 * hour)).toEqual([]);
  expect(await remembered.readAll('funding', { from: 0, to: 9 * hour })).toEqual([]);
  await plain.close();
});
