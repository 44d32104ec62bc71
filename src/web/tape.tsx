import { cellTime } from './csv.ts';
import { marketNow, piece } from './model.ts';
import { asPrice, asUsd, marketName } from './numbers.ts';
import { SaveTable } from './save-table.tsx';
import { Scrolls, Tile } from './tile.tsx';
import { clockTime } from './time.ts';
import { label, msg } from './words.ts';

/** Lists liquidations as they come, with the largest marked, and what each side lost within the last hour. */
export function Tape() {
  const tape = piece('tape').value;
  const { events = [], longs = 0, shorts = 0, coverage = [] } = tape ?? {};
  const all = longs + shorts;
  return (
    <Tile
      name={msg('Liquidations, 1 h')}
      figure="liquidations"
      note={
        <SaveTable
          name={msg('Liquidations')}
          sheet={() => ({
            columns: [msg('Time'), msg('Market'), msg('Side'), msg('Price'), `${msg('Amount')} (USD)`],
            rows: events.map(({ symbol, side, price, usd, at }) => [cellTime(at), symbol, side, price, usd]),
          })}
        />
      }
    >
      <div class="sides">
        <span class="down">{msg('longs {usd}', { usd: asUsd(longs) })}</span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          {all > 0 && (
            <>
              <rect class="down" width={(longs / all) * 100} height="8" />
              <rect class="up" x={(longs / all) * 100} width={(shorts / all) * 100} height="8" />
            </>
          )}
        </svg>
        <span class="up">{msg('shorts {usd}', { usd: asUsd(shorts) })}</span>
      </div>
      <Scrolls name={msg('Liquidations, 1 h')}>
        <table class="tape">
          <tbody>
            {/* A line keeps its place and says what is there now: with each liquidation all of them would move. */}
            {events.map(({ symbol, side, price, usd, at }, place) => (
              <tr key={place} class={usd >= 100_000 ? 'large' : undefined}>
                <td class="at">{clockTime(at, { now: marketNow.value, format: 'seconds' })}</td>
                <th scope="row">{marketName(symbol)}</th>
                <td class={side === 'LONG' ? 'down' : 'up'}>{label(side)}</td>
                <td class="number">{asPrice(price)}</td>
                <td class="number usd">{asUsd(usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {coverage.map(({ title, publishes }) => (
          <p key={title} class="empty">
            {publishes === 'ALL'
              ? msg('{exchange} (all)', { exchange: title })
              : msg('{exchange} (at most one a second and market)', { exchange: title })}
          </p>
        ))}
        {events.length === 0 && <p class="empty">{msg('None within the last hour.')}</p>}
      </Scrolls>
    </Tile>
  );
}
