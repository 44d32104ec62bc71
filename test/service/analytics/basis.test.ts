import { describe, expect, it } from 'vitest';
import { hour, minute } from '#src/runtime/units.ts';
import { basisLabel, basisRows, basisSignal, basisSignalLabel } from '#src/service/analytics/basis.ts';
import type { Mark } from '#src/service/archive/archive.ts';
import { columnsOf } from '#src/service/archive/columns.ts';
import { deriveRows } from '#src/service/archive/derivation.ts';

const start = Date.UTC(2030, 0, 1);
const rowsOf = (marks: readonly Mark[]) =>
  deriveRows(columnsOf(marks, ['markPrice', 'indexPrice', 'estFunding']), basisRows, start);
const mark = (time: number, markPrice: number, indexPrice = 100) => ({
  symbol: 'A',
  time,
  markPrice,
  indexPrice,
  estFunding: 0.0001,
});

describe('basisRows', () => {
  it('basisPct = (mark / index − 1) × 100', () => {
    expect(rowsOf([mark(start, 100.5)])).toEqual([
      {
        timestamp: '2030-01-01T00:00:00.000Z',
        markPrice: 100.5,
        indexPrice: 100,
        basisPct: 0.5,
        estFunding: 0.0001,
      },
    ]);
  });

  it('a mark without a price gives no row', () => {
    expect(rowsOf([mark(start, 0), mark(start, 100, 0)])).toEqual([]);
  });
});

it.each([
  [0.0501, 'CONTANGO'],
  [0.05, 'FLAT'],
  [-0.05, 'FLAT'],
  [-0.0501, 'BACKWARDATION'],
])('rule 4: %d %% is %s', (basisPct, signal) => {
  expect(basisLabel(basisPct)).toBe(signal);
});

it.each([
  [15.01, 'HIGH_CONTANGO'],
  [15, 'CONTANGO'],
  [5.01, 'CONTANGO'],
  [5, 'FLAT'],
  [-5, 'FLAT'],
  [-5.01, 'BACKWARDATION'],
])('basis signal: %d %% a year is %s', (annualizedPct, signal) => {
  expect(basisSignalLabel(annualizedPct)).toBe(signal);
});

describe('basisSignal', () => {
  it('annualises the mean of 8 hours, not the snapshot', () => {
    const rows = rowsOf([
      mark(start, 200),
      ...Array.from({ length: 95 }, (_, i) => mark(start + 8 * hour - (95 - i) * 5 * minute, 100)),
      mark(start + 8 * hour, 100.96),
    ]);
    // 95 rows of 0 and one of 0.96 %: mean 0.01 %, × 1095
    expect(basisSignal(rows)).toEqual({
      basisPct: 0.96,
      annualizedPct: 10.95,
      signal: 'CONTANGO',
      markPrice: 100.96,
      indexPrice: 100,
    });
  });

  it('no rows give no signal', () => {
    expect(basisSignal([])).toBeUndefined();
  });
});
