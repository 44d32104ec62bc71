import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { hindsight } from '#src/service/analytics/hindsight.ts';
import { recordedBars, recordedHindsight } from '#test/support/recorded-market.ts';
import { normal, seededRandom } from './bars.ts';

/** Returns the closes of a walk with this drift, in σ per day, in each stretch of days. */
const drifting = (...stretches: readonly (readonly [days: number, drift: number])[]): number[] => {
  const random = seededRandom(3);
  let close = 100;
  return stretches.flatMap(([days, drift]) =>
    Array.from({ length: days * 24 }, () => {
      close *= Math.exp(0.005 * (drift / 24 / Math.sqrt(1 / 24) + normal(random)));
      return close;
    }),
  );
};

describe('hindsight', () => {
  it('labels a fall as a fall and a rise as a rise, except for days around the turn', () => {
    const path = hindsight(drifting([30, -1.5], [30, 1.5]));
    expect(new Set(path.slice(3 * 24, 27 * 24))).toEqual(new Set([-1]));
    expect(new Set(path.slice(33 * 24, 57 * 24))).toEqual(new Set([1]));
  });

  it('gives mirrored prices a path of equal worth', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -200, max: 200 }), { maxLength: 200 }), (moves) => {
        const closes = (sign: number) => {
          let close = 100;
          return moves.map((move) => (close *= Math.exp(sign * move * 1e-4)));
        };
        const risen = closes(1);
        expect(worth(hindsight(risen), risen)).toBeCloseTo(worth(hindsight(closes(-1)), closes(-1)), 6);
      }),
    );
  });

  it('labels a market that stands still as neither', () => {
    expect(new Set(hindsight(Array.from({ length: 100 }, () => 5)))).toEqual(new Set([0]));
    expect(hindsight([])).toHaveLength(0);
  });
});

describe('hindsight on recorded BTC', () => {
  it('judges every hour of the recorded years as the reference does', () => {
    const bars = recordedBars();
    const begins = bars[0]?.time ?? 0;
    const closes: number[] = [];
    for (const { time, close } of bars) {
      while (closes.length < (time - begins) / hour) closes.push(closes.at(-1) ?? close);
      closes.push(close);
    }
    const path = hindsight(closes);
    const states = ['RISK_OFF', 'TRANSITION', 'RISK_ON'];
    const judge = recordedHindsight();
    const differ = bars.filter(
      ({ time }) => judge.get(time) !== states[(path[(time - begins) / hour] ?? 0) + 1],
    );
    expect(differ).toEqual([]);
  });
});

/** The quantity that the path maximizes, with the σ of all hours: short walks lie within its window. */
function worth(path: Int8Array, closes: readonly number[]): number {
  const returns = closes.map((close, i) => (i === 0 ? 0 : Math.log(close / (closes[i - 1] ?? close))));
  const squares = returns.reduce((sum, r) => sum + r * r, 0);
  const sigma = Math.sqrt((24 * squares) / Math.max(1, returns.length - 1));
  return returns.reduce((sum, r, i) => {
    const state = path[i] ?? 0;
    const changed = i > 0 && state !== path[i - 1];
    return sum + (sigma > 0 ? (state * r) / sigma : 0) - (0.25 / 24) * Math.abs(state) - (changed ? 2 : 0);
  }, 0);
}
