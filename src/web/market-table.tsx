import { computed, effect, signal } from '@preact/signals';
import type { MarketRow, RegimeBreadth } from '../platforms/web/ports/board.ts';
import { readWatchlist } from './api.ts';
import { useAsked } from './asked.ts';
import { firing } from './held-alerts.ts';
import {
  type Column,
  ColumnChoice,
  columns,
  figureOf,
  hidden,
  hints,
  liquidatedOf,
  names,
  nextAt,
  sheetOf,
  widths,
} from './market-columns.tsx';
import { marketNow, piece, symbols } from './model.ts';
import { asPercent, asPrice, asRate, asShare, asSigned, asUsd, directionOf, marketName } from './numbers.ts';
import { inAddress, linkTo, marketPath } from './route.ts';
import { SaveTable } from './save-table.tsx';
import { Sparkline } from './sparkline.tsx';
import { Scrolls, Tile } from './tile.tsx';
import { shortSpan } from './time.ts';
import { only, Star, starFailure, watched } from './watchlist.tsx';
import { labelTitle, msg } from './words.ts';

/** As in the address: a column, with `-` before it where the largest come first. */
const sort = inAddress('sort');
/** Undefined: the most prominent markets come first. */
const sortedBy = computed(() => {
  const name = sort.value.replace(/^-/, '');
  const column = columns.find((each) => each === name);
  return column === undefined ? undefined : { column, down: sort.value.startsWith('-') };
});

const firingIn = computed(() => {
  const counts = new Map<string, number>();
  for (const { symbol } of firing.value)
    if (symbol !== undefined) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return counts;
});

/**
 * Returns how much a market stands out. Each figure is divided by a value that is large for it; the largest counts
 * most.
 */
function prominence(row: MarketRow, firing: number): number {
  const { change1h = 0, change24h = 0, fundingZ = 0, interest1h = 0, basis = 0 } = row;
  const liquidated = row.longsLiquidated + row.shortsLiquidated;
  const parts = [
    Math.abs(change1h) / 1.5,
    Math.abs(change24h) / 6,
    Math.abs(fundingZ) / 2.5,
    Math.abs(interest1h) / 2.5,
    Math.abs(basis) / 0.25,
    Math.log10(1 + liquidated / 50_000) / 1.5,
    firing,
  ].sort((a, b) => b - a);
  return parts.reduce((sum, part, rank) => sum + part / 2 ** rank, 0);
}

/** Wall ms between two changes of the order of rows, so that rows do not move while they are being read. */
const reorderInterval = 5_000;
const ordered = signal<readonly string[]>([]);
function updateOrder(): void {
  const rows = symbols.peek().flatMap((symbol) => piece(`market/${symbol}`).peek() ?? []);
  const by = sortedBy.peek();
  const key = (row: MarketRow) =>
    by === undefined
      ? prominence(row, firingIn.peek().get(row.symbol) ?? 0)
      : (figureOf(row, by.column) ?? Number.NEGATIVE_INFINITY);
  const sign = by?.down === false ? -1 : 1;
  const sorted = rows.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    return one === other ? (a.symbol < b.symbol ? -1 : 1) : one < other ? sign : -sign;
  });
  const next = sorted.map(({ symbol }) => symbol);
  if (next.join() !== ordered.peek().join()) ordered.value = next;
}
effect(() => {
  symbols.value;
  sortedBy.value;
  updateOrder();
});
setInterval(() => {
  // What somebody points at or has chosen with the keyboard stays where it is.
  if (document.querySelector('.markets tbody:is(:hover, :focus-within)') === null) updateOrder();
}, reorderInterval);

function sortBy(column: Column): void {
  const now = sortedBy.value;
  const isDownFirst = column !== 'symbol';
  const down = now?.column !== column ? isDownFirst : now.down === isDownFirst ? !isDownFirst : undefined;
  sort.value = down === undefined ? '' : `${down ? '-' : ''}${column}`;
}

const largestLiquidation = computed(() =>
  Math.max(1, ...symbols.value.map((symbol) => liquidatedOf(piece(`market/${symbol}`).value ?? emptyRow))),
);
const emptyRow = { symbol: '', longsLiquidated: 0, shortsLiquidated: 0 } satisfies MarketRow;

/** Draws liquidated longs to the left of the middle and shorts to the right; lengths grow with the root of the dollars. */
function LiquidatedBar({ row }: { readonly row: MarketRow }) {
  const size = (usd: number) => Math.sqrt(usd / largestLiquidation.value) * 20;
  return (
    <svg class="liquidated-bar" viewBox="-20 0 40 8" aria-hidden="true">
      <rect class="down" x={-size(row.longsLiquidated)} width={size(row.longsLiquidated)} height="8" />
      <rect class="up" width={size(row.shortsLiquidated)} height="8" />
      <line y2="8" />
    </svg>
  );
}

function Figure({
  column,
  text,
  value,
  hint,
}: {
  readonly column: Column;
  readonly text: string;
  readonly value?: number | undefined;
  readonly hint?: string;
}) {
  const isUnknown = text === '–';
  return (
    <td class={`${column} ${directionOf(value) ?? ''}`} title={isUnknown ? msg('Not known yet') : hint}>
      {isUnknown ? '·' : text}
    </td>
  );
}

function Row({ symbol }: { readonly symbol: string }) {
  const row = piece(`market/${symbol}`).value;
  const trail = piece(`trail/${symbol}`).value ?? [];
  if (row === undefined) return null;
  const { change1h, change24h, fundingZ, interest1h, basis, longShare, funding, fundingHours } = row;
  const likeliest = row.likelierRegime ?? row.regime;
  const next = nextAt(row);
  const until = next === undefined ? undefined : next - marketNow.value;
  const name = marketName(symbol);
  const count = firingIn.value.get(symbol) ?? 0;
  return (
    <tr>
      <th scope="row">
        <Star symbol={symbol} />
        <a {...linkTo(marketPath(symbol))}>{name}</a>
        {count > 0 && (
          <span
            class="firing-count"
            title={msg('{n, plural, one {# alert} other {# alerts}} firing', { n: count })}
          >
            {count}
          </span>
        )}
      </th>
      <td class="price">{asPrice(row.price)}</td>
      <Figure column="change1h" text={asPercent(change1h)} value={change1h} />
      <Figure column="change24h" text={asPercent(change24h)} value={change24h} />
      <td class="trail">
        <Sparkline points={trail} label={msg('{symbol} price, last 24 h', { symbol: name })} />
      </td>
      <td
        class="funding"
        title={fundingHours === undefined ? undefined : msg('Every {hours} h', { hours: fundingHours })}
      >
        {asRate(funding)}
        {fundingHours !== undefined && <i>{fundingHours}h</i>}
      </td>
      <td class="next">{until === undefined || until < 0 ? '·' : shortSpan(until)}</td>
      <td class={Math.abs(fundingZ ?? 0) >= 2 ? 'fundingZ much' : 'fundingZ'}>
        {fundingZ === undefined ? '·' : asSigned(fundingZ)}
      </td>
      <Figure column="interest1h" text={asPercent(interest1h)} value={interest1h} />
      <Figure column="basis" text={asPercent(basis, 4)} />
      <Figure column="longShare" text={asShare(longShare, 1)} />
      <td class={`regime ${likeliest ?? ''}`}>
        {likeliest === undefined ? '·' : labelTitle(likeliest)}
        {row.likelierRegime !== undefined && (
          <i> {msg('still {state}', { state: labelTitle(row.regime ?? '') })}</i>
        )}
      </td>
      <td
        class="liquidated"
        title={msg('Longs {longs}, shorts {shorts}', {
          longs: asUsd(row.longsLiquidated),
          shorts: asUsd(row.shortsLiquidated),
        })}
      >
        {liquidatedOf(row) > 0 ? (
          <>
            <LiquidatedBar row={row} /> {asUsd(liquidatedOf(row))}
          </>
        ) : (
          '·'
        )}
      </td>
    </tr>
  );
}

const breadthText = ({ shares, count }: RegimeBreadth): string =>
  msg('{shares} of {all} markets', {
    shares: Object.entries(shares)
      .sort(([, a], [, b]) => b - a)
      .map(([state, part]) => `${labelTitle(state)} ${asShare(part)}`)
      .join(', '),
    all: count,
  });

const shownRows = computed(() =>
  only.value === 'watchlist'
    ? ordered.value.filter((symbol) => watched.value?.includes(symbol))
    : ordered.value,
);

export function MarketTable() {
  useAsked(readWatchlist, { last: watched });
  const by = sortedBy.value;
  const breadth = piece('breadth').value;
  const sorting = (column: Column) =>
    by?.column === column ? (by.down ? ('descending' as const) : ('ascending' as const)) : undefined;
  return (
    <Tile
      name={msg('Markets')}
      figure="price"
      note={
        <span class="note">
          {by === undefined ? msg('what stands out first') : msg('by {column}', { column: names[by.column] })}
          {breadth !== undefined && ` · ${breadthText(breadth)}`}
          <label>
            <input
              type="checkbox"
              checked={only.value === 'watchlist'}
              onChange={({ currentTarget }) => {
                only.value = currentTarget.checked ? 'watchlist' : '';
              }}
            />{' '}
            {msg('Watchlist')}
          </label>
          <ColumnChoice />
          {starFailure.value !== undefined && (
            <span class="failure" role="alert">
              {starFailure.value}
            </span>
          )}
          <SaveTable name={msg('Markets')} sheet={() => sheetOf(shownRows.peek())} />
        </span>
      }
    >
      <Scrolls name={msg('Markets')}>
        <table class="markets" data-hidden={hidden.value}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  class={column}
                  style={{ '--width': `${widths[column]}px` }}
                  aria-sort={sorting(column)}
                >
                  <button
                    type="button"
                    title={hints[column]}
                    data-hint={hints[column]}
                    onClick={() => sortBy(column)}
                  >
                    {names[column]}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {/* A row keeps its place and shows another market: a new order moves nothing. */}
            {shownRows.value.map((symbol, place) => (
              <Row key={place} symbol={symbol} />
            ))}
          </tbody>
        </table>
        {shownRows.value.length === 0 && (
          <p class="empty">
            {ordered.value.length === 0
              ? msg('No market has enough data yet.')
              : msg('This chat follows no market yet: the stars add one.')}
          </p>
        )}
      </Scrolls>
    </Tile>
  );
}
