import type { z } from 'zod';
import type { MarginTiers } from '../../../runtime/liquidation-price.ts';
import { second } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import type { Pool } from '../../exchanges/gate.ts';
import { fetchNewestFirst, type Rows, reportDropped, within } from '../../exchanges/rows.ts';
import { openUpstream, type UpstreamQuestion } from '../../exchanges/upstream.ts';
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
  const { get, close } = openUpstream<`/v5/market/${RequestPath}`>({
    ...options,
    name: 'bybit',
    effectiveStatus: payload.effectiveStatus,
  });

  async function ask<Answer extends Rows<unknown>>(
    path: RequestPath,
    schema: z.ZodType<Answer>,
    question: UpstreamQuestion,
  ): Promise<Answer> {
    const query = { category: 'linear', ...question.query };
    const answer = await get(pathOf(path), { schema, question: { ...question, query } });
    return reportDropped(answer, `bybit ${pathOf(path)}`, options.onRowsDropped);
  }

  const fetchTickers = async <Row>(schema: z.ZodType<Rows<Row>>): Promise<Row[]> =>
    (await ask('tickers', schema, { urgent: true })).rows;

  async function fetchKlines<Row extends { readonly time: number }>(
    path: RequestPath,
    given: {
      readonly schema: z.ZodType<Rows<Row>>;
      readonly symbol: string;
      readonly interval: string;
      readonly page: PageRequest;
    },
  ): Promise<Row[]> {
    const { schema, symbol, interval, page } = given;
    const { from: start, to: end, urgent = false } = page;
    const query = { symbol: nameOf(symbol), interval, start, end, limit: pageRows.klines };
    return (await ask(path, schema, { query, urgent })).rows.filter(within(page));
  }

  const fetchSettlements = (
    symbol: string,
    { urgent = false, ...span }: PageRequest,
  ): Promise<SettledFunding[]> =>
    fetchNewestFirst(span, {
      limit: pageRows.funding,
      fetch: ({ from: startTime, to: endTime }) => {
        const query = { symbol: nameOf(symbol), startTime, endTime, limit: pageRows.funding };
        return ask('funding/history', payload.settlements(symbol), { query, urgent });
      },
    });

  const serverTime = () => get(pathOf('time'), { schema: payload.serverTime, question: { urgent: true } });

  const fetchTiers = (symbol: string): Promise<MarginTiers> => {
    const query = { category: 'linear', symbol: nameOf(symbol) };
    return get(pathOf('risk-limit'), { schema: payload.riskLimits, question: { query, urgent: true } });
  };

  return { ask, fetchTickers, fetchKlines, fetchSettlements, fetchTiers, serverTime, close };
}
