import type { CardJson } from '../card/render-json.ts';
import { html, svg } from './dom.ts';
import { niceScale, shortNumber, timeTicks } from './scale.ts';
import { marketTime, tickLabel } from './time.ts';

type Chart = NonNullable<CardJson['chart']>;

const height = 168;
const margin = { top: 10, right: 14, bottom: 22, left: 50 };
const colours = 4;

/** A figure that draws itself at the width it has, and again when that changes. */
export function chartFigure(chart: Chart): HTMLElement {
  const unit = chart.unit === '' ? '' : ` (${chart.unit})`;
  const readout = html('span', { class: 'readout' });
  const caption = html('figcaption', {}, html('span', {}, chart.title + unit), readout);
  const plot = html('div', { class: 'plot' });
  const figure = html('figure', { class: 'chart' }, caption, plot);
  if (chart.series.length > 1) figure.append(legend(chart));
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === drawn || width < 100) return;
    drawn = width;
    plot.replaceChildren(draw(chart, width, readout));
  }).observe(plot);
  return figure;
}

function legend(chart: Chart): HTMLElement {
  const entries = chart.series.map(({ name }, index) =>
    html('li', {}, html('span', { class: `swatch series-${index % colours}` }), name),
  );
  return html('ul', { class: 'legend' }, ...entries);
}

function draw(chart: Chart, width: number, readout: HTMLElement): SVGElement {
  const points = chart.series.flatMap((series) => series.points);
  const times = points.map(([at]) => at);
  if (times.length === 0) return svg('svg', { class: 'nothing', width, height: 0 });
  const marks = chart.marks ?? [];
  const scale = niceScale([...points.map(([, value]) => value), ...marks.map(({ value }) => value)], 4);
  const from = Math.min(...times);
  const to = Math.max(...times, from + 1);
  const x = (at: number) => margin.left + ((at - from) / (to - from)) * (width - margin.left - margin.right);
  const y = (value: number) =>
    height -
    margin.bottom -
    ((value - scale.min) / (scale.max - scale.min)) * (height - margin.top - margin.bottom);

  const root = svg('svg', {
    role: 'img',
    'aria-label': describe(chart),
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  });
  for (const tick of scale.ticks) {
    root.append(
      svg('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick) }),
      svg('text', { x: margin.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, shortNumber(tick)),
    );
  }
  const offset = -new Date(to).getTimezoneOffset() * 60_000;
  for (const tick of timeTicks(from, to, Math.max(2, Math.floor(width / 110)), offset)) {
    const anchor =
      x(tick) < margin.left + 20 ? 'start' : x(tick) > width - margin.right - 24 ? 'end' : 'middle';
    root.append(
      svg('text', { x: x(tick), y: height - 5, 'text-anchor': anchor }, tickLabel(tick, to - from)),
    );
  }
  for (const { name, value } of marks) {
    root.append(
      svg('line', { class: 'mark', x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'mark', x: margin.left + 4, y: y(value) - 4 }, name),
    );
  }
  chart.series.forEach((series, index) => {
    const last = series.points.at(-1);
    if (last === undefined) return;
    const path = series.points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' L');
    const colour = `series-${index % colours}`;
    root.append(
      svg('path', { class: `trace ${colour}`, d: `M${path}` }),
      svg('circle', { class: `dot ${colour}`, cx: x(last[0]), cy: y(last[1]), r: 3 }),
    );
  });
  follow(root, chart, { x, times: [...new Set(times)].sort((a, b) => a - b) }, readout);
  return root;
}

/** The values under the pointer, read out beside the title. */
function follow(
  root: SVGElement,
  chart: Chart,
  { x, times }: { x: (at: number) => number; times: readonly number[] },
  readout: HTMLElement,
): void {
  const cross = svg('line', {
    class: 'cross',
    y1: margin.top,
    y2: height - margin.bottom,
    visibility: 'hidden',
  });
  root.append(cross);
  root.addEventListener('pointermove', (event) => {
    const pointer = event.clientX - root.getBoundingClientRect().left;
    const at = times.reduce((best, next) =>
      Math.abs(x(next) - pointer) < Math.abs(x(best) - pointer) ? next : best,
    );
    const values = chart.series.flatMap(({ points }) => points.filter(([when]) => when === at).slice(0, 1));
    cross.setAttribute('x1', String(x(at)));
    cross.setAttribute('x2', String(x(at)));
    cross.setAttribute('visibility', 'visible');
    readout.textContent = `${marketTime(at)} · ${values.map(([, value]) => shortNumber(value)).join(' · ')}`;
  });
  root.addEventListener('pointerleave', () => {
    cross.setAttribute('visibility', 'hidden');
    readout.textContent = '';
  });
}

/** What a reader who cannot see the chart is told. */
function describe({ title, unit, series }: Chart): string {
  const lines = series.map(({ name, points }) => {
    const values = points.map(([, value]) => value);
    const last = values.at(-1);
    if (last === undefined) return `${name}: no data`;
    const [low, high] = [Math.min(...values), Math.max(...values)].map(shortNumber);
    return `${name}: last ${shortNumber(last)}, lowest ${low}, highest ${high}`;
  });
  return `${title}${unit === '' ? '' : `, ${unit}`}. ${lines.join('; ')}`;
}
