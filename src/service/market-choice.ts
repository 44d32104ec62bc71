import { ConfigError } from '../runtime/errors.ts';
import type { MarketChoice } from './upstream.ts';

/**
 * What `--market` and `data.embedded.market` say: `simulated`, `live` or `recorded:FOLDER`.
 * @throws ConfigError
 */
export function readMarket(text: string, seed: number, from?: number): MarketChoice {
  const begin = from === undefined ? {} : { from };
  if (text === 'simulated') return { kind: 'simulated', seed, ...begin };
  if (text === 'live') return { kind: 'live' };
  const dir = /^recorded:(.+)$/.exec(text)?.[1];
  if (dir !== undefined) return { kind: 'recorded', dir, ...begin };
  throw new ConfigError([`--market: "${text}" was given; simulated, live or recorded:FOLDER is allowed`]);
}
