import { describe, expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { findDrifts } from '#src/service/analytics/drifts.ts';
import type { DataCheck } from '#src/service/archive/archive.ts';

const start = Date.UTC(2026, 0, 1);
type Verdict = DataCheck['verdict'];

/** Audit rounds of marks, ten minutes apart: the verdicts of each round, one per symbol. */
const marks = (rounds: readonly (readonly Verdict[])[], over: Partial<DataCheck> = {}): DataCheck[] =>
  rounds.flatMap((verdicts, round) =>
    verdicts.map((verdict, index) => ({
      time: start + round * 10 * minute,
      value: 'mark' as const,
      symbol: `COIN${index}USDT`,
      venue: 'Binance USD-M',
      role: 'PRIMARY' as const,
      verdict,
      published: 100,
      publishedAt: start,
      asked: 100,
      askedAt: start,
      difference: verdict === 'WITHIN' ? 0.0001 : -0.01 * (index + 1),
      allowed: 0.001,
      reason: null,
      detail: null,
      ...over,
    })),
  );

const [W, B, L, M] = ['WITHIN', 'BEYOND', 'LATE', 'MISSED'] as const;

describe('a value drifts where most checks of its last two rounds failed', () => {
  it.each([
    ['nothing was asked', [], false],
    [
      'all is the same',
      [
        [W, W, W],
        [W, W, W],
      ],
      false,
    ],
    ['one round alone says nothing', [[B, B, B]], false],
    [
      'the first bad round after good ones says nothing',
      [
        [W, W, W],
        [W, W, W],
        [B, B, B],
      ],
      false,
    ],
    [
      'the second says it',
      [
        [W, W, W],
        [B, B, B],
        [B, B, B],
      ],
      true,
    ],
    [
      'late is as bad as wrong',
      [
        [L, L, L],
        [B, L, B],
      ],
      true,
    ],
    [
      'one symbol of three is that symbol’s',
      [
        [B, W, W],
        [B, W, W],
      ],
      false,
    ],
    [
      'the first good round after bad ones ends it',
      [
        [B, B, B],
        [B, B, B],
        [W, W, W],
      ],
      false,
    ],
    [
      'the first mostly good round ends it',
      [
        [B, B, B],
        [B, B, B],
        [W, W, B],
      ],
      false,
    ],
    [
      'what was missed says nothing, either way',
      [
        [B, B, B],
        [M, M, M],
        [B, M, M],
        [M, M, M],
      ],
      true,
    ],
    [
      'half of them are not most',
      [
        [B, W],
        [B, W],
      ],
      false,
    ],
  ] satisfies [string, Verdict[][], boolean][])('%s', (_, rounds, drifting) => {
    expect(findDrifts(marks(rounds)).length > 0).toBe(drifting);
  });

  it('a drift says of how many checks it is, and which was the worst', () => {
    expect(
      findDrifts(
        marks([
          [B, W, B],
          [W, B, B],
        ]),
      ),
    ).toEqual([
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
    const bad = [
      [B, B, B],
      [B, B, B],
    ];
    expect(findDrifts(marks(bad, { role: 'SECOND' }))).toEqual([]);
    const later = marks([[W, W, W]], { venue: 'Hyperliquid', time: start + 30 * minute });
    expect(findDrifts([...marks(bad), ...later])).toEqual([]);
  });
});
