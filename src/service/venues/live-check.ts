import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { day, minute, second } from '../../runtime/units.ts';
import { openDeribit } from '../exchanges/deribit.ts';
import { fredMacro } from '../exchanges/fred.ts';
import { type Memory, spentByPool } from '../exchanges/gate.ts';
import { openFearGreed, openStablecoins } from '../exchanges/sentiment.ts';
import { keepStream } from '../exchanges/stream.ts';
import type { UpstreamOptions } from '../exchanges/upstream.ts';
import type { LiveUrls } from '../exchanges/urls.ts';
import { changed, type LiveFinding, silent, streamFinding } from './live-remedies.ts';
import { askEverything, type LiveRow, watchRequests } from './live-requests.ts';
import { openVenue, streamsOf } from './open-exchanges.ts';
import type { ContractSizes, Venue } from './venue.ts';

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
  const markets = Promise.withResolvers<Pick<Parameters<typeof listenTo>[1], 'symbols' | 'sizes'>>();
  const heard = [...streamsAmong(venue.roles)].map(([name, stream]) => {
    const row: LiveRow = { what: `stream of ${name}`, answers: 0, findings: [] };
    return { row, stream };
  });
  const listening = markets.promise.then(async (known) => {
    const given = { ...streamsOf(venue, urls), ...known, time: listen, wall, random, signal };
    await Promise.all(heard.map(({ row, stream }) => listenTo(stream, { ...given, row })));
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

type Roles = Venue['roles'];
type Stream = NonNullable<Roles['quotes'] | Roles['liquidations']>;

/** Returns the streams among the roles of a venue, by name. */
export const streamsAmong = (roles: Roles): ReadonlyMap<string, Stream> =>
  new Map(
    Object.entries(roles).flatMap(([name, role]) =>
      typeof role === 'object' && 'read' in role && 'url' in role ? [[name, role as Stream]] : [],
    ),
  );

/** Listens to a stream for `time` ms, or until the signal aborts, and enters what it heard into the row. */
async function listenTo(
  stream: Stream,
  given: {
    readonly row: LiveRow;
    readonly root: string;
    readonly proxy?: string | undefined;
    readonly symbols: readonly string[];
    readonly sizes: ContractSizes;
    readonly time: number;
    readonly wall: WallClock;
    readonly random: () => number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { row, root, proxy, symbols, sizes, time, wall, random, signal } = given;
  const startedAt = wall.now();
  let messages = 0;
  const found = new Map<string, LiveFinding>();
  const find = (finding: LiveFinding) => found.set(finding.problem, finding);
  const reading = {
    sizes,
    onDropped: (example: string) => void find(changed(example)),
    onUnsized: (contract: string) =>
      void find(
        changed(`the size of the contract ${contract} is not known, so its liquidations are left out`),
      ),
  };
  const ending = new AbortController();
  const waited = wall.sleep(time, signal).then(
    () => ending.abort(),
    () => ending.abort(),
  );
  await keepStream({
    url: stream.url(root),
    subscriptions: () => stream.subscribe?.(symbols) ?? [],
    ping: stream.ping,
    wall,
    random,
    proxy,
    signal: ending.signal,
    onMessage(text) {
      messages += 1;
      try {
        const events = stream.read(text, reading);
        if (events.length > 0) row.slowest ??= wall.now() - startedAt;
        row.answers += events.length;
        return events.length > 0;
      } catch (error) {
        find(changed(issueOf(error)));
        return false;
      }
    },
    onProblem: (problem) => void find(streamFinding(problem)),
  });
  await waited;
  row.findings.push(...found.values());
  // One market may have no liquidation for hours; that its stream lives is seen by any message.
  row.isQuiet = messages > 0 && 'wholeMarket' in stream && !stream.wholeMarket;
  if (found.size === 0 && !signal.aborted && row.answers === 0 && !row.isQuiet)
    row.findings.push(silent(Math.round(time / second)));
}

/** Returns what was wrong with a message. */
function issueOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `field "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}`;
  }
  if (error instanceof SyntaxError) return 'a message is not JSON';
  return error instanceof Error ? error.message : String(error);
}
