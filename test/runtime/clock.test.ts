import fc from 'fast-check';
import { expect, it } from 'vitest';
import { marketClock, wallClock } from '#src/runtime/clock.ts';

const wallTime = fc.integer({ min: 0, max: 2 ** 42 });

it('market time is whole milliseconds and never runs backwards, for any speed and anchor', () => {
  const anchor = fc.record({
    market: wallTime,
    wall: wallTime.map((ms) => ms / 2),
    speed: fc.double({ min: 0.001, max: 3_600, noNaN: true }),
  });
  fc.assert(
    fc.property(anchor, wallTime, fc.nat(1_000), (given, wall, later) => {
      const at = (now: number) => marketClock({ now: () => now }, given).now();
      expect(Number.isInteger(at(wall))).toBe(true);
      expect(at(wall + later)).toBeGreaterThanOrEqual(at(wall));
    }),
  );
});

it('a sleep that is cut short rejects with the reason of its signal', async () => {
  const reason = new Error('woken');
  await expect(wallClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const cut = new AbortController();
  const sleep = wallClock.sleep(3_600_000, cut.signal);
  cut.abort(reason);
  await expect(sleep).rejects.toBe(reason);
  await expect(wallClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
});
