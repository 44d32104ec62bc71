import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import { createRegimeWalk, type RegimeWalk, restoreRegimeWalk } from '#src/service/analytics/regime.ts';
import type { ClosedBar } from '#src/service/analytics/regime-features.ts';
import { warmUp } from '#src/service/analytics/regime-model.ts';
import { trendingBars } from './bars.ts';

const run = (walk: RegimeWalk, bars: readonly ClosedBar[]) => bars.map((bar) => walk.push(bar));
const bars = trendingBars(7, 150 * 24, 0.003);
const rows = run(createRegimeWalk(), bars);
const anyHour = fc.integer({ min: 1, max: bars.length - 1 });

describe('a regime walk', () => {
  it('continues from a snapshot, through JSON, as if it had never stopped', () => {
    fc.assert(
      fc.property(anyHour, (at) => {
        const first = createRegimeWalk();
        const before = run(first, bars.slice(0, at));
        const second = restoreRegimeWalk(JSON.parse(JSON.stringify(first.snapshot())));
        expect([...before, ...run(second, bars.slice(at))]).toEqual(rows);
      }),
      { numRuns: 4 },
    );
  });

  it('is not changed by what comes after the hour', () => {
    fc.assert(
      fc.property(anyHour, fc.double({ min: 0.01, max: 100, noNaN: true }), (at, factor) => {
        const otherwise = bars
          .slice(at, at + 200)
          .map(({ time, close }) => ({ time, close: close * factor }));
        expect(run(createRegimeWalk(), [...bars.slice(0, at), ...otherwise]).slice(0, at)).toEqual(
          rows.slice(0, at),
        );
      }),
      { numRuns: 4 },
    );
  });

  it('gives the same label for an hour wherever it begins to publish, and nothing before', () => {
    fc.assert(
      fc.property(anyHour, (at) => {
        const from = bars[at]?.time ?? 0;
        expect(run(createRegimeWalk({ from }), bars)).toEqual(rows.map((row, i) => (i < at ? null : row)));
      }),
      { numRuns: 4 },
    );
  });

  it('does not modify a snapshot when it continues', () => {
    const walk = createRegimeWalk();
    run(walk, bars.slice(0, 100));
    const snapshot = walk.snapshot();
    const copy = structuredClone(snapshot);
    run(walk, bars.slice(100, 200));
    expect(snapshot).toEqual(copy);
  });

  it('publishes nothing in its first ten days of bars, and then every hour', () => {
    const first = rows.findIndex((row) => row !== null);
    expect(first).toBe(warmUp - 1);
    expect(rows.slice(first)).not.toContain(null);
  });

  it('begins with the built-in calibration, and learns its own once the past can be judged', () => {
    const models = [...new Set(rows.flatMap((row) => row?.model ?? []))];
    expect(models[0]).toMatch(/built-in$/);
    expect(models.length).toBeGreaterThan(1);
    const walk = createRegimeWalk();
    expect(walk.model().calibration).toBeNull();
    run(walk, bars);
    expect(walk.model()).toMatchObject({
      version: models.at(-1),
      calibration: {
        hours: expect.any(Number),
        brier: expect.any(Number),
        baseRatesBrier: expect.any(Number),
        reliability: expect.arrayContaining([expect.objectContaining({ said: expect.any(Number) })]),
      },
    });
  });

  it('is calibrated only by hours that hindsight has settled, 60 days before', () => {
    const walk = createRegimeWalk();
    run(walk, bars);
    const { trainedAt = '', to = '' } = walk.model().calibration ?? {};
    expect(Date.parse(trainedAt) - Date.parse(to)).toBeGreaterThanOrEqual(60 * day);
  });

  it('publishes probabilities that sum to 1, numbers within their ranges and labels that fit them', () => {
    for (const row of rows) {
      if (row === null) continue;
      const { RISK_ON, RISK_OFF, TRANSITION } = row.probabilities;
      expect(RISK_ON + RISK_OFF + TRANSITION).toBeCloseTo(1, 9);
      expect(Math.min(RISK_ON, RISK_OFF, TRANSITION)).toBeGreaterThanOrEqual(0);
      expect(row.score).toBeCloseTo(100 * (RISK_ON - RISK_OFF), 1);
      expect(row.multiplier).toBeCloseTo(1 + row.score / 200, 3);
      expect(row.volatilityPercentile >= 0 && row.volatilityPercentile <= 100).toBe(true);
      if (row.state === 'RISK_ON') expect(row.label).toBe('MARKUP');
      if (row.state === 'RISK_OFF') expect(row.label).toBe('DISTRIBUTION');
      if (row.state === 'TRANSITION') expect(row.label).not.toBe('MARKUP');
    }
  });

  it('reaches every state', () => {
    expect(new Set(rows.map((row) => row?.state))).toEqual(
      new Set([undefined, 'RISK_ON', 'RISK_OFF', 'TRANSITION']),
    );
  });

  it('turns RISK_OFF in a collapse at the close of a fall past the reversal', () => {
    const walk = createRegimeWalk();
    const last = bars.at(-1) ?? { time: 0, close: 0 };
    run(walk, bars);
    const climb = Array.from({ length: 96 }, (_, i) => ({
      time: last.time + (i + 1) * hour,
      close: last.close * 1.004 ** (i + 1),
    }));
    expect(run(walk, climb).at(-1)?.state).toBe('RISK_ON');
    const top = climb.at(-1) ?? last;
    const crash = [0.85, 0.84, 0.84].map((f, i) => ({
      time: top.time + (i + 1) * hour,
      close: top.close * f,
    }));
    const after = run(walk, crash).at(-1);
    expect(after?.state).toBe('RISK_OFF');
    expect(after?.volatility).toBe('HIGH_VOL');
  });

  it('bridges a gap of days', () => {
    const walk = createRegimeWalk();
    run(walk, bars);
    const last = bars.at(-1) ?? { time: 0, close: 0 };
    const row = walk.push({ time: last.time + 9 * day, close: last.close });
    expect(Object.values(row?.probabilities ?? {}).every(Number.isFinite)).toBe(true);
  });

  it('works in a market that does not move', () => {
    const still = Array.from({ length: 100 * 24 }, (_, i) => ({
      time: Date.UTC(2030, 0, 1) + i * hour,
      close: 5,
    }));
    const last = run(createRegimeWalk(), still).at(-1);
    expect(last?.state).toBe('TRANSITION');
  });

  const first = { time: Date.UTC(2030, 0, 1), close: 100 };
  it.each([
    ['the same hour twice', { ...first }],
    ['an earlier hour', { time: first.time - hour, close: 100 }],
    ['a time that is no number', { time: Number.NaN, close: 100 }],
    ['a price of 0', { time: first.time + hour, close: 0 }],
    ['an infinite price', { time: first.time + hour, close: Number.POSITIVE_INFINITY }],
  ])('refuses %s and stays unchanged', (_, bar) => {
    const walk = createRegimeWalk();
    walk.push(first);
    const before = walk.snapshot();
    expect(() => walk.push(bar)).toThrow(RangeError);
    expect(walk.snapshot()).toEqual(before);
  });

  it.each([[undefined], [null], ['x'], [{}], [{ ...createRegimeWalk().snapshot(), version: 'older' }]])(
    'refuses the snapshot %j, saying what to do',
    (snapshot) => {
      expect(() => restoreRegimeWalk(snapshot)).toThrow(/walk anew/);
    },
  );
});
