import type { Chart } from '../alert/alert.ts';
import type { Reader } from '../language/say.ts';
import { iconOf, iconSize } from './icon.ts';
import { type ChartModel, fontSize, type LegendEntry, modelOf } from './model.ts';
import { baseline, heightOf, paintPanels } from './panels.ts';
import { chartReader, plainChart } from './plain-chart.ts';
import { type Shape, shape } from './shape.ts';
import { shorten, textWidth } from './text-width.ts';
import { type Theme, type ThemeName, themes } from './theme.ts';

export interface DrawOptions extends Reader {
  readonly theme: ThemeName;
}

/**
 * The size of a picture in CSS pixels. A phone shows it about 360 wide, so that 12 here are 10 there. It is drawn with
 * `zoom` pixels to one, 990 wide, for screens with three.
 */
export const picture = { width: 440, zoom: 2.25 } as const;
const margin = 16;
/** The room between the two margins. */
const innerWidth = picture.width - 2 * margin;
const sizes = { title: 16, longTitle: 13, legend: 13 } as const;
/** The middles of the title and of the legend’s first row, the height of a row, and the room for the source below. */
const places = { title: 22, legend: 46, row: 21, footer: 25 } as const;
const icon = { size: iconSize, gap: 5, next: 12, name: 190 } as const;

/** Draws a chart with all that explains it: title and units above, legend, source and time of the last value below. */
export function drawPicture(chart: Chart<string>, options: DrawOptions): Shape {
  const theme = themes[options.theme];
  const reader = chartReader(options);
  const model = modelOf(plainChart(chart), reader);
  const { shapes, unnamed } = paintPanels(model, { width: innerWidth, theme, reader });
  const rows = rowsOf([...model.legend, ...unnamed].map(entryOf));
  const top = places.legend + (rows.length - 0.5) * places.row;
  const height = Math.ceil(top + heightOf(model) + places.footer);
  return shape(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: picture.width,
      height,
      'font-family': 'Inter',
      'font-size': fontSize,
      fill: theme.text,
      'xml:space': 'preserve',
    },
    shape('rect', { width: picture.width, height, fill: theme.ground }),
    ...titles(model, { theme, height }),
    ...rows.flatMap((row, index) => legendRow(row, places.legend + index * places.row, theme)),
    shape('g', { transform: `translate(${margin} ${top})` }, ...shapes),
  );
}

/** Returns the texts that belong to no panel. Names are texts of others, shortened where their room ends. */
function titles(
  { title, source = '', units, until, omitted = '' }: ChartModel,
  { theme, height }: { readonly theme: Theme; readonly height: number },
): Shape[] {
  const soft = { fill: theme.soft };
  const end = { ...soft, x: picture.width - margin, 'text-anchor': 'end' };
  const unit = units.map((each) => shorten(each, { room: 90, size: fontSize })).join(' / ');
  const titleRoom = innerWidth - textWidth(unit, fontSize) - 12;
  // The title names market and window: if it is too long, it is written smaller before it is shortened.
  const size = textWidth(title, sizes.title) > titleRoom ? sizes.longTitle : sizes.title;
  const notes = [source, omitted].filter((note) => note !== '').join(', ');
  const noteRoom = innerWidth - textWidth(until, fontSize) - 12;
  const below = height - 14;
  return [
    shape(
      'text',
      { x: margin, y: places.title + size * 0.36, 'font-size': size, 'font-weight': 600 },
      shorten(title, { room: titleRoom, size }),
    ),
    shape('text', { ...end, y: places.title + baseline }, unit),
    shape('text', { ...soft, x: margin, y: below }, shorten(notes, { room: noteRoom, size: fontSize })),
    shape('text', { ...end, y: below }, until),
  ].filter(({ children }) => children[0] !== '');
}

interface Entry extends Pick<LegendEntry, 'shape' | 'colour'> {
  readonly text: string;
  /** With its icon. */
  readonly width: number;
}

function entryOf({ shape, name, value, colour }: LegendEntry): Entry {
  const short = shorten(name, { room: icon.name, size: sizes.legend });
  // Two spaces before a number, one before how often a moment is marked.
  const text = value === undefined ? short : `${short}${shape === 'moment' ? ' ' : '  '}${value}`;
  return { shape, colour, text, width: icon.size + icon.gap + textWidth(text, sizes.legend) };
}

/** Breaks the legend into rows, each as full as possible. */
function rowsOf(entries: readonly Entry[]): Entry[][] {
  const rows: Entry[][] = [];
  let left = 0;
  for (const entry of entries) {
    if (entry.width > left) {
      rows.push([]);
      left = innerWidth;
    }
    rows.at(-1)?.push(entry);
    left -= entry.width + icon.next;
  }
  return rows;
}

function legendRow(row: readonly Entry[], middle: number, theme: Theme): Shape[] {
  let left: number = margin;
  return row.flatMap((entry) => {
    const begin = left;
    left += entry.width + icon.next;
    return [
      shape('g', { transform: `translate(${begin} ${middle - icon.size / 2})` }, ...iconOf(entry, theme)),
      shape(
        'text',
        {
          x: begin + icon.size + icon.gap,
          y: middle + sizes.legend * 0.36,
          'font-size': sizes.legend,
        },
        entry.text,
      ),
    ];
  });
}
