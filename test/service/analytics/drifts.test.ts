import { describe, expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { findDrifts } from '#src/service/analytics/drifts.ts';
import type { DataCheck } from '#src/service/archive/archive.ts';

const start = Date.UTC(2026, 0, 1);
const verdicts: Readonly<Record<string, DataCheck['verdict']>> = {
  W: 'WITHIN',
  B: 'BEYOND',
  L: 'LATE',
  M: 'MISSED',
};

/** Rounds of checks of marks, ten minutes apart: the first letters of the verdicts of each round, one per symbol. */
const marks = (rounds: string, over: Partial<DataCheck> = {}): DataCheck[] =>
  rounds.split(' ').flatMap((letters, round) =>
    [...letters].map((letter, index) => ({
      time: start + round * 10 * minute,
      value: 'mark' as const,
      symbol: `COIN${index}USDT`,
      venue: 'Binance USD-M',
      role: 'PRIMARY' as const,
      verdict: verdicts[letter] ?? 'MISSED',
      published: 100,
      publishedAt: start,
      asked: 100,
      askedAt: start,
      difference: letter === 'W' ? 0.0001 : -0.01 * (index + 1),
      allowed: 0.001,
      reason: null,
      detail: null,
      ...over,
    })),
  );

describe('a value drifts where most checks of its last two rounds failed', () => {
  it.each([
    ['nothing was asked', '', false],
    ['all is the same', 'WWW WWW', false],
    ['one round alone says nothing', 'BBB', false],
    ['the first bad round after good ones says nothing', 'WWW WWW BBB', false],
    ['the second says it', 'WWW BBB BBB', true],
    ['late is as bad as wrong', 'LLL BLB', true],
    ['one symbol of three is that symbol’s', 'BWW BWW', false],
    ['the first good round after bad ones ends it', 'BBB BBB WWW', false],
    ['the first mostly good round ends it', 'BBB BBB WWB', false],
    ['what was missed says nothing, either way', 'BBB MMM BMM MMM', true],
    ['half of them are not most', 'BW BW', false],
  ])('%s: %s', (_, rounds, drifting) => {
    expect(findDrifts(marks(rounds)).length > 0).toBe(drifting);
  });

  it('a drift says of how many checks it is, and which was the worst', () => {
    expect(findDrifts(marks('BWB WBB'))).toEqual([
      {
        value: 'mark',
        venue: 'Binance USD-M',
        checks: 6,
        beyond: 4,
        worst: { symbol: 'COIN2USDT', difference: -0.03 },
      },
    ]);
  });

  it('another venue’s market counts for nothing, and neither do audits of an earlier primary venue', () => {
    expect(findDrifts(marks('BBB BBB', { role: 'SECOND' }))).toEqual([]);
    const later = marks('WWW', { venue: 'Hyperliquid', time: start + 30 * minute });
    expect(findDrifts([...marks('BBB BBB'), ...later])).toEqual([]);
  });
});
