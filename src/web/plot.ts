import uPlot from 'uplot';
import { type ChartModel, type PanelModel, stacksOf } from '../chart/model.ts';
import { colourIn, type Theme } from '../chart/theme.ts';

/** A chart on the page. */
export interface Painted {
  /** Sets the width after the chart's place was resized, CSS pixels. */
  setWidth(width: number): void;
  /** Moves the cursor to one of the chart's times, given by its index; undefined removes the cursor. */
  point(index: number | undefined): void;
  destroy(): void;
}

export interface PlotOptions {
  readonly ticks: (width: number) => readonly { readonly at: number; readonly label: string }[];
  readonly width: number;
  readonly theme: Theme;
  /** All times of the chart's series, oldest first. */
  readonly times: readonly number[];
  /** Called when the pointer moves to one of the times, with its index, or leaves. */
  readonly onPoint: (index: number | undefined) => void;
}

/** In CSS pixels; their sum is in chart.css. */
const heights = { first: 176, second: 88, times: 24 };
const padding = { top: 18, left: 2 };
const steps = uPlot.paths.stepped?.({ align: 1 });
const size = { text: 12, line: 2, bar: 16 };
/** uPlot reads the size of its fonts as a whole number of pixels. */
const font = (weight: number, scale = 1) =>
  `${weight} ${Math.round(size.text * scale)}px Inter, system-ui, sans-serif`;

/** Draws a chart into an element: one canvas for each panel, over the same time range. */
export function paint(
  place: HTMLElement,
  { model, ...options }: { readonly model: ChartModel } & PlotOptions,
): Painted {
  const axisWidth = Math.ceil(widest(model)) + 12;
  const last = model.panels.length - 1;
  const sizeOf = (index: number, width: number) => ({
    width,
    height: (index === 0 ? heights.first : heights.second) + (index === last ? heights.times : 0),
  });
  const plots = model.panels.map(
    (panel, index) =>
      new uPlot(
        {
          ...sizeOf(index, options.width),
          ...panelOptions(panel, { ...options, model, axisWidth, isLast: index === last }),
        },
        dataOf(panel, options.times),
        place,
      ),
  );
  return {
    setWidth(width) {
      for (const [index, plot] of plots.entries()) plot.setSize(sizeOf(index, width));
    },
    point(index) {
      for (const plot of plots) {
        const left = index === undefined ? -10 : plot.valToPos(options.times[index] ?? 0, 'x');
        plot.setCursor({ left, top: index === undefined ? -10 : 0 }, false);
      }
    },
    destroy() {
      for (const plot of plots) plot.destroy();
    },
  };
}

function widest({ panels }: ChartModel): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 60;
  context.font = font(400);
  const texts = panels.flatMap(({ ticks }) => ticks.map(({ text }) => text));
  return Math.max(0, ...texts.map((text) => context.measureText(text).width));
}

/** Converts values to fractions of their axis: uPlot always works with a scale from 0 to 1. */
const toFraction =
  ({ scale: { min, max } }: PanelModel) =>
  (value: number): number =>
    (value - min) / (max - min);

/** A gap in a series is null. A time at which a series has no value at all is undefined, which is not a gap. */
function dataOf(panel: PanelModel, times: readonly number[]): uPlot.AlignedData {
  const part = toFraction(panel);
  const rows = panel.series.map(({ points, shape }) => {
    const values = new Map(points.map(([at, value]) => [at, value === null ? null : part(value)]));
    return times.map((at) => (shape === 'bars' ? null : values.get(at)));
  });
  return [[...times], ...rows] as uPlot.AlignedData;
}

function panelOptions(
  panel: PanelModel,
  {
    model,
    ticks,
    theme,
    axisWidth,
    isLast,
    onPoint,
  }: { readonly model: ChartModel; readonly axisWidth: number; readonly isLast: boolean } & PlotOptions,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { from, to } = model.range ?? { from: 0, to: 1 };
  const part = toFraction(panel);
  const axis = { stroke: theme.soft, font: font(400), ticks: { show: false } };
  return {
    scales: { x: { time: false, range: [from, to] }, y: { range: [0, 1] } },
    padding: [padding.top, null, isLast ? 0 : 6, padding.left],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    axes: [
      {
        ...axis,
        show: isLast,
        size: heights.times,
        gap: 6,
        grid: { show: false },
        splits: ({ width }) => ticks(width).map(({ at }) => at),
        values: ({ width }) => ticks(width).map(({ label }) => label),
      },
      {
        ...axis,
        side: 1,
        size: axisWidth,
        gap: 8,
        grid: { stroke: theme.rule, width: 1 },
        splits: () => panel.ticks.map(({ value }) => part(value)),
        values: () => panel.ticks.map(({ text }) => text),
      },
    ],
    series: [
      {},
      ...panel.series.map(({ colour, base, shape }): uPlot.Series => {
        const stroke = colourIn(theme, colour);
        return {
          stroke,
          width: size.line,
          cap: 'round',
          points: { show: false },
          ...(shape === 'bars' && { paths: () => null }),
          ...(shape === 'steps' && steps && { paths: steps }),
          ...(base !== undefined && { fill: `${stroke}1a`, fillTo: part(base) }),
        };
      }),
    ],
    hooks: {
      drawClear: [(plot) => clipToPanel(plot, () => drawBands(plot, { model, theme }))],
      drawAxes: [
        (plot) =>
          clipToPanel(plot, () => {
            if (panel.zero) drawLevel(plot, { at: part(0), stroke: theme.soft, width: 1 });
            drawBars(plot, { panel, theme });
          }),
      ],
      draw: [(plot) => drawOver(plot, { panel, model, theme })],
      setCursor: [({ cursor: { left = -1, idx } }) => onPoint(left < 0 ? undefined : (idx ?? undefined))],
    },
  };
}

/** Clips the drawing to the panel. */
function clipToPanel({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

function drawBands(
  plot: uPlot,
  { model, theme }: { readonly model: ChartModel; readonly theme: Theme },
): void {
  const { ctx, bbox } = plot;
  for (const { from, to, colour } of model.bands) {
    const left = plot.valToPos(from, 'x', true);
    ctx.globalAlpha = 0.2;
    ctx.fillStyle = colourIn(theme, colour);
    ctx.fillRect(left, bbox.top, plot.valToPos(to, 'x', true) - left, bbox.height);
  }
}

function drawBars(
  plot: uPlot,
  { panel, theme }: { readonly panel: PanelModel; readonly theme: Theme },
): void {
  const part = toFraction(panel);
  const stacks = stacksOf(panel.series);
  const places = [...new Set(stacks.flat().map(([at]) => at))]
    .map((at) => plot.valToPos(at, 'x', true))
    .sort((a, b) => a - b);
  const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  const gap = gaps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const width = Math.max(1, Math.min(size.bar * uPlot.pxRatio, gap * 0.75));
  for (const [index, bars] of stacks.entries()) {
    plot.ctx.fillStyle = colourIn(theme, panel.series[index]?.colour ?? 0);
    for (const [at, from, to] of bars) {
      const [x, low, high] = [
        plot.valToPos(at, 'x', true),
        plot.valToPos(part(from), 'y', true),
        plot.valToPos(part(to), 'y', true),
      ];
      plot.ctx.fillRect(x - width / 2, Math.min(low, high), width, Math.abs(high - low));
    }
  }
}

interface Line {
  readonly stroke: string;
  /** CSS pixels. */
  readonly width: number;
  readonly dash?: readonly number[];
}

function drawLevel(plot: uPlot, { at, ...line }: { readonly at: number } & Line): void {
  const { left, width } = plot.bbox;
  const y = plot.valToPos(at, 'y', true);
  stroke(plot, { ...line, path: [left, y, left + width, y] });
}

function stroke(
  { ctx }: uPlot,
  {
    stroke,
    width,
    dash = [],
    path: [x1, y1, x2, y2],
  }: { readonly path: readonly [number, number, number, number] } & Line,
): void {
  ctx.strokeStyle = stroke;
  ctx.lineWidth = width * uPlot.pxRatio;
  ctx.setLineDash(dash.map((length) => length * uPlot.pxRatio));
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Draws what lies over the lines: moments, points, and the levels with their names. */
function drawOver(
  plot: uPlot,
  { panel, model, theme }: { readonly panel: PanelModel; readonly model: ChartModel; readonly theme: Theme },
): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const part = toFraction(panel);
  ctx.save();
  for (const { at, colour } of model.moments) {
    const x = plot.valToPos(at, 'x', true);
    const path = [x, bbox.top, x, bbox.top + bbox.height] as const;
    stroke(plot, { stroke: colourIn(theme, colour), width: 1.25, path });
  }
  for (const { points, shape, colour } of panel.series) {
    if (shape === 'bars') continue;
    const last = points.findLastIndex(([, value]) => value !== null);
    const known = (index: number) => (points[index]?.[1] ?? null) !== null;
    ctx.fillStyle = colourIn(theme, colour);
    for (const [index, [at, value]] of points.entries()) {
      // A point between two gaps forms no line and would be invisible, so it gets a dot.
      const alone = !known(index - 1) && !known(index + 1);
      if (value === null || !(alone || index === last)) continue;
      ctx.beginPath();
      const [x, y] = [plot.valToPos(at, 'x', true), plot.valToPos(part(value), 'y', true)];
      ctx.arc(x, y, (index === last ? 3.5 : 2) * ratio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  for (const { name, value, text, colour, side } of panel.marks) {
    const color = colourIn(theme, colour);
    drawLevel(plot, { at: part(value), stroke: color, width: 1.5, dash: [5, 4] });
    ctx.font = font(600, ratio);
    ctx.textAlign = 'left';
    ctx.textBaseline = side === 'above' ? 'bottom' : 'top';
    ctx.lineJoin = 'round';
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = theme.ground;
    ctx.fillStyle = color;
    const label = cutToWidth(`${name}  ${text}`, { room: bbox.width - 8 * ratio, ctx });
    const y = plot.valToPos(part(value), 'y', true) + (side === 'above' ? -3 : 3) * ratio;
    ctx.strokeText(label, bbox.left + 4 * ratio, y);
    ctx.fillText(label, bbox.left + 4 * ratio, y);
  }
  ctx.restore();
}

/** Cuts a text to the given width. */
function cutToWidth(
  text: string,
  { room, ctx }: { readonly room: number; readonly ctx: CanvasRenderingContext2D },
): string {
  if (ctx.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && ctx.measureText(`${letters.join('')}…`).width > room) letters.pop();
  return `${letters.join('')}…`;
}
