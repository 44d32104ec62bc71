/** Draws the panels of a chart, the same for pictures and the page. Pixels are CSS pixels. */
import { type Area, placeLabels } from './labels.ts';
import { type ChartModel, fontSize, type LegendEntry, type PanelModel, stacksOf, ticksOf } from './model.ts';
import { box, lineOf, type Place, type Plane, round, stretchesOf } from './paths.ts';
import { leastStep } from './prepare.ts';
import type { ChartReader } from './reader.ts';
import { type Shape, shape } from './shape.ts';
import { shorten, textWidth } from './text-width.ts';
import { type Colour, colourIn, type Theme } from './theme.ts';

/** Heights: of the first panel and the room above it, of each other and the gap above it, and of the times below. */
const heights = { above: 17, first: 155, gap: 20, lane: 70, times: 25 } as const;
/** Where a line of text stands whose middle is at 0, and the distance of an axis’ labels from it. */
export const baseline = 4.4;
const axisGap = 6;

export const heightOf = ({ panels }: Pick<ChartModel, 'panels'>): number =>
  heights.above + heights.first + (panels.length - 1) * (heights.gap + heights.lane) + heights.times;

interface Painted {
  readonly shapes: readonly Shape[];
  /** Where the panels are, and where a time is in them. */
  readonly plot: { readonly top: number; readonly bottom: number; readonly x: (at: number) => number };
  /** The levels whose names have no room beside them. */
  readonly unnamed: readonly LegendEntry[];
}

/** Draws the panels in a given width, with their axes: values on the right, where a line ends, times below. */
export function paintPanels(
  model: ChartModel,
  { width, theme, reader }: { readonly width: number; readonly theme: Theme; readonly reader: ChartReader },
): Painted {
  const labels = model.panels.flatMap(({ ticks }) => ticks.map(({ text }) => textWidth(text, fontSize)));
  const axis = axisGap + Math.ceil(Math.max(0, ...labels));
  const right = Math.max(1, width - axis);
  const { from, to } = model.range ?? { from: 0, to: 1 };
  const x = (at: number) => ((at - from) / (to - from)) * right;
  const top = heights.above;
  const areas = model.panels.map((panel, index) => {
    const begin =
      index === 0 ? top : top + heights.first + heights.gap + (index - 1) * (heights.lane + heights.gap);
    return areaOf(panel, {
      top: begin,
      bottom: begin + (index === 0 ? heights.first : heights.lane),
      right,
      x,
    });
  });
  const bottom = areas.at(-1)?.bottom ?? top;
  const painted = areas.map((area) => paintPanel(area, model, theme));
  const times = ticksOf(model, { width: right, right: axis, reader }).map(({ at, label }) =>
    shape('text', { x: round(x(at)), y: bottom + 19, fill: theme.soft, 'text-anchor': 'middle' }, label),
  );
  const nothing = { x: round(right / 2), y: top + heights.first / 2, 'font-size': 16, fill: theme.soft };
  return {
    shapes: [
      ...painted.flatMap(({ shapes }) => shapes),
      ...times,
      ...(model.nothing === undefined
        ? []
        : [shape('text', { ...nothing, 'text-anchor': 'middle' }, model.nothing)]),
    ],
    plot: { top, bottom, x },
    unnamed: painted.flatMap(({ unnamed }) => unnamed),
  };
}

const areaOf = (panel: PanelModel, place: Pick<Area, 'top' | 'bottom' | 'right' | 'x'>): Area => {
  const { min, max } = panel.scale;
  const { top, bottom } = place;
  const y = (value: number) => bottom - ((value - min) / (max - min)) * (bottom - top);
  return { ...place, panel, y: (value) => Math.min(bottom, Math.max(top, y(value))) };
};

function paintPanel(
  area: Area,
  model: ChartModel,
  theme: Theme,
): Pick<Painted, 'unnamed'> & { readonly shapes: Shape[] } {
  const { panel, top, bottom, right, x, y } = area;
  const ink = (colour: Colour) => colourIn(theme, colour);
  const { shapes: names, unnamed } = placeLabels(area, theme);
  // Gridlines lie on whole pixels, where they are sharp.
  const grid = panel.ticks.map(({ value }) => `M0 ${Math.round(y(value)) + 0.5}H${round(right)}`).join('');
  return {
    unnamed,
    shapes: [
      // A lane shows what it is about; behind five of them a band would be most of the picture.
      ...(panel.caption === undefined ? model.bands : []).map(({ from, to, colour }) =>
        filled(box([x(from), top], [x(to) - x(from), bottom - top]), {
          fill: ink(colour),
          'fill-opacity': 0.2,
        }),
      ),
      ...panel.marks.flatMap(({ value, to, colour }) => {
        if (to === undefined) return [];
        const [low, high] = [y(Math.min(value, to)), y(Math.max(value, to))];
        return [
          filled(box([0, high], [right, Math.max(1, low - high)]), {
            fill: ink(colour),
            'fill-opacity': 0.15,
          }),
        ];
      }),
      stroked(grid, { stroke: theme.rule, 'stroke-width': 1 }),
      ...panel.ticks.map(({ value, text }) =>
        shape('text', { x: round(right + axisGap), y: round(y(value) + baseline), fill: theme.soft }, text),
      ),
      ...(panel.zero
        ? [stroked(`M0 ${round(y(0))}H${round(right)}`, { stroke: ink('neutral'), 'stroke-width': 1 })]
        : []),
      ...barsOf(area, theme),
      ...panel.series.flatMap((each) =>
        each.shape === 'candles' ? candlesOf(each.points, { area, theme }) : [],
      ),
      ...linesOf(area, theme),
      ...model.moments.map(({ at, colour }) =>
        stroked(`M${round(x(at))} ${top}V${bottom}`, { stroke: ink(colour), 'stroke-width': 1.25 }),
      ),
      ...panel.marks
        .filter(({ to }) => to === undefined)
        .map(({ value, colour }) =>
          stroked(`M0 ${round(y(value))}H${round(right)}`, {
            stroke: ink(colour),
            'stroke-width': 1.5,
            'stroke-dasharray': '5 4',
          }),
        ),
      ...dotsOf(area, theme),
      ...(panel.caption === undefined
        ? []
        : [
            shape(
              'text',
              { x: 0, y: top - 6, fill: theme.soft },
              shorten(panel.caption, { room: right, size: fontSize }),
            ),
          ]),
      ...names,
    ].filter(({ attributes }) => attributes.d !== ''),
  };
}

const filled = (d: string, given: Shape['attributes']): Shape => shape('path', { d, ...given });
const stroked = (d: string, given: Shape['attributes']): Shape =>
  shape('path', { d, fill: 'none', ...given });

function linesOf({ panel, x, y }: Area, theme: Theme): Shape[] {
  return panel.series.flatMap(({ shape: kind, points, colour, base }) => {
    if (kind === 'bars' || kind === 'candles') return [];
    const stretches = stretchesOf(points, { x, y }).filter(({ length }) => length > 1);
    const color = colourIn(theme, colour);
    const drawn = stretches.map((places) => ({ places, ...lineOf(places, { steps: kind === 'steps' }) }));
    const pathsOf = (isClosed: boolean) =>
      drawn.flatMap((each) => (each.isClosed === isClosed ? [each.path] : [])).join('');
    const tint =
      base === undefined
        ? []
        : drawn.map(({ places, edge }) => `${edge}V${round(y(base))}H${round(places[0]?.[0] ?? 0)}Z`);
    return [
      filled(tint.join(''), { fill: color, 'fill-opacity': 0.1 }),
      filled(pathsOf(true), { fill: color }),
      stroked(pathsOf(false), {
        stroke: color,
        'stroke-width': 2,
        'stroke-linejoin': 'bevel',
      }),
    ];
  });
}

/** Draws the last value of each line, and values between two gaps, which make no line and would not be seen. */
function dotsOf({ panel, x, y }: Area, theme: Theme): Shape[] {
  const dot = ([cx, cy]: Place, given: Shape['attributes']) =>
    shape('circle', { cx: round(cx), cy: round(cy), ...given });
  return panel.series.flatMap(({ shape: kind, points, colour }) => {
    if (kind === 'bars' || kind === 'candles') return [];
    const fill = colourIn(theme, colour);
    const stretches = stretchesOf(points, { x, y });
    const last = stretches.at(-1)?.at(-1);
    const alone = stretches.flatMap(([first, ...more]) =>
      first === undefined || more.length > 0 ? [] : [first],
    );
    return [
      ...alone.filter((each) => each !== last).map((place) => dot(place, { r: 2, fill })),
      ...(last === undefined ? [] : [dot(last, { r: 4, fill, stroke: theme.ground, 'stroke-width': 1.5 })]),
    ];
  });
}

/** Returns how wide a bar is. `part` is what it takes of the distance to the next. */
const barWidth = (
  times: readonly number[],
  { x, part, most }: Pick<Plane, 'x'> & { part: number; most: number },
) => Math.max(1, Math.min(most, leastStep(times.map(x), most / part) * part));

function barsOf({ panel, x, y }: Area, theme: Theme): Shape[] {
  const stacks = stacksOf(panel.series);
  const width = barWidth(
    stacks.flatMap((bars) => bars.map(([at]) => at)),
    { x, part: 0.75, most: 16 },
  );
  return stacks.map((bars, index) => {
    const boxes = bars.map(([at, from, to]) => {
      const [high, low] = [y(Math.max(from, to)), y(Math.min(from, to))];
      return box([x(at) - width / 2, high], [width, low - high]);
    });
    return filled(boxes.join(''), { fill: colourIn(theme, panel.series[index]?.colour ?? 0) });
  });
}

/** Draws candles, and their volume over the lower quarter of the panel: those that rose and those that fell. */
function candlesOf(
  points: PanelModel['series'][number]['points'],
  { area: { x, y, top, bottom }, theme }: { readonly area: Area; readonly theme: Theme },
): Shape[] {
  const width = barWidth(
    points.map(([at]) => at),
    { x, part: 0.7, most: 12 },
  );
  const wick = Math.min(1.25, width);
  const most = points.reduce((highest, [, , , , , volume = 0]) => Math.max(highest, volume), 0);
  const risen = (does: boolean) =>
    points.filter(([, close, open = 0]) => close !== null && close >= open === does);
  return [true, false].flatMap((does) => {
    const fill = colourIn(theme, does ? 'good' : 'bad');
    const bodies = risen(does).map(([at, value, open = 0, high = 0, low = 0]) => {
      const close = value ?? open;
      const [upper, lower] = [y(Math.max(open, close)), y(Math.min(open, close))];
      return (
        box([x(at) - wick / 2, y(high)], [wick, y(low) - y(high)]) +
        box([x(at) - width / 2, upper], [width, Math.max(1, lower - upper)])
      );
    });
    const volumes = risen(does).map(([at, , , , , volume = 0]) => {
      const height = most === 0 ? 0 : (volume / most) * (bottom - top) * 0.25;
      return height === 0 ? '' : box([x(at) - width / 2, bottom - height], [width, height]);
    });
    return [filled(volumes.join(''), { fill, 'fill-opacity': 0.3 }), filled(bodies.join(''), { fill })];
  });
}
