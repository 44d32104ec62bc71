import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { day } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { type MarketChoice, natureOf, openUpstream } from '#src/service/run/upstream.ts';
import { type MarketCheckpoint, marketVersion } from '#src/service/simulation/market.ts';

const from = Date.parse('2023-02-20T00:00:00.000Z');
const choice: MarketChoice = { kind: 'simulated', seed: 7, symbols: 30, from };
const key = 'market-checkpoint';

let archive: Archive;
beforeEach(async () => {
  archive = await openArchive('file::memory:');
});
afterEach(() => archive.close());

/** Opens a simulated market over the archive. `resumed` has the checkpoints that the market was given. */
async function open() {
  const nature = await natureOf(choice);
  if (nature.generated === undefined) throw new TypeError('a simulated market is generated');
  const { market, start } = nature.generated;
  const resumed: MarketCheckpoint[] = [];
  const watched = {
    ...market,
    resume(checkpoint: MarketCheckpoint) {
      resumed.push(checkpoint);
      market.resume(checkpoint);
    },
  };
  const { signal } = new AbortController();
  const clocks = { wall: wallClock, steady: steadyClock };
  const upstream = await openUpstream(choice, {
    ...{ nature: { ...nature, generated: { market: watched, start } }, archive, speed: 240, signal },
    ...clocks,
  });
  const price = () => market.price('SOLUSDT', from + day);
  return { upstream, resumed, price };
}

describe('a simulated market that is opened again', () => {
  it('resumes where it was closed, with the same prices', async () => {
    const first = await open();
    expect(first.resumed).toEqual([]);
    const before = first.price();
    first.upstream.run();
    await first.upstream.close();

    const second = await open();
    expect(second.resumed).toHaveLength(1);
    expect(Object.keys(second.resumed[0] ?? {})).toHaveLength(30);
    expect(second.price()).toBe(before);
    await second.upstream.close();
  });

  it('resumes where it began to run, if it was killed', async () => {
    const first = await open();
    first.upstream.run();
    await expect.poll(() => archive.get(key)).toBeDefined();
    const second = await open();
    expect(second.resumed).toHaveLength(1);
    await Promise.all([first.upstream.close(), second.upstream.close()]);
  });

  it.each([
    ['of an unknown form', { BTCUSDT: [1, 2, 3] }],
    [
      'lacking numbers',
      { version: marketVersion, states: { BTCUSDT: { first: 0, states: [{ log: null }] } } },
    ],
    ['of another version of the market', { version: 0, states: {} }],
    ['a text', 'checkpoint'],
  ])('computes its hours anew where the checkpoint is %s', async (_, stored) => {
    const first = await open();
    const before = first.price();
    await first.upstream.close();
    await archive.put(key, stored);
    const second = await open();
    expect(second.resumed).toEqual([]);
    expect(second.price()).toBe(before);
    await second.upstream.close();
  });

  // If this price changes, hours are computed differently than before: raise `marketVersion`.
  it('has the prices of its version', async () => {
    const { price, upstream } = await open();
    expect([marketVersion, price()]).toEqual([1, 78.5462]);
    await upstream.close();
  });
});
