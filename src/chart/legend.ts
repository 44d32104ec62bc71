import { type Reader, say } from '../language/say.ts';
import { font, inner, label, textWidth } from './layout.ts';
import type { Plot, PlotPanel, PlotSeries } from './prepare.ts';
import type { Theme } from './theme.ts';
import { valueText } from './value.ts';

/** What a colour stands for. `id` is the name ECharts knows it by: names of others may be alike. */
export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly icon: 'circle' | 'rect' | 'triangle';
  readonly color: string;
}

const longestName = 190;
const name = (text: string) => label(text, { room: longestName, size: font.legend });

export const seriesId = (panel: number, place: number): string => `series ${panel}.${place}`;

export const seriesColor = ({ tone, order }: Pick<PlotSeries, 'tone' | 'order'>, theme: Theme): string =>
  (tone === undefined ? theme.series[order % theme.series.length] : theme.tones[tone]) ?? theme.text;

/** Lines with their last value, then what lies behind and across them. */
export function legendEntries(
  plot: Plot,
  { theme, reader }: { readonly theme: Theme; readonly reader: Reader },
): Entry[] {
  const bands = [...new Map(plot.bands.map((band) => [band.name, band])).values()];
  const moments = [...Map.groupBy(plot.moments, (moment) => moment.name)];
  return [
    ...plot.panels.flatMap((panel, index) =>
      panel.series.map(
        (each, place): Entry => ({
          id: seriesId(index, place),
          text: seriesText(each, { ...panel, reader }),
          icon: each.shape === 'bars' ? 'rect' : 'circle',
          color: seriesColor(each, theme),
        }),
      ),
    ),
    ...bands.map(
      (band, index): Entry => ({
        id: `band ${index}`,
        text: name(band.name),
        icon: 'rect',
        color: theme.tones[band.tone],
      }),
    ),
    ...moments.map(
      ([text, all], index): Entry => ({
        id: `moment ${index}`,
        text: all.length === 1 ? name(text) : `${name(text)} × ${all.length}`,
        icon: 'triangle',
        color: theme.tones[all[0]?.tone ?? 'caution'],
      }),
    ),
  ];
}

/** The last of several bars beside each other is easily taken for their sum: only a lone one is written out. */
function seriesText(
  { name: text, shape, last }: PlotSeries,
  { unit, series, reader }: { readonly reader: Reader } & PlotPanel,
): string {
  const lone = shape !== 'bars' || series.filter((each) => each.shape === 'bars').length === 1;
  return lone && last !== undefined ? `${name(text)}  ${say(valueText(last, unit), reader)}` : name(text);
}

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
