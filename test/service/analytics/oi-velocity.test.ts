import { expect, it } from 'vitest';
import { hour, minute } from '#src/runtime/units.ts';
import { oiVelocity, velocityLead } from '#src/service/analytics/oi-velocity.ts';

const start = Date.UTC(2026, 0, 1);
/** Contracts every 5 minutes; undefined is a gap. */
const snapshots = (contracts: readonly (number | undefined)[]) =>
  contracts.flatMap((value, i) =>
    value === undefined
      ? []
      : [{ symbol: 'BTCUSDT', time: start + i * 5 * minute, contracts: value, valueUsd: value * 100 }],
  );
const line = Array.from({ length: 25 }, (_, i) => 1_000 + i);

it('velocity: contracts, USD and percent over the hour that ends with the row', () => {
  const { data, dataPoints, current, avgVelocityPct } = oiVelocity(snapshots(line), start + 2 * hour);
  expect(data).toEqual([
    {
      timestamp: '2026-01-01T02:00:00.000Z',
      oi: 1_024,
      velocity: 12,
      velocityUsd: 1_200,
      velocityPct: 1.1858,
    },
  ]);
  expect([dataPoints, current, avgVelocityPct]).toEqual([1, data[0], 1.1858]);
});

it.each<[string, (number | undefined)[], number]>([
  ['nothing', [], 0],
  ['less than an hour', line.slice(0, 12), 0],
  ['an hour', line.slice(0, 13), 1],
  ['a hole an hour ago leaves its row out', line.map((value, i) => (i === 3 ? undefined : value)), 12],
  ['an hour ago there was none open', line.map((value, i) => (i < 2 ? 0 : value)), 11],
])('rows without a snapshot an hour before are left out: %s', (_, contracts, expected) => {
  expect(oiVelocity(snapshots(contracts), start).dataPoints).toBe(expected);
});

it('with its lead time, a window has its first row', () => {
  const from = start + velocityLead;
  expect(oiVelocity(snapshots(line), from).data[0]?.timestamp).toBe(new Date(from).toISOString());
});
