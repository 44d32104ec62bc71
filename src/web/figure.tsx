import { h, type JSX, type TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CardJson } from '../card/render-json.ts';
import { describe } from '../chart/description.ts';
import { iconOf, iconSize } from '../chart/icon.ts';
import { type ChartModel, fontSize, type LegendEntry, modelOf } from '../chart/model.ts';
import { heightOf, paintPanels } from '../chart/panels.ts';
import type { ChartReader } from '../chart/reader.ts';
import type { Shape } from '../chart/shape.ts';
import { type Theme, themes } from '../chart/theme.ts';
import { valueText } from '../chart/value.ts';
import { chartReader } from './said.ts';
import { useSize } from './size.ts';
import { msg } from './words.ts';

type ChartJson = NonNullable<CardJson['chart']>;

/** The colours of theme.css, which follow the visitor's theme by themselves. */
const pageTheme: Theme = {
  ground: 'var(--raised)',
  rule: 'var(--rule)',
  text: 'var(--text)',
  soft: 'var(--soft)',
  series: themes.dark.series.map((_, index) => `var(--series-${index})`),
  tones: {
    good: 'var(--resolved)',
    caution: 'var(--warning)',
    bad: 'var(--critical)',
    neutral: 'var(--neutral)',
  },
};

const draw = ({ tag, attributes, children }: Shape): JSX.Element =>
  h(tag, attributes, ...children.map((child) => (typeof child === 'string' ? child : draw(child))));

/** Shows a chart as pictures have it, drawn at the available width, and the values at the time that is pointed to. */
export function Figure({
  chart,
  reader = chartReader,
}: {
  readonly chart: ChartJson;
  readonly reader?: ChartReader;
}) {
  const model = useMemo(() => modelOf(chart, reader), [chart, reader]);
  const { element, width } = useSize({ width: 0, height: 0 });
  const isVisible = useVisible(element);
  const painted = useMemo(
    () => (isVisible && width >= 100 ? paintPanels(model, { width, theme: pageTheme, reader }) : undefined),
    [model, reader, isVisible, width],
  );
  const drawing = useMemo(() => painted?.shapes.map(draw), [painted]);
  const times = useMemo(() => timesOf(model), [model]);
  const [chosen, choose] = useState<number | undefined>(undefined);
  const at = chosen === undefined ? undefined : times[chosen];
  const { title, units, omitted } = model;
  const legend = [...model.legend, ...(painted?.unnamed ?? [])];

  const onPointerMove = ({ currentTarget, clientX }: TargetedPointerEvent<Element>) => {
    if (painted === undefined) return;
    const pointed = clientX - currentTarget.getBoundingClientRect().left;
    choose(nearest(times.map(painted.plot.x), pointed));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = stepTo(event.key, chosen, times.length - 1);
    if (to === null) return;
    event.preventDefault();
    choose(to);
  };
  const leave = () => choose(undefined);
  // A finger leaves as it is lifted: what it has chosen stays until something else is touched.
  const onPointerLeave = ({ pointerType }: PointerEvent) => pointerType === 'mouse' && leave();
  return (
    <figure class="chart">
      <figcaption>
        <span>{units.length === 0 ? title : `${title} (${units.join(' / ')})`}</span>
        <output class="readout">{at === undefined ? '' : readingAt(model, { at, reader })}</output>
      </figcaption>
      <div
        class="plot"
        ref={element}
        role="img"
        aria-label={describe(chart, reader)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its values are read one by one with the arrow keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={leave}
        onPointerDown={onPointerMove}
        onPointerMove={onPointerMove}
        onPointerLeave={onPointerLeave}
        onPointerCancel={leave}
      >
        {/* Its height is known before it is drawn, so that nothing moves when it is. */}
        <svg width="100%" height={heightOf(model)} font-size={fontSize} aria-hidden="true">
          {drawing}
          {painted && at !== undefined && <Cursor plot={painted.plot} at={at} />}
        </svg>
      </div>
      {legend.length > 0 && (
        <ul class="legend row">
          {legend.map((entry) => (
            <Entry key={`${entry.shape} ${entry.name} ${entry.colour}`} {...entry} />
          ))}
        </ul>
      )}
      {omitted !== undefined && <p class="omitted">{omitted}</p>}
    </figure>
  );
}

function Cursor({
  plot: { top, bottom, x },
  at,
}: {
  readonly plot: ReturnType<typeof paintPanels>['plot'];
  readonly at: number;
}) {
  return <line class="cursor" x1={x(at)} x2={x(at)} y1={top} y2={bottom} />;
}

function Entry(entry: LegendEntry) {
  const { name, value } = entry;
  return (
    <li>
      <svg class="swatch" width={iconSize} height={iconSize} aria-hidden="true">
        {iconOf(entry, pageTheme).map(draw)}
      </svg>
      {name}
      {value !== undefined && <> {<strong>{value}</strong>}</>}
    </li>
  );
}

/** Returns whether an element is in view: what is not is not drawn, so that a long list of charts stays light. */
function useVisible(element: { readonly current: Element | null }): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver((entries) =>
      setVisible(entries.at(-1)?.isIntersecting ?? false),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isVisible;
}

/** Returns the index of the number that is nearest to a value; undefined where there is none. */
function nearest(sorted: readonly number[], value: number): number | undefined {
  const distance = (index: number) => Math.abs((sorted[index] ?? Number.POSITIVE_INFINITY) - value);
  const after = sorted.findIndex((each) => each >= value);
  if (after === -1) return sorted.length === 0 ? undefined : sorted.length - 1;
  return after > 0 && distance(after - 1) < distance(after) ? after - 1 : after;
}

/**
 * Returns the index of the time that a key leads to; undefined if it leads to none, null if the key has no meaning
 * here.
 */
function stepTo(key: string, from: number | undefined, last: number): number | undefined | null {
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
    series.flatMap(({ name, points, shape }) => {
      const [, value, ...candle] = points.find(([when]) => when === at) ?? [];
      if (value === undefined || value === null) return [];
      const say = (figure: number) => reader.say(valueText(figure, unit));
      const text = shape === 'candles' ? candleText([value, ...candle].map(say)) : say(value);
      return [series.length + panels.length > 2 ? `${name} ${text}` : text];
    }),
  );
  const bandNames = bands.filter(({ from, to }) => from <= at && at < to).map(({ name }) => name);
  return [reader.say({ time: at }), ...(values.length === 0 ? [msg('no value')] : values), ...bandNames].join(
    ' · ',
  );
}

const candleText = ([close = '', open = '', high = '', low = '']: readonly string[]): string =>
  msg('{open} to {close}, between {low} and {high}', { open, close, low, high });
