import { labelTitle } from '../language/format.ts';
import type { Text } from '../language/text.ts';
import type { Chart, Tone } from './alert.ts';

interface State {
  /** Market ms. */
  readonly at: number;
  readonly state: string;
}

/**
 * Returns the periods during which the state stayed the same, as bands of a chart. Rows must be in order of time. A row is
 * valid until the next row, but for at most `validFor` ms; after that the state is unknown. States without a tone get no band.
 */
export function bandsOf(
  rows: readonly State[],
  toneOf: (state: string) => Tone | undefined,
  validFor: number,
): NonNullable<Chart['bands']> {
  const bands: { name: Text; state: string; from: number; to: number; tone: Tone }[] = [];
  rows.forEach(({ at, state }, index) => {
    const to = Math.min(rows[index + 1]?.at ?? Number.POSITIVE_INFINITY, at + validFor);
    const tone = toneOf(state);
    if (tone === undefined || !(to > at)) return;
    const open = bands.at(-1);
    if (open?.state === state && open.to === at) open.to = to;
    else bands.push({ name: labelTitle(state), state, from: at, to, tone });
  });
  return bands.map(({ state: _, ...band }) => band);
}
