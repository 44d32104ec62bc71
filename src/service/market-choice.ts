import { ConfigError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import type { MacroChoice } from './exchanges/open-macro.ts';
import type { MarketChoice } from './upstream.ts';

/**
 * What `--market` and `data.embedded.market` say: `simulated`, `live` or `recorded:FOLDER`.
 * @throws ConfigError
 */
export function readMarket(
  text: string,
  seed: number,
  { from, macro }: { readonly from?: number | undefined; readonly macro?: MacroChoice | undefined } = {},
): MarketChoice {
  const begin = from === undefined ? {} : { from };
  if (text === 'simulated') return { kind: 'simulated', seed, ...begin };
  if (text === 'live') return { kind: 'live', ...(macro === undefined ? {} : { macro }) };
  const dir = /^recorded:(.+)$/.exec(text)?.[1];
  if (dir !== undefined) return { kind: 'recorded', dir, ...begin };
  throw new ConfigError([`--market: "${text}" was given; simulated, live or recorded:FOLDER is allowed`]);
}

/**
 * What `data.embedded.macro` says: `none`, `fred` or `csv:FOLDER`. A live market has no other values of other
 * markets; a made or recorded one makes its own.
 * @throws ConfigError
 */
export function readMacro(text: string, fredKey: Secret | null): MacroChoice | undefined {
  if (text === 'none') return undefined;
  const dir = /^csv:(.+)$/.exec(text)?.[1];
  if (dir !== undefined) return { kind: 'csv', dir };
  if (fredKey !== null) return { kind: 'fred', key: fredKey.reveal() };
  throw new ConfigError([
    'data.embedded.macro: fred needs a key: get one at fred.stlouisfed.org (free) and set TOCSIN_FRED_KEY',
  ]);
}
