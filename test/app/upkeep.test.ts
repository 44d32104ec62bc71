import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '#src/app/config/config.ts';
import { keepHeartbeat, keepJoined, keepPruned } from '#src/app/upkeep.ts';
import type { Meta } from '#src/client/meta.ts';
import { realTime } from '#src/runtime/clock.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { fakeClock } from '#test/support/clock.ts';

function fixture() {
  const wall = fakeClock(100 * day);
  const pruned: number[] = [];
  const beats: [at: number, downAfter: number][] = [];
  const joined: number[] = [];
  const store = {
    chain: { join: async () => void joined.push(wall.now() - 100 * day) },
    market: { bound: async () => ({}) },
    prune: async ({ now }: { readonly now: number }) => void pruned.push(now - 100 * day),
    heartbeat: async (at: { readonly wall: number }, downAfter: number) => {
      beats.push([at.wall - 100 * day, downAfter]);
      return false;
    },
  } as unknown as Store;
  const meta = { market: () => realTime(wall) } as unknown as Meta;
  const config = { delivery: { keep: day }, data: { budget: { window: minute } } } as Config;
  const upkeep = { config, store, meta, wall, log: pino({ enabled: false }) };
  return { wall, pruned, beats, joined, upkeep };
}

it('nothing is deleted in the first ten minutes, in which a clock may be set right, and then once an hour', async () => {
  const { wall, pruned, upkeep } = fixture();
  const loop = keepPruned(upkeep);
  onTestFinished(() => loop.stop());
  await wall.advance(10 * minute - 1);
  expect(pruned).toEqual([]);
  await wall.advance(61 * minute);
  expect(pruned).toEqual([10 * minute, 70 * minute]);
});

it('the bot notes four times a minute that it runs, and counts as down after four missed notes', async () => {
  const { wall, beats, upkeep } = fixture();
  const loop = keepHeartbeat(upkeep);
  onTestFinished(() => loop.stop());
  await wall.advance(30 * second);
  expect(beats).toEqual([0, 15, 30].map((at) => [at * second, minute]));
});

it('the record joins the chain at a start and every ten minutes', async () => {
  const { wall, joined, upkeep } = fixture();
  const loop = keepJoined(upkeep);
  onTestFinished(() => loop.stop());
  await wall.advance(20 * minute);
  expect(joined).toEqual([0, 10 * minute, 20 * minute]);
});
