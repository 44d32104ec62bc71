import type { MarginTiers } from '../../../runtime/liquidation-price.ts';
import { second } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import type { Pool } from '../../exchanges/gate.ts';
import { fetchNewestFirst, type Rows, within } from '../../exchanges/rows.ts';
import { type Asked, openUpstream } from '../../exchanges/upstream.ts';
import type { PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { nameOf } from './symbols.ts';

/** The most rows of one response (docs/v5/market, the `limit` of each request). */
export const pageRows = { klines: 1_000, funding: 200, openInterest: 200, ratios: 500 } as const;

/** One limit per IP address for all REST requests (docs/v5/rate-limit). No header reports its use; beyond it is HTTP 403. */
export const bybitPools: readonly Pool[] = [
  { name: 'requests', covers: () => true, limit: 600, per: 5 * second },
];

const requests = [
  'time',
  'instruments-info',
  'tickers',
  'kline',
  'mark-price-kline',
  'index-price-kline',
  'funding/history',
  'open-interest',
  'account-ratio',
  'risk-limit',
] as const;
type RequestPath = (typeof requests)[number];
const pathOf = <Path extends RequestPath>(path: Path) => `/v5/market/${path}` as const;
/** Everything that is asked for. */
export const bybitPaths: readonly string[] = requests.map((path) => pathOf(path));

/**
 * Opens the requests to Bybit about contracts against USDT and USDC. They deal with the envelope, the order and the invalid rows of
 * responses.
 */
export function openQuestions(options: Parameters<Venue['open']>[0]) {
  const { get, getRows, close } = openUpstream<`/v5/market/${RequestPath}`>({
    ...options,
    name: 'bybit',
    effectiveStatus: payload.effectiveStatus,
  });
  const linear = { category: 'linear' };

  const ask = <Answer extends Rows<unknown>>(path: RequestPath, asked: Asked<Answer>): Promise<Answer> =>
    getRows(pathOf(path), { ...asked, query: { ...linear, ...asked.query } });

  const fetchTickers = async <Row>(schema: Asked<Rows<Row>>['schema']): Promise<Row[]> =>
    (await ask('tickers', { schema, urgent: true })).rows;

  async function fetchKlines<Row extends { readonly time: number }>(
    path: RequestPath,
    given: {
      readonly schema: Asked<Rows<Row>>['schema'];
      readonly symbol: string;
      readonly interval: string;
      readonly page: PageRequest;
    },
  ): Promise<Row[]> {
    const { schema, symbol, interval, page } = given;
    const { from: start, to: end, urgent } = page;
    const query = { symbol: nameOf(symbol), interval, start, end, limit: pageRows.klines };
    return (await ask(path, { schema, query, urgent })).rows.filter(within(page));
  }

  const fetchSettlements = (symbol: string, { urgent, ...span }: PageRequest): Promise<SettledFunding[]> =>
    fetchNewestFirst(span, {
      limit: pageRows.funding,
      fetch: ({ from: startTime, to: endTime }) => {
        const query = { symbol: nameOf(symbol), startTime, endTime, limit: pageRows.funding };
        return ask('funding/history', { schema: payload.settlements(symbol), query, urgent });
      },
    });

  const serverTime = () => get(pathOf('time'), { schema: payload.serverTime, urgent: true });

  const fetchTiers = (symbol: string): Promise<MarginTiers> => {
    const query = { ...linear, symbol: nameOf(symbol) };
    return get(pathOf('risk-limit'), { schema: payload.riskLimits, query, urgent: true });
  };

  return { ask, fetchTickers, fetchKlines, fetchSettlements, fetchTiers, serverTime, close };
}
