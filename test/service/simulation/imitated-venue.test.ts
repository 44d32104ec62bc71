import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { differenceOf } from '#src/service/simulation/imitated-venue.ts';

const begin = Date.UTC(2026, 0, 1);
const hours = Array.from({ length: 24 * 60 }, (_, at) => begin + at * hour);

it('a venue’s rate is mostly near the others, and sometimes far from them for a while', () => {
  const bases = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'LTC'];
  const rates = bases.flatMap((base) => hours.map((time) => differenceOf('okx', { base, time }).rate));
  const far = rates.filter((rate) => Math.abs(rate) > 0.0003).length / rates.length;
  expect(far).toBeGreaterThan(0.002);
  expect(far).toBeLessThan(0.1);
  // Steps within an hour are small: nothing jumps.
  const steps = hours.map((time) =>
    Math.abs(
      differenceOf('okx', { base: 'BTC', time: time + hour }).rate -
        differenceOf('okx', { base: 'BTC', time }).rate,
    ),
  );
  expect(Math.max(...steps)).toBeLessThan(0.0003);
});
