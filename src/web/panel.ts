import type { CardJson } from '../card/render-json.ts';
import { svg } from './dom.ts';
import { niceScale, shortened, shortNumber, stacked, unbroken } from './scale.ts';
import { locale } from './words.ts';

export type ChartJson = NonNullable<CardJson['chart']>;
export type PanelJson = Pick<ChartJson, 'unit' | 'series' | 'marks'>;

/** As many as theme.css has. */
const colours = 8;

/** Lines are told apart by their place among those of the whole figure whose tone does not say what they mean. */
export const colourOf = (tone: string | undefined, order: number): string =>
  tone === undefined ? `series-${order % colours}` : `tone-${tone}`;

/** The colour of every series of a figure, panel by panel. */
export function coloursOf(panels: readonly PanelJson[]): readonly (readonly string[])[] {
  let order = 0;
  return panels.map(({ series }) =>
    series.map(({ tone }) => colourOf(tone, tone === undefined ? order++ : 0)),
  );
}

export const margin = { top: 10, right: 14, bottom: 8, left: 50 };

/** Pixels. */
export const widestBar = 18;
/** Pixels from a mark's line down to the foot of its name. */
const markText = 13;

/** Pixels: two panels are each a little lower than one alone. */
export const panelHeight = (panels: number): number => (panels === 1 ? 146 : 128);

/** Where a panel is. */
export interface Frame {
  readonly x: (at: number) => number;
  /** Market ms at its ends. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly top: number;
  /** How many there are. */
  readonly panels: number;
}

/** One axis with all that shares it; what lies behind it, what crosses it. */
export function drawPanel(
  panel: PanelJson,
  {
    bands = [],
    moments = [],
    frame,
    colours,
  }: { readonly frame: Frame; readonly colours: readonly string[] } & ChartJson,
): SVGElement[] {
  const { x, from, to, width, top } = frame;
  const { series, marks = [] } = panel;
  const stacks = stacked(series);
  const lines = series.filter(({ shape }) => shape !== 'bars').flatMap(({ points }) => points);
  const scale = niceScale(
    [...lines.map(([, value]) => value), ...stacks.flat(2), ...marks.map(({ value }) => value)],
    4,
  );
  const [high, low] = [top + margin.top, top + panelHeight(frame.panels) - margin.bottom];
  const right = width - margin.right;
  const y = (value: number) => low - ((value - scale.min) / (scale.max - scale.min)) * (low - high);
  const within = (at: number) => x(Math.min(to, Math.max(from, at)));

  const drawn: SVGElement[] = bands
    .filter((band) => band.to > from && band.from < to)
    .map((band) =>
      svg('rect', {
        class: `band ${colourOf(band.tone, 0)}`,
        x: within(band.from),
        y: high,
        width: Math.max(0, within(band.to) - within(band.from)),
        height: low - high,
      }),
    );
  for (const tick of scale.ticks) {
    drawn.push(
      svg('line', {
        class: tick === 0 ? 'grid zero' : 'grid',
        x1: margin.left,
        x2: right,
        y1: y(tick),
        y2: y(tick),
      }),
      svg('text', { x: margin.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, shortNumber(tick, locale)),
    );
  }
  const moment = (at: number, tone: string | undefined) =>
    svg('line', {
      class: `moment ${colourOf(tone ?? 'caution', 0)}`,
      x1: x(at),
      x2: x(at),
      y1: high,
      y2: low,
    });
  drawn.push(...moments.filter(({ at }) => at >= from && at <= to).map(({ at, tone }) => moment(at, tone)));
  for (const [index, { points, shape }] of series.entries()) {
    const colour = colours[index] ?? '';
    drawn.push(
      ...(shape === 'bars'
        ? bars(points, { ...frame, ends: stacks[index] ?? [], colour, y })
        : trace(points, { ...frame, colour, y })),
    );
  }
  for (const { name, value, tone } of marks) {
    const kind = `mark ${colourOf(tone ?? 'bad', 0)}`;
    drawn.push(
      svg('line', { class: kind, x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
      svg(
        'text',
        // Under its line where there is no room above.
        {
          class: kind,
          x: margin.left + 4,
          y: y(value) < high + markText ? y(value) + markText : y(value) - 4,
        },
        shortened(name, right - margin.left - 8),
      ),
    );
  }
  return drawn;
}

type Points = PanelJson['series'][number]['points'];

function trace(
  points: Points,
  { colour, x, y }: { readonly colour: string; readonly y: (value: number) => number } & Frame,
): SVGElement[] {
  const last = points.at(-1);
  if (last === undefined) return [];
  const stretches = unbroken(points);
  const path = stretches.map(
    (stretch) => `M${stretch.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' L')}`,
  );
  // A point between two gaps is no line, and would not be seen.
  const alone = stretches.flatMap((stretch) => (stretch.length === 1 ? stretch : []));
  const dot = ([at, value]: readonly [number, number], r: number) =>
    svg('circle', { class: `dot ${colour}`, cx: x(at), cy: y(value), r });
  return [
    svg('path', { class: `trace ${colour}`, d: path.join('') }),
    ...alone.map((point) => dot(point, 1.5)),
    dot(last, 3),
  ];
}

/** As one path: thousands of rectangles would be thousands of elements. */
function bars(
  points: Points,
  {
    ends,
    colour,
    x,
    y,
  }: {
    readonly ends: readonly (readonly [number, number])[];
    readonly colour: string;
    readonly y: (value: number) => number;
  } & Frame,
): SVGElement[] {
  const places = points.map(([at]) => x(at));
  const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  const gap = gaps.filter((each) => each > 0).reduce((a, b) => Math.min(a, b), 26);
  const size = Math.max(1, Math.min(widestBar, gap * 0.7));
  const path = places.map((place, index) => {
    const [from, to] = ends[index] ?? [0, 0];
    const left = place - size / 2;
    return `M${left.toFixed(1)},${y(from).toFixed(1)}h${size.toFixed(1)}V${y(to).toFixed(1)}h${(-size).toFixed(1)}z`;
  });
  return path.length === 0 ? [] : [svg('path', { class: `bars ${colour}`, d: path.join('') })];
}
