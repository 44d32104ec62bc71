import { describe, expect, it } from 'vitest';
import { madeMarkets } from '#test/bench/record/markets.ts';
import { recordsOf } from '#test/bench/record/told.ts';
import { live, withEdge } from '#test/bench/record.ts';

/** The benchmark uses hundreds of each; these few are always the same. */
describe('a placebo shows no edge, whatever the market', () => {
  it.each(['constant variance', 'GARCH, .15 and .80', 'jumps by the clock', 'real quarters'] as const)(
    '%s',
    async (name) => {
      const scores = await recordsOf(live(madeMarkets[name], 3));
      const findings = scores.flatMap(({ finding }) => finding ?? []);
      expect(findings.length).toBeGreaterThan(20);
      expect(findings.filter(({ verdict: says }) => says === 'more')).toEqual([]);
    },
  );
});

describe('an edge', () => {
  it('of twice the detectable size is found, and none is found where there is none', async () => {
    const none = await withEdge(1, 0);
    expect(none?.verdict).toMatch(/few|nothing/);
    expect(none?.detectable).toBeLessThan(0.25);
    const there = await withEdge(1, 2 * (none?.detectable ?? 0));
    expect(there?.verdict).toBe('more');
    expect(there?.interval[0]).toBeLessThan(2 * (none?.detectable ?? 0));
  });
});
