import { AlertList, listed, noAlerts } from './alert-list.tsx';
import { HeatMap } from './heat-map.tsx';
import { firing } from './held-alerts.ts';
import { MarketTable } from './market-table.tsx';
import { Quadrant } from './quadrant.tsx';
import { Tape } from './tape.tsx';
import { Scrolls, Tile } from './tile.tsx';
import { msg } from './words.ts';

/** Most rows in the list of alerts. */
const most = 40;

/** Shows the current market: the markets; funding and open interest; alerts and liquidations. */
export function Now() {
  return (
    <div class="now">
      <h2 class="hidden">{msg('Now')}</h2>
      <div class="column markets-column">
        <MarketTable />
      </div>
      <div class="column middle-column">
        <HeatMap />
        <Quadrant />
      </div>
      <div class="column events-column">
        <Tile
          name={msg('Alerts')}
          note={
            <span class="note">
              {msg('{n, plural, =0 {none firing} other {# firing}}', { n: firing.value.length })}
            </span>
          }
        >
          <Scrolls name={msg('Alerts')}>
            {listed.value.length === 0 ? noAlerts() : <AlertList rows={listed.value} most={most} />}
          </Scrolls>
        </Tile>
        <Tape />
      </div>
    </div>
  );
}
