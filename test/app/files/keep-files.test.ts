import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { PlaceFiles } from '#src/app/config/place-files.ts';
import { keepFiles } from '#src/app/files/keep-files.ts';
import web from '#src/platforms/web/platform.ts';
import { second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { commandContext } from '#test/support/commands.ts';
import { patience } from '#test/support/patience.ts';

const files = (text: string): PlaceFiles => ({ texts: { 'team.yaml': text }, flaws: [], variables: {} });
const alert = (level: number) => files(`- at: web:main\n  alerts: [BTC > ${level}]\n`);

async function setUp(given: PlaceFiles | null) {
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  const wall = fakeClock();
  let universe: readonly string[] = [];
  const lines: { readonly msg: string; readonly problem?: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const flaws: number[] = [];
  const kept = await keepFiles(given, {
    store,
    roles: { leases: store.leases, wall, steady: wall, log },
    onFlaws: (count) => void flaws.push(count),
    kinds: commandContext().kinds,
    platforms: [web],
    addresses: { shown: (receiver) => receiver },
    universe: () => universe,
    now: () => start,
    wall,
    log,
  });
  onTestFinished(() => kept.stop());
  const there = async () => (await store.files.held([])).rules.map(({ condition }) => condition);
  const said = (msg: RegExp) =>
    vi.waitFor(
      async () => {
        await wall.advance(second);
        expect(lines.at(-1)?.msg).toMatch(msg);
      },
      { timeout: patience, interval: 1 },
    );
  const know = () => {
    universe = ['BTCUSDT'];
  };
  return { store, kept, lines, flaws, there, said, know };
}

it('are applied once the markets are known, and again when they change', async () => {
  const { kept, know, lines, said, there } = await setUp(alert(1));
  expect(await there()).toEqual([]);
  know();
  await said(/are applied/);
  lines.length = 0;
  kept.take(alert(2));
  await said(/are applied/);
  expect(await there()).toEqual(['price.last > 2']);
});

it('change nothing if they are wrong, which is logged in one line and counted for monitoring', async () => {
  const { kept, know, lines, flaws, said, there } = await setUp(alert(1));
  know();
  await said(/are applied/);
  kept.take(files('- at: web:main\n  alerts: [BTC > 2, BTX > 3, BTY > 4]\n'));
  await said(/is wrong; everything stays/);
  expect(lines).toMatchObject([
    {},
    { problem: expect.stringMatching(/^team\.yaml:2:21: "BTX" is not understood here/), more: 1 },
  ]);
  expect(flaws).toEqual([0, 2]);
  expect(await there()).toEqual(['price.last > 1']);
  await kept.stop();
  expect(flaws.at(-1)).toBe(0);
});

it('leave everything to the places when there are no files any more', async () => {
  const { kept, know, said, store, there } = await setUp(alert(1));
  know();
  await said(/are applied/);
  kept.take(null);
  await said(/the chats’ own/);
  expect(await there()).toEqual([]);
  expect(await store.rules.of({ notifier: 'web', address: { room: 'main' } })).toHaveLength(1);
});
