import { parseArgs } from 'node:util';
import { hour, minute, second } from '#src/runtime/units.ts';
import { liveCollecting } from '../../support/venues/live.ts';
import { type Asked, mostWithin } from '../../support/venues/stand-in.ts';
import { none, report } from '../measuring/figures.ts';

const begin = Date.UTC(2026, 8, 5, 11, 47, 30);

/** Binance's limits, in an hour. */
const pools = {
  weight: { limit: 60 * 2_400, has: (path: string) => path.startsWith('/fapi/') && !isFunding(path) },
  'requests of /futures/data': {
    limit: 12 * 1_000,
    has: (path: string) => path.startsWith('/futures/data/'),
  },
  'requests of funding': { limit: 12 * 500, has: (path: string) => isFunding(path) },
};
const isFunding = (path: string) => /^\/fapi\/v1\/funding(Rate|Info)$/.test(path);

/** Returns the most that any hour used of each pool, percent. */
const poolUse = (asked: readonly Asked[]) =>
  Object.entries(pools).map(([name, { limit, has }]) => {
    const own = asked.filter(({ path }) => has(path));
    const costs = own.map(({ at, used }, index) => {
      const before = own[index - 1];
      const isNewMinute = before === undefined || Math.floor(before.at / minute) !== Math.floor(at / minute);
      return { at, cost: name === 'weight' ? Math.max(0, used - (isNewMinute ? 0 : before.used)) : 1 };
    });
    return {
      name: `most of an hour’s ${name}`,
      value: (100 * mostWithin(costs, hour)) / limit,
      unit: '%',
      bound: { most: 60 },
    };
  });

/**
 * `npm run bench -- budget -- collecting [--symbols 100]`: collecting the live market from a stand-in of Binance that enforces its
 * limits, by a clock that jumps: once without a restart, and once with three in the first minutes.
 */
export default async function collecting(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { symbols: { type: 'string', default: '100' } },
  });
  const symbols = Number(values.symbols);
  for (const restarts of [[], [40 * second, 80 * second, 4 * minute]]) {
    const market = await liveCollecting({ begin, symbols, publication: 4.5 * minute });
    let collecting = await market.start();
    let ready = Number.NaN;
    const noted = () =>
      collecting.ready.then(() => {
        if (Number.isNaN(ready)) ready = market.passed();
      });
    void noted();
    for (const at of restarts) {
      await market.until(() => market.passed() >= at);
      collecting = await market.start();
      void noted();
    }
    await market.until(() => collecting.progress() === 1, 120 * minute);
    const past = market.passed();
    const filled = market.asked.length;
    await market.until(() => market.passed() >= past + 60 * minute, 61 * minute);
    const data = (from: number) =>
      market.asked.slice(from).filter(({ path }) => path.startsWith('/futures/data/'));
    report(`live, ${symbols} symbols, ${restarts.length} restarts, rows of /futures/data 4.5 min late`, [
      { name: 'ready', value: ready / minute, unit: 'min', bound: { most: 2.5 } },
      { name: 'whole past', value: past / minute, unit: 'min', bound: { most: 30 } },
      none('refused by limits', market.asked.filter(({ status }) => status === 429 || status === 418).length),
      ...poolUse(market.asked),
      { name: 'requests for it', value: filled, unit: '' },
      { name: '/futures/data, most in 5 min', value: mostWithin(data(0), 5 * minute), unit: '' },
      {
        name: '/futures/data in the hour after, most in 5 min',
        value: mostWithin(data(filled), 5 * minute),
        unit: '',
        ...(symbols <= 100 && { bound: { most: 500 } }),
      },
    ]);
    await market.close();
  }
}
