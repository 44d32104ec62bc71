import { describe, expect, it } from 'vitest';
import { madeMarkets } from '#test/bench/record/markets.ts';
import { recordsOf } from '#test/bench/record/told.ts';
import { live, withEdge } from '#test/bench/record.ts';

/** The benchmark uses hundreds of each; these few are always the same. */
describe('a placebo shows no edge, whatever the market', () => {
  it.each(['constant variance', 'GARCH, .15 and .80', 'GARCH with jumps', 'real weeks, shuffled'] as const)(
    '%s',
    async (name) => {
      const scores = await recordsOf(live(madeMarkets[name], 3));
      const findings = scores.flatMap(({ finding }) => finding ?? []);
      expect(findings).toHaveLength(15);
      expect(findings.filter(({ says }) => says === 'more')).toEqual([]);
    },
  );
});

describe('an edge', () => {
  it('of twice the detectable size is found, and none is found where there is none', async () => {
    const none = await withEdge(1, 0);
    expect(none?.says).toMatch(/few|nothing/);
    expect(none?.shows).toBeLessThan(0.25);
    const there = await withEdge(1, 2 * (none?.shows ?? 0));
    expect(there?.says).toBe('more');
    expect(there?.edge[0]).toBeLessThan(2 * (none?.shows ?? 0));
  });
});
