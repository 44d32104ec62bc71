import { computed } from '@preact/signals';
import { piece, symbols } from './model.ts';
import { asPercent, marketName } from './numbers.ts';
import { useSize } from './size.ts';
import { Tile } from './tile.tsx';
import { msg } from './words.ts';

/** Margin around the area in which dots are drawn, CSS pixels. */
const edge = 22;

interface Dot {
  readonly symbol: string;
  readonly price: number;
  readonly interest: number;
}

const dots = computed<readonly Dot[]>(() =>
  symbols.value.flatMap((symbol) => {
    const row = piece(`market/${symbol}`).value;
    return row?.change1h === undefined || row.interest1h === undefined
      ? []
      : [{ symbol, price: row.change1h, interest: row.interest1h }];
  }),
);

/** Share of the markets that the axes must include, so that one extreme market does not press all others together. */
const shareWithinAxes = 0.9;
/** Returns a round number that most of the values are within, so that the axes rarely change. */
function axisLimit(values: readonly number[]): number {
  const sizes = values.map(Math.abs).sort((a, b) => a - b);
  const most = sizes[Math.ceil(sizes.length * shareWithinAxes) - 1] ?? 0;
  return [0.5, 1, 2, 3, 5, 10, 20, 50].find((step) => most <= step) ?? most;
}

interface Placed extends Dot {
  readonly x: number;
  readonly y: number;
  /** Whether the market is farther out than its dot. */
  readonly beyond: boolean;
}

interface Axes {
  readonly width: number;
  readonly height: number;
  /** Percent at the ends of the horizontal and the vertical axis. */
  readonly maxInterest: number;
  readonly maxPrice: number;
}

function place(dot: Dot, { width, height, maxInterest, maxPrice }: Axes): Placed {
  const clamp = (share: number) => Math.max(-1, Math.min(1, share));
  const [right, above] = [dot.interest / maxInterest, dot.price / maxPrice];
  return {
    ...dot,
    x: width / 2 + clamp(right) * (width / 2 - edge),
    y: height / 2 - clamp(above) * (height / 2 - edge),
    beyond: Math.abs(right) > 1 || Math.abs(above) > 1,
  };
}

/** Returns the dots to label: the farthest out first, as long as there is room. */
function chooseLabels(placed: readonly Placed[], { width, height }: Axes): readonly Placed[] {
  const taken: { x: number; y: number }[] = [];
  const distance = ({ x, y }: Placed) => Math.hypot(x - width / 2, y - height / 2);
  return placed
    .toSorted((a, b) => distance(b) - distance(a))
    .filter(({ x, y }) => {
      if (
        taken.length >= 12 ||
        taken.some((other) => Math.abs(other.x - x) < 56 && Math.abs(other.y - y) < 13)
      )
        return false;
      taken.push({ x, y });
      return true;
    });
}

/** Draws the axes, their ends, and what each corner means. */
function Cross({ width, height, maxInterest, maxPrice }: Axes) {
  return (
    <>
      <line x1={width / 2} x2={width / 2} y1={edge} y2={height - edge} />
      <line x1={edge} x2={width - edge} y1={height / 2} y2={height / 2} />
      <text class="corner" x={width - 4} y={12} text-anchor="end">
        {msg('new longs')}
      </text>
      <text class="corner" x={4} y={12}>
        {msg('short covering')}
      </text>
      <text class="corner" x={width - 4} y={height - 5} text-anchor="end">
        {msg('new shorts')}
      </text>
      <text class="corner" x={4} y={height - 5}>
        {msg('longs closing')}
      </text>
      <text class="axis" x={width - 4} y={height / 2 - 5} text-anchor="end">
        {msg('OI {pct}', { pct: asPercent(maxInterest, 1) })}
      </text>
      <text class="axis" x={width / 2 + 5} y={edge + 7}>
        {asPercent(maxPrice, 1)}
      </text>
    </>
  );
}

/** Draws the change of open interest against the change of price over one hour, by market. */
export function Quadrant() {
  // Nothing is drawn before the size is known, because drawing twice would make the dots jump.
  const { element, width, height } = useSize({ width: 0, height: 0 });
  const all = dots.value;
  const axes = {
    ...{ width, height },
    maxInterest: axisLimit(all.map(({ interest }) => interest)),
    maxPrice: axisLimit(all.map(({ price }) => price)),
  };
  const placed = all.map((dot) => place(dot, axes));
  return (
    <Tile name={msg('Open interest × price, 1 h')} figure="interest">
      <div class="quadrant" ref={element}>
        {all.length === 0 && <p class="empty">{msg('Needs an hour of prices: it fills by itself.')}</p>}
        {all.length > 0 && width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={msg('Each market by its change of open interest and of price within one hour')}
          >
            <Cross {...axes} />
            {placed.map(({ symbol, x, y, price, interest, beyond }) => (
              <circle
                key={symbol}
                class={`${price >= 0 ? 'up' : 'down'} ${beyond ? 'beyond' : ''}`}
                cx={x}
                cy={y}
                r="3.5"
              >
                <title>{`${marketName(symbol)} ${asPercent(price)}, OI ${asPercent(interest)}`}</title>
              </circle>
            ))}
            {chooseLabels(placed, axes).map(({ symbol, x, y }) => (
              <text
                key={symbol}
                class="dot-name"
                x={x + (x > width - 70 ? -7 : 7)}
                y={y + 4}
                text-anchor={x > width - 70 ? 'end' : 'start'}
              >
                {marketName(symbol)}
              </text>
            ))}
          </svg>
        )}
      </div>
    </Tile>
  );
}
