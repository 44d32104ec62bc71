import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import {
  type ClosedBar,
  createRegimeWalk,
  describeRegime,
  memory,
  type RegimeWalk,
  warmUp,
} from '#src/service/analytics/regime.ts';
import type { RegimeRow } from '#src/service/archive/archive.ts';
import { trendingBars } from './bars.ts';

const symbol = 'BTCUSDT';
const run = (walk: RegimeWalk, bars: readonly ClosedBar[]) => bars.map((bar) => walk(bar));
const bars = trendingBars(7, 150 * 24, 0.003);
const rows = run(createRegimeWalk({ symbol }), bars);
const described = rows.flatMap((row) => (row === null ? [] : [describeRegime(row)]));
const anyHour = fc.integer({ min: warmUp + 1, max: bars.length - 1 });

describe('a regime walk', () => {
  it('continues from its published rows as if it had never stopped', () => {
    fc.assert(
      fc.property(anyHour, (at) => {
        const begins = bars[at]?.time ?? 0;
        const published = rows
          .slice(0, at)
          .flatMap((row) => (row !== null && row.time >= begins - memory ? [row] : []));
        const walk = createRegimeWalk({ symbol, from: begins, published });
        expect(run(walk, bars)).toEqual(rows.map((row, i) => (i < at ? null : row)));
      }),
      { numRuns: 8 },
    );
  });

  it('is not changed by what comes after the hour', () => {
    fc.assert(
      fc.property(anyHour, fc.double({ min: 0.01, max: 100, noNaN: true }), (at, factor) => {
        const otherwise = bars
          .slice(at, at + 200)
          .map(({ time, close }) => ({ time, close: close * factor }));
        const walk = createRegimeWalk({ symbol });
        expect(run(walk, [...bars.slice(0, at), ...otherwise]).slice(0, at)).toEqual(rows.slice(0, at));
      }),
      { numRuns: 4 },
    );
  });

  it('gives an hour the same probabilities wherever it begins to publish, and nothing before', () => {
    fc.assert(
      fc.property(anyHour, (at) => {
        const from = bars[at]?.time ?? 0;
        const found = run(createRegimeWalk({ symbol, from }), bars);
        const said = (row: RegimeRow | null) => row && [row.time, row.riskOn, row.riskOff];
        expect(found.map(said)).toEqual(rows.map((row, i) => (i < at ? null : said(row))));
      }),
      { numRuns: 4 },
    );
  });

  it('publishes nothing in its first ten days, and then every hour', () => {
    const first = rows.findIndex((row) => row !== null);
    expect((bars[first]?.time ?? 0) - (bars[0]?.time ?? 0)).toBe((warmUp - 1) * hour);
    expect(rows.slice(first)).not.toContain(null);
  });

  it('publishes probabilities that sum to 1, numbers within their ranges and labels that fit them', () => {
    for (const { state, label, probabilities, score, multiplier, confidence } of described) {
      const { RISK_ON, RISK_OFF, TRANSITION } = probabilities;
      expect(RISK_ON + RISK_OFF + TRANSITION).toBeCloseTo(1, 9);
      expect(Math.min(RISK_ON, RISK_OFF, TRANSITION)).toBeGreaterThanOrEqual(0);
      expect(score).toBeCloseTo(100 * (RISK_ON - RISK_OFF), 1);
      expect(multiplier).toBeCloseTo(1 + score / 200, 3);
      expect(confidence).toBe(probabilities[state]);
      if (state === 'RISK_ON') expect(label).toBe('MARKUP');
      if (state === 'RISK_OFF') expect(label).toBe('DISTRIBUTION');
      if (state === 'TRANSITION') expect(label).not.toBe('MARKUP');
    }
  });

  it('says a transition exactly while another state is the likeliest, to that state and by how much', () => {
    expect(described.some(({ transition }) => transition === null)).toBe(true);
    expect(described.some(({ transition }) => transition !== null)).toBe(true);
    for (const { state, probabilities, transition } of described) {
      const most = Math.max(...Object.values(probabilities));
      expect(transition !== null).toBe(probabilities[state] < most);
      if (transition === null) continue;
      expect(probabilities[transition.to]).toBe(most);
      expect(transition.from).toBe(state);
      expect(transition.magnitude).toBeCloseTo(most - probabilities[state], 6);
    }
  });

  it('is in TRANSITION while a trend has stalled in quiet hours, and then is labelled by that trend', () => {
    const [trended, last] = [bars.slice(0, 80 * 24), bars[80 * 24 - 1] as ClosedBar];
    const quiet = Array.from({ length: 20 * 24 }, (_, i) => ({
      time: last.time + (i + 1) * hour,
      close: last.close * (1 + 0.001 * (i % 2)),
    }));
    const walk = createRegimeWalk({ symbol });
    run(walk, trended);
    const row = run(walk, quiet).at(-1);
    expect(row?.state).toBe(0);
    const { label, state } = describeRegime(row as RegimeRow);
    expect([state, label]).toEqual(['TRANSITION', row?.trend === 1 ? 'DISTRIBUTION' : 'ACCUMULATION']);
  });

  it('lets no state stand against its own probabilities for more than two days', () => {
    let since: number | undefined;
    for (const row of rows) {
      if (row === null) continue;
      since = describeRegime(row).transition === null ? undefined : (since ?? row.time);
      expect(row.time - (since ?? row.time)).toBeLessThan(2 * day);
    }
  });

  it('turns RISK_OFF in a collapse', () => {
    const walk = createRegimeWalk({ symbol });
    const last = bars.at(-1) ?? { time: 0, close: 0 };
    run(walk, bars);
    const climb = Array.from({ length: 96 }, (_, i) => ({
      time: last.time + (i + 1) * hour,
      close: last.close * 1.004 ** (i + 1),
    }));
    expect(run(walk, climb).at(-1)?.state).toBe(1);
    const top = climb.at(-1) ?? last;
    const crash = [0.85, 0.8, 0.78].map((f, i) => ({
      time: top.time + (i + 1) * hour,
      close: top.close * f,
    }));
    const after = run(walk, crash).at(-1);
    expect(after?.state).toBe(-1);
    expect(after?.volatilityPercentile).toBeGreaterThan(75);
  });

  it('bridges a gap of days', () => {
    const walk = createRegimeWalk({ symbol });
    run(walk, bars);
    const last = bars.at(-1) ?? { time: 0, close: 0 };
    const row = walk({ time: last.time + 9 * day, close: last.close });
    expect([row?.riskOn, row?.riskOff].every(Number.isFinite)).toBe(true);
  });

  it('goes on from its last row after an outage, however long', () => {
    const at = rows.findLastIndex((row, i) => i < 3_000 && row?.state === 1);
    const published = rows[at] === null || rows[at] === undefined ? [] : [rows[at]];
    const from = (bars[at]?.time ?? 0) + 40 * day;
    const late = { time: from, close: bars[at]?.close ?? 1 };
    const row = run(createRegimeWalk({ symbol, from, published }), [...bars.slice(0, at + 1), late]).at(-1);
    expect(row?.trend).not.toBe(0);
  });

  it('carries the close over missing hours', () => {
    const hole = (_: ClosedBar, i: number) => i < 1_000 || i > 1_003;
    const full = bars.slice(0, 1_400).filter((bar, i) => i === 0 || bar.time > (bars[i - 1]?.time ?? 0));
    const carried = full.map((bar, i) => (hole(bar, i) ? bar : { ...bar, close: full[999]?.close ?? 0 }));
    const last = (given: readonly ClosedBar[]) => run(createRegimeWalk({ symbol }), given).at(-1);
    const [withHole, without] = [last(carried.filter(hole)), last(carried)];
    expect([withHole?.riskOn, withHole?.riskOff]).toEqual([without?.riskOn, without?.riskOff]);
  });

  it('leans to no side in a market that does not move', () => {
    const still = Array.from({ length: 100 * 24 }, (_, i) => ({
      time: Date.UTC(2030, 0, 1) + i * hour,
      close: 5,
    }));
    expect(run(createRegimeWalk({ symbol }), still).at(-1)).toMatchObject({ state: 0, trend: 0 });
  });

  const first = { time: Date.UTC(2030, 0, 1), close: 100 };
  it.each([
    ['the same hour twice', { ...first }],
    ['an earlier hour', { time: first.time - hour, close: 100 }],
    ['a time that is no number', { time: Number.NaN, close: 100 }],
    ['a price of 0', { time: first.time + hour, close: 0 }],
    ['an infinite price', { time: first.time + hour, close: Number.POSITIVE_INFINITY }],
  ])('refuses %s', (_, bar) => {
    const walk = createRegimeWalk({ symbol });
    walk(first);
    expect(() => walk(bar)).toThrow(RangeError);
  });
});
