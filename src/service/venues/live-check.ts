import type { WallClock } from '../../runtime/clock.ts';
import { day, minute } from '../../runtime/units.ts';
import { openDeribit } from '../exchanges/deribit.ts';
import { fredMacro } from '../exchanges/fred.ts';
import { type Memory, spentByPool } from '../exchanges/gate.ts';
import { openFearGreed, openStablecoins } from '../exchanges/sentiment.ts';
import type { UpstreamOptions } from '../exchanges/upstream.ts';
import type { LiveUrls } from '../exchanges/urls.ts';
import { askEverything, type LiveRow, watchRequests } from './live-requests.ts';
import { hear, streamsAmong } from './live-streams.ts';
import { openVenue, streamsOf } from './open-exchanges.ts';
import type { Venue } from './venue.ts';

export interface LiveSource {
  readonly title: string;
  readonly rows: readonly LiveRow[];
  /** What was spent of each limit: the most within one window. */
  readonly spent: readonly LiveSpending[];
}

interface LiveSpending {
  readonly pool: string;
  spent: number;
  readonly limit: number;
  /** The window of the limit, ms. */
  readonly per: number;
}

interface LiveCheckOptions {
  readonly venues: readonly Venue[];
  readonly urls: LiveUrls;
  /** Null: FRED is not asked. */
  readonly fredKey: string | null;
  /** How long each stream is listened to, ms. */
  readonly listen: number;
  readonly wall: WallClock;
  readonly random: () => number;
  /** Ends the check with what it has. */
  readonly signal: AbortSignal;
}

/** After this time nothing more is asked, ms. */
const askFor = 2 * minute;

/**
 * Asks every venue for everything that its client can ask for, the other sources once, and listens to every stream. Obeys
 * the limits as a data service does, stores nothing, and rejects for no source that fails.
 */
export async function checkLive(options: LiveCheckOptions): Promise<readonly LiveSource[]> {
  const { venues, urls, fredKey, wall } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(askFor)]);
  const checkOther = async <Client extends { close?(): Promise<void> }>(
    title: string,
    given: {
      readonly url: string;
      readonly path: string;
      readonly open: (options: Omit<UpstreamOptions, 'name'>) => Client;
      readonly ask: (client: Client) => Promise<unknown>;
    },
  ): Promise<LiveSource> => {
    const { proxy } = urls;
    const watched = watchRequests({ paths: [given.path], wall, signal, proxy });
    const { transport, onFailure } = watched;
    const client = given.open({ url: given.url, wall, signal, transport, onFailure });
    await watched.ask(() => given.ask(client));
    await client.close?.();
    return { title, rows: [...watched.rows.values()], spent: [] };
  };
  const span = { from: wall.now() - 30 * day, to: wall.now() };
  return Promise.all([
    ...venues.map((venue) => checkVenue(venue, { ...options, asking: signal })),
    checkOther('Deribit', {
      url: urls.deribit,
      path: '/api/v2/public/get_book_summary_by_currency',
      open: openDeribit,
      ask: (client) => client.chain('BTC'),
    }),
    checkOther('alternative.me (fear and greed)', {
      url: urls.fearGreed,
      path: '/fng/',
      open: openFearGreed,
      ask: (client) => client.index(30),
    }),
    checkOther('DefiLlama (stablecoins)', {
      url: urls.stablecoins,
      path: '/stablecoincharts/all',
      open: openStablecoins,
      ask: (client) => client.supply(),
    }),
    ...(fredKey === null
      ? []
      : [
          checkOther('FRED', {
            url: urls.fred,
            path: '/fred/series/observations',
            open: (opened) => fredMacro({ ...opened, key: fredKey }),
            ask: (client) => client.read(client.series[0] ?? '', span),
          }),
        ]),
  ]);
}

async function checkVenue(
  venue: Venue,
  { urls, listen, wall, random, signal, asking }: LiveCheckOptions & { readonly asking: AbortSignal },
): Promise<LiveSource> {
  const usedHeader = venue.pools.find((pool) => pool.usedHeader !== undefined)?.usedHeader;
  const { paths, labels } = venue;
  const watched = watchRequests({ paths, labels, usedHeader, wall, signal: asking, proxy: urls.proxy });
  const spent = venue.pools.map(
    ({ name, limit, per }): LiveSpending => ({ pool: name, spent: 0, limit, per }),
  );
  const memory: Memory = {
    storedState: undefined,
    async store(state) {
      const byPool = spentByPool(state);
      for (const each of spent) each.spent = Math.max(each.spent, byPool.get(each.pool) ?? 0);
    },
  };
  const { transport, onRowsDropped, onFailure } = watched;
  const upstream = { wall, signal: asking, memory, onRowsDropped, onFailure, transport };
  const client = openVenue(venue, urls, upstream);
  const markets = Promise.withResolvers<Pick<Parameters<typeof hear>[1], 'symbols' | 'sizes'>>();
  const heard = [...streamsAmong(venue.roles)].map(([name, stream]) => {
    const row: LiveRow = { what: `stream of ${name}`, answers: 0, findings: [] };
    return { row, stream };
  });
  const listening = markets.promise.then(async (known) => {
    const given = { ...streamsOf(venue, urls), ...known, time: listen, wall, random, signal };
    await Promise.all(heard.map(({ row, stream }) => hear(stream, { ...given, row })));
  });
  await askEverything(client, {
    macro: venue.macro,
    watched,
    now: wall.now(),
    signal: asking,
    onMarkets: markets.resolve,
  });
  await listening;
  await client.close();
  return { title: venue.title, rows: [...watched.rows.values(), ...heard.map(({ row }) => row)], spent };
}
