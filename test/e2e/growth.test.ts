import { expect, it } from 'vitest';
import { measureGrowth, trend } from '#test/bench/growth/measure.ts';

it('nothing grows while a simulated day goes by at 3,600 ×, neither in the bot nor in a thread of its data service', async () => {
  const { heaps, hours } = await measureGrowth({ hours: 20, every: 1, speed: 3_600, symbols: 5 });
  expect(hours).toBeGreaterThanOrEqual(20);
  for (const [thread, values] of heaps) {
    const { rise, noise } = trend(values);
    expect(
      rise,
      `${thread}: ${values.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')} MB`,
    ).toBeLessThanOrEqual(noise);
  }
}, 120_000);
