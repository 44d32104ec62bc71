import { describe, expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { deriveRows } from '#src/service/analytics/derivation.ts';
import { oiMomentum, oiRows, oiSignal } from '#src/service/analytics/oi-momentum.ts';
import type { OpenInterest } from '#src/service/archive/archive.ts';
import { columnsOf } from '#src/service/archive/columns.ts';

const start = Date.UTC(2030, 0, 1);
const every5 = (contracts: readonly (number | undefined)[]): OpenInterest[] =>
  contracts.flatMap((value, i) =>
    value === undefined
      ? []
      : [{ symbol: 'A', time: start + i * 5 * minute, contracts: value, valueUsd: value * 10 }],
  );

const momentum = (snapshots: readonly OpenInterest[], from: number) =>
  oiMomentum('A', deriveRows(columnsOf(snapshots, ['contracts', 'valueUsd']), { derivation: oiRows, from }));

describe('oiMomentum', () => {
  it('rate is the change to the snapshot before, acceleration the change of the rate, in percent', () => {
    expect(momentum(every5([100, 101, 103.02, 103.02]), start)).toEqual({
      symbol: 'A',
      data: [
        { timestamp: '2030-01-01T00:10:00.000Z', oi: 103.02, ratePct: 2, accelerationPct: 1 },
        { timestamp: '2030-01-01T00:15:00.000Z', oi: 103.02, ratePct: 0, accelerationPct: -2 },
      ],
      dataPoints: 2,
      current: { timestamp: '2030-01-01T00:15:00.000Z', oi: 103.02, ratePct: 0, accelerationPct: -2 },
      avgRatePct: 1,
      maxAcceleration: 1,
      signal: 'STABLE',
    });
  });

  it.each<[string, (number | undefined)[], number, string[]]>([
    ['window: earlier snapshots only lead in', [100, 100, 100, 100], 3, ['00:15']],
    [
      'hole: no row until three snapshots stand in a row again',
      [1, 1, 1, undefined, 1, 1, 1],
      0,
      ['00:10', '00:30'],
    ],
    ['too few: nothing, rather than zeros', [1, 1], 0, []],
    ['zero before: no rate can be said', [0, 5, 5, 5], 0, ['00:15']],
  ])('%s', (_, contracts, first, times) => {
    const { data, dataPoints } = momentum(every5(contracts), start + first * 5 * minute);
    expect(data.map(({ timestamp }) => timestamp.slice(11, 16))).toEqual(times);
    expect(dataPoints).toBe(times.length);
  });

  it('no rows: no current row, averages 0, STABLE', () => {
    expect(momentum([], start)).toEqual({
      symbol: 'A',
      data: [],
      dataPoints: 0,
      avgRatePct: 0,
      maxAcceleration: 0,
      signal: 'STABLE',
    });
  });
});

it.each([
  [1.01, 0.01, 'RAPID_BUILDUP'],
  [1.01, 0, 'BUILDING'],
  [1, 5, 'BUILDING'],
  [0.31, -1, 'BUILDING'],
  [0.3, 1, 'STABLE'],
  [-0.3, -1, 'STABLE'],
  [-0.31, 1, 'UNWINDING'],
  [-1, -5, 'UNWINDING'],
  [-1.01, 0, 'UNWINDING'],
  [-1.01, -0.01, 'RAPID_UNWIND'],
])('rule 8: rate %d %%, acceleration %d %% is %s', (ratePct, accelerationPct, signal) => {
  expect(oiSignal({ ratePct, accelerationPct })).toBe(signal);
});
