import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const seeds = Array.from({ length: 25 }, (_, n) => n + 1);

it('whatever fails, nothing is lost, nothing is doubled that its platform can tell, and all comes to the same end', async () => {
  const wrong: string[] = [];
  for (const seed of seeds) {
    const outcome = await runChaos(seed);
    wrong.push(...outcome.wrong.map((text) => `seed ${seed}: ${text}`));
    expect(outcome.arrivals).toBeGreaterThan(outcome.alerts);
  }
  expect(wrong).toEqual([]);
});

it('a seed replays exactly', async () => {
  expect(await runChaos(4)).toEqual(await runChaos(4));
});
