import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WallClock } from '#src/runtime/clock.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { claimArchive } from '#src/service/archive/owner.ts';
import { openMarketTime } from '#src/service/run/market-time.ts';

const start = Date.parse('2025-06-01T00:00:00.000Z');
const speed = 240;

let archive: Archive;
beforeEach(async () => {
  archive = await openArchive('file::memory:');
});
afterEach(() => archive.close());

/** A wall clock that the test moves; `tick` lets the keeper wake. */
function handClock() {
  let at = 0;
  let wake: () => void = () => {};
  const wall: WallClock = {
    now: () => at,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) reject(signal.reason);
        wake = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const tick = async (ms: number) => {
    at += ms;
    wake();
    await archive.get('market-time');
    await new Promise(setImmediate);
  };
  return { wall, tick };
}

/** Starts market time as during the loading of the past. */
const begin = async () => {
  const { wall, tick } = handClock();
  const time = await openMarketTime(archive, { start, speed, steady: wall, wall });
  return { ...time, tick };
};
const run = async () => {
  const time = await begin();
  time.run();
  return time;
};

describe('market time', () => {
  it('begins at the start, runs at its speed, and continues where it was stopped', async () => {
    const first = await run();
    expect(first.clock.now()).toBe(start);
    await first.tick(10_000);
    expect(first.clock.now()).toBe(start + 10_000 * speed);
    await first.close();
    const second = await run();
    expect(second.clock.now()).toBe(start + 10_000 * speed);
    await second.close();
  });

  it('runs at wall speed while the past is loaded, and then at its own speed', async () => {
    const { clock, run, pace, tick, close } = await begin();
    expect(pace()).toBe(1);
    await tick(10_000);
    expect(clock.now()).toBe(start + 10_000);
    run();
    expect(pace()).toBe(speed);
    await tick(1_000);
    expect(clock.now()).toBe(start + 10_000 + 1_000 * speed);
    await close();
  });

  it('tells waiters the shortest possible wait while the past is loaded, as it may speed up at once', async () => {
    const { clock, close } = await begin();
    expect(clock.wallUntil(start + 60_000)).toBe(60_000 / speed);
    await close();
  });

  it('never runs backwards after a kill, and skips at most two wall seconds', async () => {
    for (const life of [0, 300, 999, 1000, 1700, 2999]) {
      const killed = await run();
      const began = killed.clock.now();
      for (let passed = 0; passed + 1000 <= life; passed += 1000) await killed.tick(1000);
      await killed.tick(life % 1000);
      const last = killed.clock.now();
      expect(last).toBe(began + life * speed);
      const next = await run();
      expect(next.clock.now()).toBeGreaterThanOrEqual(last);
      expect(next.clock.now()).toBeLessThanOrEqual(last + 2000 * speed);
      await next.close();
    }
  });
});

describe('an archive belongs to one market', () => {
  it('accepts the same market again, and refuses another one with the remedy', async () => {
    await claimArchive(archive, 'simulated (seed 7)');
    await claimArchive(archive, 'simulated (seed 7)');
    await expect(claimArchive(archive, 'live')).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(
        /holds the simulated \(seed 7\) market, not the live one.*TOCSIN_ARCHIVE_URL/,
      ),
    });
  });
});
