import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { stretchesUntil } from '#src/web/stretches.ts';

const past = [
  [0, 10, 'RISK_OFF', 0.6],
  [10, 20, 'RISK_ON', 0.8],
].map(([from, to, state, confidence]) => [
  Number(from) * hour,
  Number(to) * hour,
  String(state),
  Number(confidence),
]) as [number, number, string, number][];
const regime = (state: string, { since, at }: { readonly since?: number; readonly at: number }) => ({
  ...{ state, at: at * hour, probabilities: { [state]: 0.5 } },
  ...(since !== undefined && { since: since * hour }),
});

it.each([
  ['goes on until now', regime('RISK_ON', { since: 10, at: 21 }), 21, [0, 'RISK_OFF', 10, 'RISK_ON', 21]],
  [
    'has turned since the past was heard',
    regime('TRANSITION', { since: 18, at: 21 }),
    21,
    [0, 'RISK_OFF', 10, 'RISK_ON', 18, 'TRANSITION', 21],
  ],
  [
    'has turned, and nobody knows when',
    regime('TRANSITION', { at: 21 }),
    21,
    [0, 'RISK_OFF', 10, 'RISK_ON', 20, 'TRANSITION', 21],
  ],
  ['was heard days ago', regime('RISK_ON', { since: 10, at: 21 }), 90, [0, 'RISK_OFF', 10, 'RISK_ON', 23]],
  [
    'has lasted longer than the past says',
    regime('RISK_ON', { since: 5, at: 21 }),
    21,
    [0, 'RISK_OFF', 5, 'RISK_ON', 21],
  ],
  ['is not known', undefined, 90, [0, 'RISK_OFF', 10, 'RISK_ON', 20]],
] as const)('the band ends with the regime beside it, which %s', (_, now, at, expected) => {
  const shown = stretchesUntil(at * hour, past, now);
  expect([
    ...shown.flatMap(([from, , state]) => [from / hour, state]),
    Number(shown.at(-1)?.[1]) / hour,
  ]).toEqual(expected);
});
