import { computed } from '@preact/signals';
import { piece, symbols } from './model.ts';
import { asPercent, marketName } from './numbers.ts';
import { Tile } from './tile.tsx';
import { msg } from './words.ts';

const width = 360;
const height = 230;
const edge = 16;

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

/** A round number that none of them is beyond, so that the axes stand still. */
function reach(values: readonly number[]): number {
  const most = Math.max(0.5, ...values.map(Math.abs));
  return [0.5, 1, 2, 3, 5, 10, 20, 50].find((step) => most <= step) ?? most;
}

/** Names of those that are farthest out, where there is room for them. */
function labelled(placed: readonly (Dot & { readonly x: number; readonly y: number })[]) {
  const taken: { x: number; y: number }[] = [];
  return placed
    .toSorted(
      (a, b) => Math.hypot(b.x - width / 2, b.y - height / 2) - Math.hypot(a.x - width / 2, a.y - height / 2),
    )
    .filter(({ x, y }) => {
      if (
        taken.length >= 10 ||
        taken.some((other) => Math.abs(other.x - x) < 40 && Math.abs(other.y - y) < 11)
      )
        return false;
      taken.push({ x, y });
      return true;
    });
}

/** Open interest against price over one hour: who opens, who closes. */
export function Quadrant() {
  const all = dots.value;
  const across = reach(all.map(({ interest }) => interest));
  const up = reach(all.map(({ price }) => price));
  const placed = all.map((dot) => ({
    ...dot,
    x: width / 2 + (dot.interest / across) * (width / 2 - edge),
    y: height / 2 - (dot.price / up) * (height / 2 - edge),
  }));
  return (
    <Tile name={msg('Open interest × price, 1 h')} figure="interest">
      {all.length === 0 ? (
        <p class="empty">{msg('Needs an hour of prices: it fills by itself.')}</p>
      ) : (
        <svg
          class="quadrant"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={msg('Each market by its change of open interest and of price within one hour')}
        >
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
          <text class="axis" x={width - 4} y={height / 2 - 4} text-anchor="end">
            {msg('OI {pct}', { pct: asPercent(across, 1) })}
          </text>
          <text class="axis" x={width / 2 + 4} y={edge + 6}>
            {asPercent(up, 1)}
          </text>
          {placed.map(({ symbol, x, y, price, interest }) => (
            <circle key={symbol} class={price >= 0 ? 'up' : 'down'} cx={x} cy={y} r="3.2">
              <title>{`${marketName(symbol)} ${asPercent(price)}, OI ${asPercent(interest)}`}</title>
            </circle>
          ))}
          {labelled(placed).map(({ symbol, x, y }) => (
            <text
              key={symbol}
              class="dot-name"
              x={x + (x > width - 60 ? -6 : 6)}
              y={y + 3.5}
              text-anchor={x > width - 60 ? 'end' : 'start'}
            >
              {marketName(symbol)}
            </text>
          ))}
        </svg>
      )}
    </Tile>
  );
}
