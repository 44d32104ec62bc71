import { useMemo } from 'preact/hooks';
import { ticksOf as timesOf } from '../chart/model.ts';
import { type Plane, stretchesOf, through } from '../chart/paths.ts';
import type { PastSeries } from '../platforms/web/ports/past-series.ts';
import { day } from '../runtime/lengths.ts';
import {
  bounds,
  chosenMetric,
  clearLevel,
  drawnMarket,
  firings,
  level,
  series,
  side,
  step,
} from './draft.ts';
import { roundTo, ticksOf } from './level-scale.ts';
import { inUnit, marketName } from './numbers.ts';
import { chartReader } from './said.ts';
import { useSize } from './size.ts';
import { momentOf } from './time.ts';
import { msg } from './words.ts';

const height = 300;
const inset = { top: 14, right: 76, bottom: 30, left: 10 };

interface Area extends Plane {
  readonly right: number;
  readonly bottom: number;
}

function planeOf(width: number, window: PastSeries['window'], bounds: readonly [number, number]): Area {
  const [low, high] = bounds;
  const right = Math.max(inset.left + 40, width - inset.right);
  const bottom = height - inset.bottom;
  return {
    right,
    bottom,
    x: (at) => inset.left + ((at - window.from) / (window.to - window.from)) * (right - inset.left),
    y: (value) => bottom - ((value - low) / (high - low)) * (bottom - inset.top),
  };
}

/** Returns a line through the known points, with gaps where values are missing. Steps hold their value until the end. */
function pathOf({ points, shape, window }: PastSeries, plane: Plane): string {
  const last = points.at(-1)?.[1] ?? null;
  const isStepped = shape === 'steps';
  return stretchesOf(isStepped ? [...points, [window.to, last]] : points, plane)
    .map((places) => through(places, isStepped))
    .join('');
}

function Axes({ plane, window }: { plane: Area; window: PastSeries['window'] }) {
  const { x, y, right, bottom } = plane;
  const unit = series.value?.unit ?? '';
  const taken = y(level.value);
  return (
    <g>
      {ticksOf(bounds.value, 6).map((value) => (
        <g key={value}>
          <line class="grid" x1={inset.left} x2={right} y1={y(value)} y2={y(value)} />
          {Math.abs(y(value) - taken) > 18 && (
            <text class="axis" x={right + 8} y={y(value) + 4}>
              {inUnit(value, unit)}
            </text>
          )}
        </g>
      ))}
      {timesOf(
        { range: { ...window, last: window.to } },
        { width: right - inset.left, reader: chartReader },
      ).map(({ at, label }) => (
        <text key={at} class="axis" x={x(at)} y={bottom + 20} text-anchor="middle">
          {label}
        </text>
      ))}
    </g>
  );
}

/** Marks when the alert would have fired, and for how long. */
function Firings({ plane: { x, y, bottom } }: { readonly plane: Area }) {
  const last = series.value?.window.to ?? 0;
  return (
    <g class="firings">
      {firings.value?.map(({ at, to }) => (
        <g key={at}>
          <rect x={x(at)} y={bottom - 4} width={Math.max(3, x(to ?? last) - x(at))} height="4" rx="2" />
          <line x1={x(at)} x2={x(at)} y1={y(level.value)} y2={bottom - 4} />
          <circle cx={x(at)} cy={y(level.value)} r="4.5" />
        </g>
      ))}
    </g>
  );
}

/** Draws the level; the slider above it is invisible. */
function Level({ plane: { y, right } }: { readonly plane: Area }) {
  const at = y(level.value);
  return (
    <g class="level">
      <line x1={inset.left} x2={right} y1={at} y2={at} />
      <rect class="pill" x={right + 2} y={at - 11} width={inset.right - 4} height="22" rx="6" />
      <text x={right + inset.right / 2} y={at + 4} text-anchor="middle">
        {inUnit(level.value, series.value?.unit ?? '')}
      </text>
    </g>
  );
}

/** Draws the level at which the alert ends if that level is within the chart. */
function Clears({ plane: { y, right } }: { readonly plane: Area }) {
  const [low, high] = bounds.value;
  const value = clearLevel.value;
  if (value === undefined || value < low || value > high) return null;
  return <line class="clears" x1={inset.left} x2={right} y1={y(value)} y2={y(value)} />;
}

/** For how many days the metric is known, of those that were asked for. */
function knownDays(): number {
  const { points = [], window } = series.value ?? {};
  const [first] = points;
  return first === undefined || window === undefined ? 0 : Math.round((window.to - first[0]) / day);
}

/** An invisible slider over the whole chart, which moves the level that is drawn below it. */
function Slider() {
  const [low, high] = bounds.value;
  const shown = inUnit(level.value, series.value?.unit ?? '');
  const valueText =
    firings.value === undefined
      ? shown
      : msg(
          '{level}: {n, plural, =0 {never} one {# time} other {# times}} in {days, plural, one {# day} other {# days}}',
          { level: shown, n: firings.value.length, days: knownDays() },
        );
  return (
    <input
      type="range"
      min={low}
      max={high}
      step="any"
      value={level.value}
      aria-label={msg('Level')}
      aria-orientation="vertical"
      aria-valuetext={valueText}
      onInput={({ currentTarget }) => (level.value = roundTo(currentTarget.valueAsNumber, step.peek()))}
    />
  );
}

/** Draws the metric's last thirty days and the level over them. */
export function LevelChart() {
  const { element, width } = useSize({ width: 640, height });
  const found = series.value;
  const window = found?.window ?? { from: 0, to: 1 };
  const [low, high] = bounds.value;
  const plane = useMemo(
    () => planeOf(width, window, [low, high]),
    [width, low, high, window.from, window.to],
  );
  const path = useMemo(() => (found === undefined ? '' : pathOf(found, plane)), [found, plane]);
  const at = plane.y(level.value);
  const above = side.value === 'above';

  return (
    <div class="level-chart" ref={element}>
      <Slider />
      <svg width={width} height={height} role="img" aria-label={nameOfChart()}>
        <clipPath id="beyond">
          <rect x="0" y={above ? 0 : at} width={width} height={Math.max(0, above ? at : plane.bottom - at)} />
        </clipPath>
        <rect
          class="beyond"
          x={inset.left}
          y={above ? inset.top : at}
          width={plane.right - inset.left}
          height={Math.max(0, above ? at - inset.top : plane.bottom - at)}
        />
        <Axes plane={plane} window={window} />
        <Clears plane={plane} />
        <path class="past" d={path} />
        <path class="past far" d={path} clip-path="url(#beyond)" />
        <Firings plane={plane} />
        <Level plane={plane} />
      </svg>
    </div>
  );
}

const nameOfChart = (): string => {
  const { about = 'market', words = '' } = chosenMetric.value ?? {};
  return about === 'market' ? words : `${marketName(drawnMarket.value ?? '')} ${words}`;
};

/** Shows how often and when the alert would have fired, updated while the level moves. */
export function FiringList() {
  const all = firings.value;
  const found = series.value;
  if (found === undefined) return null;
  if (all === undefined)
    return (
      <p class="told">
        {msg('It clears by a condition that this chart does not show: check it by replaying the past.')}
      </p>
    );
  return (
    <div class="told">
      <p>
        <b>{msg('{n, plural, =0 {never} one {# time} other {# times}}', { n: all.length })}</b>{' '}
        {msg('in {days, plural, one {# day} other {# days}}, by this chart', { days: knownDays() })}
      </p>
      <ol class="row">
        {all
          .slice(-12)
          .reverse()
          .map(({ at, peak }) => (
            <li key={at}>
              <time dateTime={new Date(at).toISOString()}>{momentOf(at)}</time> {inUnit(peak, found.unit)}
            </li>
          ))}
        {all.length > 12 && <li>{msg('and {n} before', { n: all.length - 12 })}</li>}
      </ol>
    </div>
  );
}
