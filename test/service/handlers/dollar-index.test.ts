import { expect, it } from 'vitest';
import { day } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { crossAssetAt, crossAssetHistory } from '#src/service/handlers/cross-asset.ts';
import type { HandlerContext } from '#src/service/handlers/handler.ts';

const now = Date.UTC(2026, 0, 10);

it.each([
  ['dxy', undefined],
  ['broad_dollar', 'BROAD'],
])('the dollar index stored as %s is served as dxy, with the name %s', async (symbol, dollarIndex) => {
  await using archive = await openedArchive();
  await archive.write('observations', [
    { symbol, time: now - 2 * day, value: 100 },
    { symbol, time: now - day, value: 101 },
  ]);
  const context = {
    archive,
    now,
    universe: [],
    feeds: async () => [],
    state: {
      source: 'live' as const,
      speed: 1,
      ready: true,
      backfill: 1,
      version: '0',
      sourceOf: () => 'live' as const,
    },
  } satisfies HandlerContext;
  expect(await crossAssetAt(context)).toMatchObject({ dxy: 101, ...(dollarIndex && { dollarIndex }) });
  const history = await crossAssetHistory.answer({ hours: 72 }, context);
  expect([history.data.at(-1)?.dxy, history.dollarIndex]).toEqual([101, dollarIndex]);
});

async function openedArchive() {
  const archive = await openArchive('file::memory:');
  return Object.assign(archive, { [Symbol.asyncDispose]: () => archive.close() });
}
