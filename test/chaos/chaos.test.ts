import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

/** Outcomes by seed: each seed runs once, also if several tests look at its outcome. */
const outcomes = new Map<number, ReturnType<typeof runChaos>>();
const outcomeOf = (seed: number) => {
  const known = outcomes.get(seed) ?? runChaos(seed);
  outcomes.set(seed, known);
  return known;
};

/** Seeds that together draw each kind of fault, each number of processes and both changes of the clocks. */
const seeds = [1, 2, 3, 4, 6, 7, 8, 9, 12, 1145, 1312];

// Each seed has its own test, because all of them together take minutes on a slow machine. `npm run bench -- chaos` draws hundreds.
it.each(seeds)(
  'nothing is lost or doubled without need, and the final state is right, whatever fails: seed %i',
  async (seed) => {
    const { wrong, arrivals, alerts } = await outcomeOf(seed);
    expect(wrong).toEqual([]);
    expect(arrivals).toBeGreaterThan(alerts);
  },
);

it('a seed replays exactly', async () => {
  expect(await runChaos(4)).toEqual(await outcomeOf(4));
});
