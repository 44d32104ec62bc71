import { expect, it } from 'vitest';
import { minute, second } from '#src/runtime/units.ts';
import { recover } from './recovery.ts';

/** A run that is done after so many s of its own, with so much of a processor. */
const after = (seconds: number, share: number) => {
  let wall = 0;
  const own = () => wall * share;
  return recover({
    left: async () => (own() >= seconds * second ? 0 : 1),
    own,
    wall: () => wall,
    pass: async () => {
      wall += second;
    },
    allowed: minute,
    patience: 10 * minute,
  });
};

it.each([
  ['in time', 30, 1, 'recovered'],
  ['in time by its own clock, on a machine that gives it a tenth of a core', 30, 0.1, 'recovered'],
  ['after more than it is allowed', 90, 1, 'late'],
  ['never, though it has had the time', Infinity, 1, 'stuck'],
  ['never, with half of a core', Infinity, 0.5, 'stuck'],
  ['nobody knows when: the machine gives it nothing', 30, 0.001, 'starved'],
] as const)('a run recovers %s', async (_, seconds, share, how) => {
  expect(await after(seconds, share)).toMatchObject({ how });
});
