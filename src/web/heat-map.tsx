import { computed } from '@preact/signals';
import { cellTime } from './csv.ts';
import { piece, symbols } from './model.ts';
import { asRate, marketName } from './numbers.ts';
import { SaveTable } from './save-table.tsx';
import { Scrolls, Tile } from './tile.tsx';
import { momentOf } from './time.ts';
import { msg } from './words.ts';

const shownSettlements = 30;
/** Fraction per eight hours at which a cell has its strongest colour. */
const strongestRate = 0.0006;

/** Returns who pays and how strong the colour is. The square root makes differences between usual rates visible. */
const paying = (rate: number) => ({
  'data-payer': rate > 0 ? 'longs' : 'shorts',
  style: { '--share': `${Math.round(100 * Math.sqrt(Math.min(1, Math.abs(rate) / strongestRate)))}%` },
});

/** Markets by their mean rate, the highest first. */
const ordered = computed(() =>
  symbols.value
    .map((symbol) => {
      const rates = (piece(`settlements/${symbol}`).value ?? []).map(([, rate]) => rate);
      return {
        symbol,
        mean: rates.reduce((sum, rate) => sum + rate, 0) / (rates.length || 1),
        count: rates.length,
      };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.mean - a.mean)
    .map(({ symbol }) => symbol),
);

const settlementSheet = () => ({
  columns: [msg('Market'), msg('Time'), `${msg('Funding')} (%)`],
  rows: ordered
    .peek()
    .flatMap((symbol) =>
      (piece(`settlements/${symbol}`).peek() ?? []).map(([at, rate]) => [symbol, cellTime(at), rate * 100]),
    ),
});

function Row({ symbol }: { readonly symbol: string }) {
  const settlements = piece(`settlements/${symbol}`).value ?? [];
  const shown = settlements.slice(-shownSettlements);
  const missing = shownSettlements - shown.length;
  const last = shown.at(-1);
  return (
    <tr>
      <th scope="row">{marketName(symbol)}</th>
      {Array.from({ length: shownSettlements }, (_, place) => {
        const [at, rate] = shown[place - missing] ?? [];
        if (at === undefined || rate === undefined) return <td key={place} />;
        const text = `${momentOf(at)} ${asRate(rate)}`;
        return <td key={place} {...paying(rate)} title={text} aria-label={text} />;
      })}
      <td class="latest">{asRate(last?.[1])}</td>
    </tr>
  );
}

/** Shows by market which side paid at the last settlements, and how much. */
export function HeatMap() {
  return (
    <Tile
      name={msg('Funding, last 30 settlements')}
      figure="funding"
      note={
        <span class="note paying">
          <SaveTable name={msg('Funding')} sheet={settlementSheet} />
          <i {...paying(-strongestRate / 2)} /> {msg('shorts pay')} <i {...paying(strongestRate / 2)} />{' '}
          {msg('longs pay')}
        </span>
      }
    >
      <Scrolls name={msg('Funding, last 30 settlements')}>
        <table class="heat">
          <caption class="hidden">
            {msg(
              'Funding by market, the oldest settlement first: above zero longs pay, below zero shorts pay',
            )}
          </caption>
          <tbody>
            {/* As in the table of markets, rows and cells keep their places and show what is there now. */}
            {ordered.value.map((symbol, place) => (
              <Row key={place} symbol={symbol} />
            ))}
          </tbody>
        </table>
      </Scrolls>
    </Tile>
  );
}
