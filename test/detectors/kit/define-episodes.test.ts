import { describe, expect, test } from 'vitest';
import { defineEpisodes, maxDataGap } from '#src/detectors/kit/define-episodes.ts';
import { said } from '../drive.ts';

/** High from 10 on; a market with the value null is no longer followed. */
const detector = defineEpisodes({
  name: 'high',
  description: 'It is high',
  preset: 'everything',
  smallest: () => '',
  schedule: '0 * * * * *',
  options: {},
  trail: { interval: 10, maxValues: 3 },
  rules: () => ({}),
  observe: async (): Promise<Readonly<Record<string, number | null>>> => ({}),
  look: (values, { now: at }) =>
    Object.entries(values).map(([key, value]) =>
      value === null
        ? { key, samples: [], gone: at }
        : {
            key,
            samples: [{ at, side: value >= 10 ? 'HIGH' : null, strong: true }],
            trace: [at, value] as const,
          },
    ),
  labelsOf: (symbol) => ({ symbol }),
  endsUnseen: true,
  tell: (_, { now, past }) => ({
    title: JSON.stringify(past),
    summary: '',
    facts: [],
    dataTime: now,
  }),
});

function run(looks: readonly (readonly [now: number, values: Readonly<Record<string, number | null>>])[]) {
  let state: ReturnType<typeof detector.step>['state'] | undefined;
  const texts = looks.map(([now, values]) => {
    const stepped = detector.step(state, values, { options: {}, now });
    state = stepped.state;
    return stepped.changes.map((change) => `${change.status} ${said(change).title}`).join();
  });
  return { texts, state };
}

describe('followed values', () => {
  test('have texts with their past, as finely as it is stored, up to now', () => {
    const { texts } = run([
      [11, { a: 1, b: 7 }],
      [17, { a: 2, b: 7 }],
      [25, { a: 3, b: 7 }],
      [31, { a: 12, b: 7 }],
    ]);
    expect(texts.at(-1)).toBe('firing [[10,2],[20,3],[31,12]]');
  });

  test('that are no longer followed end and are forgotten with their past', () => {
    const { texts, state } = run([
      [1, { a: 1, b: 1 }],
      [11, { a: 12, b: 1 }],
      [21, { a: null, b: 1 }],
    ]);
    expect(texts).toEqual(['', 'firing [[0,1],[11,12]]', 'resolved []']);
    expect(Object.keys(state?.values ?? {})).toEqual(['b']);
    expect(Object.keys(state?.trails ?? {})).toEqual(['b']);
  });

  test('that no look has any more lose their past once it is too old for any chart', () => {
    const trailsAfter = (...looks: Parameters<typeof run>[0]) =>
      Object.keys(run([[11, { a: 12, b: 1 }], [21, { a: 1, b: 1 }], ...looks]).state?.trails ?? {});
    expect(trailsAfter([31, { b: 1 }], [49, { b: 1 }])).toEqual(['a', 'b']);
    expect(trailsAfter([31, { b: 1 }], [50, { b: 1 }])).toEqual(['b']);
    expect(trailsAfter([99, {}])).toEqual(['a', 'b']);
  });

  test('that are open end once they have had no data for too long while others had', () => {
    const high = { a: 12, b: 12 };
    const after = (...looks: Parameters<typeof run>[0]) => run([[1, { a: 1, b: 1 }], [11, high], ...looks]);
    const { texts, state } = after([11 + maxDataGap, { b: 12 }], [12 + maxDataGap, { b: 12 }]);
    expect(texts.slice(2)).toEqual(['', 'resolved no data for a since 1 Jan 1970, 00:00 UTC']);
    expect(Object.keys(state?.values ?? {})).toEqual(['b']);
    // While nothing has any data, all are unknown, also when data comes again.
    expect(after([99 + maxDataGap, {}], [99 + 2 * maxDataGap, high]).texts.slice(2)).toEqual(['', '']);
  });

  test('that were open at the baseline are forgotten in silence then', () => {
    const { texts, state } = run([
      [1, { a: 12, b: 1 }],
      [2 + maxDataGap, { b: 1 }],
    ]);
    expect(texts).toEqual(['', '']);
    expect(Object.keys(state?.values ?? {})).toEqual(['b']);
  });

  test('in a state of another shape are ignored, so that the detector begins with a silent baseline', () => {
    const before = { dataTime: 1, symbols: {}, waves: {} };
    expect(detector.state.safeParse(before).success).toBe(false);
    expect(detector.state.safeParse(run([[1, { a: 1 }]]).state).success).toBe(true);
  });
});
