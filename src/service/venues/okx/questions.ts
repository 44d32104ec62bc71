import { ApiError } from '../../../runtime/errors.ts';
import type { MarginTiers } from '../../../runtime/liquidation-price.ts';
import { second } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import type { Pool } from '../../exchanges/gate.ts';
import { fetchNewestFirst, type Rows, within } from '../../exchanges/rows.ts';
import { type Asked, openUpstream } from '../../exchanges/upstream.ts';
import type { ContractSizes, PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { coinsIn, indexOf, nameOf } from './symbols.ts';

/** The most rows of one response (okx.com/docs-v5, the `limit` of each request). */
export const pageRows = { candles: 300, closes: 100, funding: 100, statistics: 100 } as const;

/** How many of the newest rows of statistics and price candles can be relied on. OKX keeps 1,440, the running one included. */
export const keptRows = 1_440 - 2;

/**
 * Requests allowed per IP address in 2 s, counted for each path separately (okx.com/docs-v5). For paths about one
 * instrument OKX counts per address and instrument. Here they are counted per address only, because the gateway in front
 * of OKX's servers would refuse more.
 */
const limits = {
  'public/time': 10,
  'public/instruments': 20,
  'public/mark-price': 10,
  'public/funding-rate': 10,
  'public/funding-rate-history': 10,
  'public/open-interest': 20,
  'public/position-tiers': 10,
  'market/tickers': 20,
  'market/index-tickers': 20,
  'market/candles': 40,
  'market/history-candles': 20,
  'market/mark-price-candles': 20,
  'market/index-candles': 20,
  'rubik/stat/contracts/open-interest-history': 10,
  'rubik/stat/contracts/long-short-account-ratio-contract': 5,
  'rubik/stat/contracts/long-short-position-ratio-contract-top-trader': 5,
} as const;
type RequestPath = keyof typeof limits;

export const swaps = { instType: 'SWAP' } as const;

const pathOf = (what: string): string => `/api/v5/${what}`;
/** Everything that is asked for. */
export const okxPaths: readonly string[] = Object.keys(limits).map(pathOf);

export const okxPools: readonly Pool[] = Object.entries(limits).map(([what, limit]) => ({
  name: what,
  covers: (path) => path === pathOf(what),
  limit,
  per: 2 * second,
}));

interface PageQuestion<Row> extends Pick<Asked<Rows<Row>>, 'schema' | 'query'> {
  readonly page: PageRequest;
  /** Ms from the stamp that OKX gives a row to the row's time in the archive. */
  readonly span?: number;
}

/** Opens the requests to OKX. They deal with the envelope, the order and the invalid rows of responses. */
export function openQuestions(options: Parameters<Venue['open']>[0]) {
  const { get, getRows, close } = openUpstream({
    ...options,
    name: 'okx',
    effectiveStatus: payload.effectiveStatus,
  });

  /** Fetches a list of the present state of all instruments. */
  const fetchPresent = async <Row>(
    path: RequestPath,
    schema: Asked<Rows<Row>>['schema'],
    query: Readonly<Record<string, string>>,
  ): Promise<Row[]> => (await getRows(pathOf(path), { schema, query, urgent: true })).rows;

  /** Requests the rows of a page. OKX excludes both ends of a span, so the requested span is 1 ms longer on each side. */
  async function askPage<Row extends { readonly time: number }>(
    path: RequestPath,
    { schema, query, page, span = 0 }: PageQuestion<Row>,
  ): Promise<Rows<Row>> {
    const [newer, older] = [page.from - span - 1, page.to - span + 1];
    const ends = path.startsWith('rubik/') ? { begin: newer, end: older } : { before: newer, after: older };
    const asked = { schema, query: { ...query, ...ends }, urgent: page.urgent };
    const answer = await getRows(pathOf(path), asked);
    return { ...answer, rows: answer.rows.filter(within(page)) };
  }

  const fetchPage = async <Row extends { readonly time: number }>(
    path: RequestPath,
    asked: PageQuestion<Row>,
  ): Promise<Row[]> => (await askPage(path, asked)).rows;

  const fetchSettlements = (symbol: string, { urgent, ...span }: PageRequest): Promise<SettledFunding[]> =>
    fetchNewestFirst(span, {
      limit: pageRows.funding,
      fetch: (rest) =>
        askPage('public/funding-rate-history', {
          schema: payload.settlements({ symbol, coins: coinsIn(symbol) }),
          query: { instId: nameOf(symbol), limit: pageRows.funding },
          page: { ...rest, urgent },
        }),
    });

  async function fetchSizes(): Promise<ContractSizes> {
    const sizes = await fetchPresent('public/instruments', payload.contractSizes, swaps);
    return new Map(sizes.map(({ name, quantity }) => [name, quantity]));
  }

  /** OKX counts contracts, and has one rate for the whole position (docs-v5, position tiers). */
  async function fetchTiers(symbol: string): Promise<MarginTiers> {
    const query = { ...swaps, tdMode: 'isolated', instFamily: indexOf(symbol) };
    const [tiers, sizes] = await Promise.all([
      fetchPresent('public/position-tiers', payload.positionTiers, query),
      fetchSizes(),
    ]);
    const size = sizes.get(nameOf(symbol));
    if (size === undefined)
      throw new ApiError('okx position-tiers', 'invalid_request', `${symbol} is not listed`);
    const coins = size / coinsIn(symbol);
    return { unit: 'COINS', tiers: tiers.map(({ most, ...tier }) => ({ upTo: most * coins, ...tier })) };
  }

  const serverTime = () => get(pathOf('public/time'), { schema: payload.serverTime, urgent: true });

  return { fetchPresent, fetchPage, fetchSettlements, fetchSizes, fetchTiers, serverTime, close };
}
