import type { RegimeNow, RegimePast } from '../platforms/web/ports/board.ts';
import { hour } from '../runtime/lengths.ts';

/** A published regime older than this is not that of now, ms. */
const validFor = 2 * hour;

/**
 * Returns the past regimes and the present one, which is the published one. The past is heard once an hour, so that what it says
 * of the time since the present regime began is of before.
 */
export function stretchesUntil(
  now: number,
  past: RegimePast['stretches'],
  regime: RegimeNow | undefined,
): RegimePast['stretches'] {
  const last = past.at(-1);
  if (regime === undefined) return past;
  const { state, at, probabilities } = regime;
  const since = regime.since ?? (last?.[2] === state ? last[0] : (last?.[1] ?? at));
  const to = Math.min(now, at + validFor);
  const before = past
    .filter(([from]) => from < since)
    .map(([from, end, ...rest]) => [from, Math.min(end, since), ...rest] as const);
  if (to <= since) return before;
  return [...before, [since, to, state, last?.[2] === state ? last[3] : (probabilities[state] ?? 0)]];
}
