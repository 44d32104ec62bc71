import type { Text } from '../language/text.ts';
import type { Chart, Panel } from './alert.ts';

/** Returns the panels of a chart, from top to bottom. Lanes have a name. */
export const panelsOf = <Words extends Text>(
  chart: Chart<Words>,
): readonly (Panel<Words> & { readonly name?: Words })[] => {
  const { unit, series, marks = [], below, lanes = [] } = chart;
  return [{ unit, series, marks }, ...(below === undefined ? [] : [below]), ...lanes];
};

/** Returns a chart with each of its texts as `write` writes it. */
export function chartWritten<Words extends Text>(
  chart: Chart<Words>,
  write: (text: Words) => string,
): Chart<string> {
  const named = <Part extends { readonly name: Words }>(part: Part) => ({ ...part, name: write(part.name) });
  const panel = ({ unit, series, marks }: Panel<Words>): Panel<string> => ({
    unit: write(unit),
    series: series.map(named),
    marks: marks?.map(named),
  });
  const { title, source, below, lanes, bands, moments } = chart;
  return {
    ...panel(chart),
    title: write(title),
    source: source && write(source),
    below: below && panel(below),
    lanes: lanes?.map((lane) => ({ ...panel(lane), name: write(lane.name) })),
    bands: bands?.map(named),
    moments: moments?.map(named),
  };
}
