import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour, minute } from '#src/runtime/units.ts';
import { moverWindow, oiMomentum, oiMover, oiRows, oiSignal } from '#src/service/analytics/oi-momentum.ts';
import type { OpenInterest } from '#src/service/archive/archive.ts';
import { columnsOf } from '#src/service/archive/columns.ts';
import { deriveRows } from '#src/service/archive/derivation.ts';

const start = Date.UTC(2030, 0, 1);
const every5 = (contracts: readonly (number | undefined)[]): OpenInterest[] =>
  contracts.flatMap((value, i) =>
    value === undefined
      ? []
      : [{ symbol: 'A', time: start + i * 5 * minute, contracts: value, valueUsd: value * 10 }],
  );

const momentum = (snapshots: readonly OpenInterest[], from: number) =>
  oiMomentum('A', deriveRows(columnsOf(snapshots, ['contracts', 'valueUsd']), oiRows, from));

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

describe('oiMover', () => {
  const moverAt = (snapshots: readonly OpenInterest[], now: number) =>
    oiMover(
      columnsOf(
        snapshots.filter(({ time }) => time > now - moverWindow && time <= now),
        ['contracts', 'valueUsd'],
      ),
      now,
    );

  it.each<[string, (number | undefined)[], number, string | undefined]>([
    ['newest: the row of the last snapshot', [1, 1, 1, 1], 0, '00:15'],
    ['hole: the row before it', [1, 1, 1, undefined, 1], 0, '00:10'],
    ['15 minutes old: still shown', [1, 1, 1], 15, '00:10'],
    ['older: not shown', [1, 1, 1], 16, undefined],
    ['too few snapshots: not shown', [1, 1], 0, undefined],
  ])('%s', (_, contracts, minutes, expected) => {
    const snapshots = every5(contracts);
    const now = (snapshots.at(-1)?.time ?? 0) + minutes * minute;
    expect(moverAt(snapshots, now)?.timestamp.slice(11, 16)).toBe(expected);
  });

  it.each<[string, (number | undefined)[], number | undefined]>([
    ['from the snapshot of an hour before', [9, 10, ...Array(11).fill(10), 11], 10],
    ['from one 5 minutes older if that is missing', [10, undefined, ...Array(11).fill(10), 11], 10],
    ['unknown if both are missing', [undefined, undefined, ...Array(11).fill(10), 11], undefined],
    ['unknown from nothing', [0, 0, ...Array(11).fill(10), 11], undefined],
  ])('change over an hour: %s', (_, contracts, expected) => {
    expect(moverAt(every5(contracts), start + 13 * 5 * minute)?.change1hPct).toBe(expected);
  });

  it('is the current row and the signal of /oi/momentum, whatever snapshots there are', () => {
    const snapshot = fc.option(fc.double({ min: 0, max: 1_000, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(snapshot, { maxLength: 30 }), fc.nat(20), (contracts, minutes) => {
        const now = start + contracts.length * 5 * minute + minutes * minute;
        const { current, signal } = momentum(every5(contracts), now - 6 * hour + 1);
        const isRecent = current !== undefined && now - Date.parse(current.timestamp) <= 15 * minute;
        const { change1hPct: _, ...mover } = moverAt(every5(contracts), now) ?? {};
        expect(mover).toEqual(isRecent ? { ...current, signal } : {});
      }),
    );
  });
});
