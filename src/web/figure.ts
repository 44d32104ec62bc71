import type { CardJson } from '../card/render-json.ts';
import { describe } from '../chart/description.ts';
import { type ChartModel, type LegendEntry, modelOf, ticksOf } from '../chart/model.ts';
import type { ChartReader } from '../chart/reader.ts';
import { themes } from '../chart/theme.ts';
import { valueText } from '../chart/value.ts';
import { html } from './dom.ts';
import type { Painted } from './plot.ts';
import { chartReader } from './said.ts';
import { msg } from './words.ts';

export type ChartJson = NonNullable<CardJson['chart']>;

const isDark = matchMedia('(prefers-color-scheme: dark)');

/**
 * Creates a chart. It is drawn when it comes into view, at the available width, and drawn again when the width or the
 * theme changes.
 */
export function chartFigure(chart: ChartJson, reader = chartReader): HTMLElement {
  const model = modelOf(chart, reader);
  const readout = html('output', { class: 'readout' });
  const title = [model.title, ...(model.units.length === 0 ? [] : [`(${model.units.join(' / ')})`])].join(
    ' ',
  );
  const plot = html('div', {
    class: 'plot',
    role: 'img',
    'aria-label': describe(chart, reader),
    tabindex: 0,
    'data-panels': model.panels.length,
  });
  const caption = html('figcaption', {}, html('span', {}, title), readout);
  const figure = html('figure', { class: 'chart' }, caption, plot, ...legendOf(model.legend));
  if (model.omitted !== undefined) figure.append(html('p', { class: 'omitted' }, model.omitted));
  if (model.range === null) plot.replaceChildren(model.nothing ?? '');
  else draw(plot, { model, readout, reader });
  return figure;
}

/** Returns what each colour stands for. A chart with a single line needs only its value: the title says what it is. */
function legendOf(legend: readonly LegendEntry[]): HTMLElement[] {
  if (legend.length === 0) return [];
  const entries = legend.map(({ shape, name, value, colour }) => {
    const tint =
      typeof colour === 'number' ? `series-${colour % themes.dark.series.length}` : `tone-${colour}`;
    const swatch = html('span', { class: `swatch ${shape === 'line' ? 'trace' : shape} ${tint}` });
    return html('li', {}, swatch, name, ...(value === undefined ? [] : [' ', html('strong', {}, value)]));
  });
  return [html('ul', { class: 'legend' }, ...entries)];
}

/** Draws the chart only while it is visible: a canvas out of view would keep its pixels in memory. */
function draw(
  plot: HTMLElement,
  {
    model,
    readout,
    reader,
  }: { readonly model: ChartModel; readonly readout: HTMLElement; readonly reader: ChartReader },
): void {
  const times = timesOf(model);
  const ticks = (width: number) => ticksOf(model, { width, reader });
  let painted: Painted | undefined;
  let isVisible = false;
  let chosen: number | undefined;
  const showReading = (index: number | undefined) => {
    chosen = index;
    const at = index === undefined ? undefined : times[index];
    readout.textContent = at === undefined ? '' : readingAt(model, { at, reader });
  };
  const clear = () => {
    painted?.destroy();
    painted = undefined;
  };
  const redraw = async () => {
    const { paint } = await import('./plot.ts');
    clear();
    const width = plot.clientWidth;
    if (!isVisible || width < 100) return;
    const theme = isDark.matches ? themes.dark : themes.light;
    painted = paint(plot, { model, width, theme, times, ticks, onPoint: showReading });
  };
  new IntersectionObserver(([entry]) => {
    const before = isVisible;
    isVisible = entry?.isIntersecting ?? false;
    if (isVisible === before) return;
    if (isVisible) {
      isDark.addEventListener('change', redraw);
      void redraw();
    } else {
      isDark.removeEventListener('change', redraw);
      clear();
    }
  }).observe(plot);
  new ResizeObserver(() => {
    if (painted === undefined) void (isVisible && redraw());
    else painted.setWidth(plot.clientWidth);
  }).observe(plot);
  plot.addEventListener('keydown', (event) => {
    const to = stepTo(event.key, { from: chosen, last: times.length - 1 });
    if (to === null) return;
    event.preventDefault();
    painted?.point(to);
    showReading(to);
  });
  plot.addEventListener('blur', () => {
    painted?.point(undefined);
    showReading(undefined);
  });
}

/**
 * Returns the index of the time that a key leads to; undefined if it leads to none, null if the key has no meaning
 * here.
 */
function stepTo(
  key: string,
  { from, last }: { readonly from: number | undefined; readonly last: number },
): number | undefined | null {
  if (key === 'ArrowLeft') return Math.max(0, (from ?? last + 1) - 1);
  if (key === 'ArrowRight') return Math.min(last, (from ?? last - 1) + 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return key === 'Escape' && from !== undefined ? undefined : null;
}

const timesOf = ({ panels }: ChartModel): number[] =>
  [...new Set(panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at))))].sort(
    (a, b) => a - b,
  );

/** Returns the values at one time, which are shown beside the title. */
function readingAt(
  { panels, bands }: ChartModel,
  { at, reader }: { readonly at: number; readonly reader: ChartReader },
): string {
  const values = panels.flatMap(({ series, unit }) =>
    series.flatMap(({ name, points }) => {
      const value = points.find(([when]) => when === at)?.[1];
      const text = value === undefined || value === null ? [] : [reader.say(valueText(value, unit))];
      return series.length + panels.length > 2 ? text.map((text) => `${name} ${text}`) : text;
    }),
  );
  const bandNames = bands.filter(({ from, to }) => from <= at && at < to).map(({ name }) => name);
  return [reader.say({ time: at }), ...(values.length === 0 ? [msg('no value')] : values), ...bandNames].join(
    ' · ',
  );
}
