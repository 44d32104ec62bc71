import { ConfigError, InputError } from '../../runtime/errors.ts';
import type { Secret } from '../../runtime/secret.ts';
import type { MacroChoice } from '../exchanges/open-macro.ts';
import type { VenueUrls } from '../exchanges/urls.ts';
import type { MarketChoice } from './upstream.ts';

/** The configuration of an embedded service's market. */
interface MarketSettings {
  readonly seed: number;
  readonly macro: string;
  /** `auto`, or a venue's name. */
  readonly venue?: string | undefined;
  readonly fredKey: Secret | null;
  readonly live: Readonly<Record<'deribit' | 'fearGreed' | 'stablecoins' | 'fred', string>> & {
    readonly proxy: Secret | null;
    /** The addresses of each venue: `NAME` for REST and `NAMEStream` for its streams. */
    readonly [address: string]: string | Secret | null;
  };
}

/**
 * Reads the value of `--market` and `data.embedded.market`: `simulated`, `live` or `recorded:FOLDER`.
 * @param from market ms at which a simulated or recorded market begins
 * @throws InputError if it is none, which only the option can be; ConfigError
 */
export function readMarket(
  text: string,
  { settings, from }: { readonly settings: MarketSettings; readonly from?: number | undefined },
): MarketChoice {
  if (text === 'simulated') return { kind: 'simulated', seed: settings.seed, from };
  if (text === 'live') {
    const { proxy, deribit, fearGreed, stablecoins, fred } = settings.live;
    const urls = { deribit, fearGreed, stablecoins, fred, venues: venueUrls(settings.live) };
    return {
      kind: 'live',
      urls: { ...urls, proxy: proxy?.reveal() },
      macro: readMacro(settings.macro, settings.fredKey),
      venue: settings.venue === 'auto' ? undefined : settings.venue,
    };
  }
  const dir = /^recorded:(.+)$/.exec(text)?.[1];
  if (dir !== undefined) return { kind: 'recorded', dir, from };
  throw new InputError(`--market: "${text}" is not a market; give simulated, live or recorded:FOLDER`);
}

/**
 * Reads the value of `data.embedded.macro`: `none`, `fred` or `csv:FOLDER`. It is the only source of macro data for a live
 * market; a simulated or recorded market generates its own.
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

/** Returns the addresses of every venue that has both addresses in the settings. */
const venueUrls = (live: MarketSettings['live']): Record<string, VenueUrls> =>
  Object.fromEntries(
    Object.entries(live).flatMap(([name, rest]) => {
      const stream = live[`${name}Stream`];
      return typeof rest === 'string' && typeof stream === 'string' ? [[name, { rest, stream }]] : [];
    }),
  );
