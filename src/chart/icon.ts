import type { LegendEntry } from './model.ts';
import { type Shape, shape } from './shape.ts';
import { colourIn, type Theme } from './theme.ts';

export const iconSize = 10;

/** Draws what stands before a name in the legend, in a square of `iconSize`. */
export function iconOf(
  { shape: kind, colour }: Pick<LegendEntry, 'shape' | 'colour'>,
  theme: Theme,
): Shape[] {
  const fill = colourIn(theme, colour);
  if (kind === 'line') return [shape('circle', { cx: 5, cy: 5, r: 5, fill })];
  if (kind === 'moment') return [shape('path', { d: 'M0 10l5-10l5 10z', fill })];
  if (kind === 'level') return [shape('rect', { y: 4, width: iconSize, height: 2, fill })];
  if (kind !== 'candles') return [shape('rect', { width: iconSize, height: iconSize, fill })];
  return [
    shape('rect', { y: 2, width: 4, height: 8, fill: theme.tones.good }),
    shape('rect', { x: 6, width: 4, height: 8, fill: theme.tones.bad }),
  ];
}
