import { parseArgs } from 'node:util';
import { minute, second } from '#src/runtime/units.ts';
import { loadVenues, simulatedVenue, type Venue } from '#src/service/venues/venue.ts';
import { liveCollecting } from '../support/exchange/live.ts';
import { mostWithin } from '../support/exchange/stand-in.ts';
import { report } from './measuring/figures.ts';

/** Takes some minutes. */
export const slow = true;

const begin = Date.UTC(2026, 8, 5, 11, 47, 30);
const refusals: readonly number[] = [403, 418, 429];

/**
 * `npm run bench -- live-venues -- [--symbols 100] [--venue bybit]`: the requests of collecting from each venue other than
 * Binance, against a stand-in that enforces the venue's limits, 150 ms away, by a clock that jumps.
 */
export default async function liveVenues(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { symbols: { type: 'string', default: '100' }, venue: { type: 'string' } },
  });
  for (const venue of await loadVenues()) {
    if (venue.name !== simulatedVenue && (values.venue ?? venue.name) === venue.name) {
      await collectFrom(venue, Number(values.symbols));
    }
  }
}

async function collectFrom(venue: Venue, symbols: number): Promise<void> {
  const market = await liveCollecting({ begin, symbols, publication: 0, venue });
  const collecting = await market.start();
  const asked = () => market.asked.filter(({ path }) => path.startsWith(`/${venue.name}/`));
  let ready: number | undefined;
  void collecting.ready.then(() => {
    ready = market.passed();
  });
  await market.until(() => ready !== undefined, 60 * minute);
  const needed = asked().length;
  await market.until(() => collecting.progress() === 1, 12 * 60 * minute);
  const past = market.passed();
  const filled = asked().length;
  await market.until(() => market.passed() >= past + 60 * minute, 61 * minute);
  const after = asked().slice(filled);
  report(`${venue.title}, ${symbols} symbols, a start and the hour after its past is there`, [
    { name: 'ready', value: (ready ?? Number.NaN) / minute, unit: 'min' },
    { name: 'requests until ready', value: needed, unit: '' },
    { name: 'whole past', value: past / minute, unit: 'min' },
    { name: 'requests until it is there', value: filled, unit: '' },
    { name: 'requests in the hour after', value: after.length, unit: '' },
    { name: 'the most of them in 5 s', value: mostWithin(after, 5 * second), unit: '' },
    {
      name: 'refused by limits',
      value: asked().filter(({ status }) => refusals.includes(status)).length,
      unit: '',
      bound: { most: 0 },
    },
  ]);
  await market.close();
}
