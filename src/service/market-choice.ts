import { ConfigError } from '../runtime/errors.ts';
import type { Secret } from '../runtime/secret.ts';
import type { MacroChoice } from './exchanges/open-macro.ts';
import type { LiveUrls } from './exchanges/urls.ts';
import type { MarketChoice } from './upstream.ts';

/** What the configuration says of an embedded service's market. */
export interface MarketSettings {
  readonly seed: number;
  readonly macro: string;
  readonly fredKey: Secret | null;
  readonly live: Omit<LiveUrls, 'proxy'> & { readonly proxy: Secret | null };
}

/**
 * What `--market` and `data.embedded.market` say: `simulated`, `live` or `recorded:FOLDER`.
 * @param from market ms at which a simulated or recorded one begins
 * @throws ConfigError
 */
export function readMarket(
  text: string,
  { settings, from }: { readonly settings: MarketSettings; readonly from?: number | undefined },
): MarketChoice {
  const begin = from === undefined ? {} : { from };
  if (text === 'simulated') return { kind: 'simulated', seed: settings.seed, ...begin };
  if (text === 'live') {
    const { proxy, ...urls } = settings.live;
    const macro = readMacro(settings.macro, settings.fredKey);
    return {
      kind: 'live',
      urls: { ...urls, ...(proxy !== null && { proxy: proxy.reveal() }) },
      ...(macro !== undefined && { macro }),
    };
  }
  const dir = /^recorded:(.+)$/.exec(text)?.[1];
  if (dir !== undefined) return { kind: 'recorded', dir, ...begin };
  throw new ConfigError([`--market: "${text}" is not a market; give simulated, live or recorded:FOLDER`]);
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
