import { font, innerWidth, label, textWidth } from './layout.ts';
import type { LegendEntry } from './model.ts';
import { colourIn, type Theme } from './theme.ts';

/** An entry of a picture's legend. `id` is the name by which ECharts knows it, because the names of series may be alike. */
export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly icon: 'circle' | 'rect' | 'triangle';
  readonly color: string;
}

const maxNameWidth = 190;
const icons = { line: 'circle', bars: 'rect', band: 'rect', moment: 'triangle' } as const;
/** What stands between a name and its value: two spaces before a number, one before how often a moment is marked. */
const valueSeparators = { line: '  ', bars: '  ', band: ' ', moment: ' ' } as const;

export const entriesOf = (legend: readonly LegendEntry[], theme: Theme): Entry[] =>
  legend.map(({ shape, name, value, colour }, index) => {
    const short = label(name, { room: maxNameWidth, size: font.legend });
    return {
      id: `entry ${index}`,
      text: value === undefined ? short : `${short}${valueSeparators[shape]}${value}`,
      icon: icons[shape],
      color: colourIn(theme, colour),
    };
  });

export const icon = { size: 10, gap: 5 } as const;
export const entryGap = 12;

/** Breaks the legend into lines, each as full as possible. */
export function wrapEntries(entries: readonly Entry[]): Entry[][] {
  const rows: Entry[][] = [];
  let widthLeft = 0;
  for (const entry of entries) {
    const size = icon.size + icon.gap + textWidth(entry.text, font.legend) + entryGap;
    if (size > widthLeft) {
      rows.push([]);
      widthLeft = innerWidth + entryGap;
    }
    rows.at(-1)?.push(entry);
    widthLeft -= size;
  }
  return rows;
}
