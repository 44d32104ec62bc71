import type { MarketRow } from '../platforms/web/ports/board.ts';
import { hour } from '../runtime/lengths.ts';
import { cellTime } from './csv.ts';
import { kept } from './kept.ts';
import { figureHints } from './market.tsx';
import { piece } from './model.ts';
import { msg } from './words.ts';

export const names = {
  symbol: msg('Market'),
  price: msg('Price'),
  change1h: msg('1 h'),
  change24h: msg('24 h'),
  trail: msg('Last 24 h'),
  funding: msg('Funding'),
  next: msg('Next'),
  fundingZ: msg('z'),
  interest1h: msg('OI 1 h'),
  basis: msg('Basis'),
  longShare: msg('Longs'),
  regime: msg('Regime'),
  liquidated: msg('Liquidated 1 h'),
} as const;
export type Column = keyof typeof names;
export const columns = Object.keys(names) as Column[];
export const hints: Readonly<Partial<Record<Column, string>>> = {
  ...figureHints,
  regime: msg('The likeliest state; with the label behind it, where that is another'),
};
/**
 * CSS pixels: room for what figures come to be, so that no column moves when one does. A longer heading widens its column.
 */
export const widths: Readonly<Record<Column, number>> = {
  symbol: 110,
  price: 80,
  change1h: 55,
  change24h: 55,
  trail: 64,
  funding: 84,
  next: 34,
  fundingZ: 39,
  interest1h: 55,
  basis: 66,
  longShare: 39,
  regime: 80,
  liquidated: 90,
};

/** Columns that this browser leaves out, by name. */
export const hidden = kept('tocsin.columns.hidden');
const hiddenNames = () => hidden.value.split(' ').filter(Boolean);
function showColumn(column: Column, isShown: boolean): void {
  const others = hiddenNames().filter((each) => each !== column);
  hidden.value = (isShown ? others : [...others, column]).join(' ');
}

export function ColumnChoice() {
  return (
    <details class="column-choice">
      <summary>{msg('Columns')}</summary>
      <fieldset>
        <legend class="hidden">{msg('Columns')}</legend>
        {columns.slice(1).map((column) => (
          <label key={column}>
            <input
              type="checkbox"
              checked={!hiddenNames().includes(column)}
              onChange={({ currentTarget }) => showColumn(column, currentTarget.checked)}
            />{' '}
            {names[column]}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

export const nextAt = ({ fundingAt, fundingHours }: MarketRow): number | undefined =>
  fundingAt === undefined || fundingHours === undefined ? undefined : fundingAt + fundingHours * hour;

export const liquidatedOf = (row: MarketRow): number => row.longsLiquidated + row.shortsLiquidated;
export const figureOf = (row: MarketRow, column: Column): number | string | undefined => {
  if (column === 'next') return nextAt(row);
  if (column === 'liquidated') return liquidatedOf(row);
  if (column === 'trail') return row.change24h;
  if (column === 'regime') return row.likelierRegime ?? row.regime;
  return row[column];
};

/** Every figure as the board has it, with its unit. */
export const sheetOf = (symbols: readonly string[]) => ({
  columns: [
    names.symbol,
    msg('Time'),
    names.price,
    ...[names.change1h, names.change24h, names.funding].map((name) => `${name} (%)`),
    `${msg('Funding')} (h)`,
    names.next,
    names.fundingZ,
    ...[names.interest1h, names.basis, names.longShare].map((name) => `${name} (%)`),
    names.regime,
    `${msg('Longs liquidated 1 h')} (USD)`,
    `${msg('Shorts liquidated 1 h')} (USD)`,
  ],
  rows: symbols.flatMap((symbol) => {
    const row = piece(`market/${symbol}`).peek();
    if (row === undefined) return [];
    const inPercent = (fraction: number | undefined) =>
      fraction === undefined ? undefined : Number((fraction * 100).toPrecision(15));
    return [
      [
        symbol,
        cellTime(row.at),
        row.price,
        ...[row.change1h, row.change24h, inPercent(row.funding), row.fundingHours],
        cellTime(nextAt(row)),
        ...[row.fundingZ, row.interest1h, row.basis, inPercent(row.longShare)],
        row.likelierRegime ?? row.regime,
        ...[row.longsLiquidated, row.shortsLiquidated],
      ],
    ];
  }),
});
