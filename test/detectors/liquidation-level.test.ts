import { expect, it } from 'vitest';
import detector from '#src/detectors/liquidation-level.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';

const start = Date.UTC(2026, 0, 5);
const options = detector.options.parse({});

/** Steps through maps, five minutes apart: how far the price is from the large level, percent, and the leverage. */
function told(
  maps: readonly (readonly [awayPct: number, leverage: number | undefined, usd?: number])[],
  age = 0,
) {
  let state: unknown;
  return maps.flatMap(([awayPct, leverage, usd = 50_000_000], index) => {
    const now = start + index * 5 * minute;
    const zone = (side: 'LONG' | 'SHORT', distancePct: number, estimatedUsd: number) => ({
      ...{ side, distancePct, estimatedUsd },
      price: 60_000 * (1 + distancePct / 100),
    });
    const answer = {
      ...{
        symbol: 'BTCUSDT',
        estimate: true as const,
        price: 60_000,
        coverage: 0.5,
        timestamp: iso(now - age),
        leverage,
      },
      zones: [zone('LONG', -awayPct, usd), ...[5, 7, 9].map((away) => zone('SHORT', away, 20_000_000))],
    };
    const stepped = detector.step(state as never, [answer] as never, { options, now } as never);
    ({ state } = stepped);
    return stepped.changes.map(({ status, labels }) => `${index} ${status} ${labels.side}`);
  });
}
const far = [6, 40] as const;
const near = [0.6, 40] as const;

it('fires once the price is near a large level twice in a row while leverage is high, and ends when it is away', () => {
  expect(told([far, far, near, near, near, far, far, far, far])).toEqual([
    '3 firing LONG',
    '7 resolved LONG',
  ]);
});

it('knows nothing of a map that lies ahead, nor keeps the price it says', () => {
  expect(told([far, far, near, near], -hour)).toEqual([]);
  const answer = { symbol: 'BTCUSDT', price: 1, leverage: 40, zones: [], timestamp: iso(start + hour) };
  const { state } = detector.step(undefined, [answer] as never, { options, now: start });
  expect(state).toEqual({ values: {}, trails: {} });
});

it('takes a map of 20 minutes ago for the present, and none that is older', () => {
  const coming = [far, far, near, near];
  expect(told(coming, 20 * minute)).toEqual(['3 firing LONG']);
  expect(told(coming, 20 * minute + 1)).toEqual([]);
});

it.each([
  ['with low leverage', [far, far, [0.6, 8], [0.6, 8], [0.6, 8]] as const],
  ['with a leverage that is not known', [far, far, [0.6, undefined], [0.6, undefined]] as const],
  [
    'of a level that is small beside the others',
    [far, far, [0.6, 40, 1_000_000], [0.6, 40, 1_000_000]] as const,
  ],
  ['for a single map', [far, far, near, far, near, far] as const],
])('is silent %s', (_, maps) => {
  expect(told(maps)).toEqual([]);
});

it('is off by default, and says that its levels were no better than chance', () => {
  expect(detector.off).toContain('chance');
});
