import { html, svg } from './dom.ts';
import {
  type ChartJson,
  colourOf,
  coloursOf,
  drawPanel,
  type Frame,
  margin,
  type PanelJson,
  panelHeight,
  widestBar,
} from './panel.ts';
import { shortNumber, timeTicks } from './scale.ts';
import { marketTime, offsetAt, tickLabel } from './time.ts';
import { locale, msg } from './words.ts';

const panelsOf = (chart: ChartJson): readonly PanelJson[] =>
  chart.below === undefined ? [chart] : [chart, chart.below];

/** Room under the last panel, for times. */
const bottom = 22;

/** A figure that draws itself at the width it has, and again when that changes. */
export function chartFigure(chart: ChartJson): HTMLElement {
  const panels = panelsOf(chart);
  const units = panels.map(({ unit }) => unit).filter((unit) => unit !== '');
  const unit = units.length === 0 ? '' : ` (${units.join(' / ')})`;
  const readout = html('span', { class: 'readout' });
  const caption = html('figcaption', {}, html('span', {}, chart.title + unit), readout);
  const plot = html('div', { class: 'plot' });
  const figure = html('figure', { class: 'chart' }, caption, plot, ...legend(chart));
  let drawn = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === drawn || width < 100) return;
    drawn = width;
    plot.replaceChildren(draw(chart, { width, readout }));
  }).observe(plot);
  return figure;
}

/** What each colour stands for; a line alone needs no word. */
function legend(chart: ChartJson): HTMLElement[] {
  const panels = panelsOf(chart);
  const colours = coloursOf(panels).flat();
  const series = panels.flatMap((panel) => panel.series);
  const bands = [...new Map((chart.bands ?? []).map((band) => [band.name, band.tone]))];
  const moments = [...new Map((chart.moments ?? []).map(({ name, tone }) => [name, tone ?? 'caution']))];
  if (series.length + bands.length + moments.length < 2) return [];
  const entry = (kind: string, name: string) =>
    html('li', {}, html('span', { class: `swatch ${kind}` }), name);
  return [
    html(
      'ul',
      { class: 'legend' },
      ...series.map(({ name, shape }, index) => entry(`${shape ?? 'trace'} ${colours[index]}`, name)),
      ...bands.map(([name, tone]) => entry(`band ${colourOf(tone, 0)}`, name)),
      ...moments.map(([name, tone]) => entry(`moment ${colourOf(tone, 0)}`, name)),
    ),
  ];
}

function draw(
  chart: ChartJson,
  { width, readout }: { readonly width: number; readonly readout: HTMLElement },
): SVGElement {
  const panels = panelsOf(chart);
  const times = panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at)));
  if (times.length === 0) return svg('svg', { class: 'nothing', width, height: 0 });
  const from = times.reduce((a, b) => Math.min(a, b));
  const to = Math.max(
    times.reduce((a, b) => Math.max(a, b)),
    from + 1,
  );
  // Bars stand around their time: the first and the last need room beside it.
  const beside = panels.some(({ series }) => series.some(({ shape }) => shape === 'bars'))
    ? widestBar / 2
    : 0;
  const room = width - margin.left - margin.right - 2 * beside;
  const x = (at: number) => margin.left + beside + ((at - from) / (to - from)) * room;
  const height = panels.length * panelHeight(panels.length) + bottom;
  const root = svg('svg', {
    role: 'img',
    'aria-label': describe(chart),
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  });
  const colours = coloursOf(panels);
  for (const [index, panel] of panels.entries()) {
    const frame: Frame = {
      x,
      from,
      to,
      width,
      top: index * panelHeight(panels.length),
      panels: panels.length,
    };
    root.append(...drawPanel(panel, { ...chart, frame, colours: colours[index] ?? [] }));
  }
  for (const tick of timeTicks({ from, to, count: Math.max(2, Math.floor(width / 90)), offsetAt })) {
    const anchor =
      x(tick) < margin.left + 20 ? 'start' : x(tick) > width - margin.right - 24 ? 'end' : 'middle';
    root.append(
      svg('text', { x: x(tick), y: height - 5, 'text-anchor': anchor }, tickLabel(tick, to - from)),
    );
  }
  follow(root, { chart, x, height, times: [...new Set(times)].sort((a, b) => a - b), readout });
  return root;
}

/** The values under the pointer, read out beside the title. */
function follow(
  root: SVGElement,
  {
    chart,
    x,
    height,
    times,
    readout,
  }: {
    readonly chart: ChartJson;
    x: (at: number) => number;
    height: number;
    times: readonly number[];
    readonly readout: HTMLElement;
  },
): void {
  const cross = svg('line', { class: 'cross', y1: margin.top, y2: height - bottom, visibility: 'hidden' });
  root.append(cross);
  const series = panelsOf(chart).flatMap((panel) => panel.series);
  root.addEventListener('pointermove', (event) => {
    const pointer = event.clientX - root.getBoundingClientRect().left;
    const at = times.reduce((best, next) =>
      Math.abs(x(next) - pointer) < Math.abs(x(best) - pointer) ? next : best,
    );
    const values = series.flatMap(({ points }) => points.filter(([when]) => when === at).slice(0, 1));
    const said = [
      marketTime(at),
      ...values.map(([, value]) => shortNumber(value, locale)),
      ...(chart.bands ?? []).filter((band) => band.from <= at && at < band.to).map(({ name }) => name),
    ];
    cross.setAttribute('x1', String(x(at)));
    cross.setAttribute('x2', String(x(at)));
    cross.setAttribute('visibility', 'visible');
    readout.textContent = said.join(' · ');
  });
  root.addEventListener('pointerleave', () => {
    cross.setAttribute('visibility', 'hidden');
    readout.textContent = '';
  });
}

/** What a reader who cannot see the chart is told. */
function describe(chart: ChartJson): string {
  const lines = panelsOf(chart).flatMap(({ unit, series }) =>
    series.map(({ name, points }) => {
      const values = points.map(([, value]) => value);
      const last = values.at(-1);
      const label = unit === '' ? name : `${name}, ${unit}`;
      if (last === undefined) return msg('{series}: no data', { series: label });
      const low = values.reduce((a, b) => Math.min(a, b));
      const high = values.reduce((a, b) => Math.max(a, b));
      return msg('{series}: last {last}, lowest {low}, highest {high}', {
        series: label,
        last: shortNumber(last, locale),
        low: shortNumber(low, locale),
        high: shortNumber(high, locale),
      });
    }),
  );
  const band = chart.bands?.at(-1);
  const moments = chart.moments?.length ?? 0;
  return [
    `${chart.title}. ${lines.join('; ')}`,
    ...(band === undefined ? [] : [msg('last {name}', { name: band.name })]),
    ...(moments === 0
      ? []
      : [msg('{n, plural, one {# moment marked} other {# moments marked}}', { n: moments })]),
  ].join('; ');
}
