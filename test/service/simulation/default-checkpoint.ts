import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { day, hour } from '#src/runtime/units.ts';
import { createCoin } from '#src/service/simulation/coin.ts';
import { syntheticFactor } from '#src/service/simulation/factor.ts';
import { listings, unbroken } from '#src/service/simulation/listings.ts';
import type { MarketCheckpoint } from '#src/service/simulation/market.ts';
import { defaultSeed, simulationStart } from '#src/service/simulation/synthetic.ts';

/** How long before the default start the known states are: what is asked about all coins reaches back less than this. */
const before = 32 * day;

/** Computes the states of the default market's coins some weeks before its start, from its first hour on. */
export function computeDefaultCheckpoint(): MarketCheckpoint {
  const factor = syntheticFactor(defaultSeed);
  const at = Math.floor((simulationStart - before) / hour);
  return Object.fromEntries(
    listings.slice(0, unbroken).map((listing) => {
      const { first = 0, states = [] } =
        createCoin({ seed: defaultSeed, listing, factor }).statesAt(at) ?? {};
      return [listing.symbol, { first: first + states.length - 1, states: states.slice(-1) }];
    }),
  );
}

/** `npm run generate` writes what src/service/simulation/synthetic.ts resumes the default market from. */
if (import.meta.main) {
  const lines = Object.entries(computeDefaultCheckpoint()).map(
    ([symbol, states]) => `  ${JSON.stringify(symbol)}: ${JSON.stringify(states)}`,
  );
  const path = resolve(import.meta.dirname, '../../../src/service/simulation/default-checkpoint.json');
  writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`);
}
