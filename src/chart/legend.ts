import { font, inner, label, textWidth } from './layout.ts';
import type { LegendEntry } from './model.ts';
import { colourIn, type Theme } from './theme.ts';

/** What a colour stands for, in a picture. `id` is the name ECharts knows it by: names of others may be alike. */
export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly icon: 'circle' | 'rect' | 'triangle';
  readonly color: string;
}

const longestName = 190;
const icons = { line: 'circle', bars: 'rect', band: 'rect', moment: 'triangle' } as const;
/** Between a name and its value: two spaces before a figure, one before how often. */
const space = { line: '  ', bars: '  ', band: ' ', moment: ' ' } as const;

export const entriesOf = (legend: readonly LegendEntry[], theme: Theme): Entry[] =>
  legend.map(({ shape, name, value, colour }, index) => {
    const short = label(name, { room: longestName, size: font.legend });
    return {
      id: `entry ${index}`,
      text: value === undefined ? short : `${short}${space[shape]}${value}`,
      icon: icons[shape],
      color: colourIn(theme, colour),
    };
  });

export const icon = { size: 10, gap: 5 } as const;
export const entryGap = 12;

/** The legend's lines, each as full as it gets. */
export function wrapEntries(entries: readonly Entry[]): Entry[][] {
  const rows: Entry[][] = [];
  let left = 0;
  for (const entry of entries) {
    const size = icon.size + icon.gap + textWidth(entry.text, font.legend) + entryGap;
    if (size > left) {
      rows.push([]);
      left = inner + entryGap;
    }
    rows.at(-1)?.push(entry);
    left -= size;
  }
  return rows;
}
