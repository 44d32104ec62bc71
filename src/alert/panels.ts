import type { Text } from '../language/text.ts';
import type { Chart, Panel } from './alert.ts';

/** Returns the panels of a chart, from top to bottom. Lanes have a name. */
export const panelsOf = <Words extends Text>(
  chart: Chart<Words>,
): readonly (Panel<Words> & { readonly name?: Words })[] => {
  const { unit, series, marks = [], below, lanes = [] } = chart;
  return [{ unit, series, marks }, ...(below === undefined ? [] : [below]), ...lanes];
};
