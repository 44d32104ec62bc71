import type { z } from 'zod';
import { second } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import type { Pool } from '../../exchanges/gate.ts';
import type { Rows } from '../../exchanges/rows.ts';
import { openUpstream, type UpstreamQuestion } from '../../exchanges/upstream.ts';
import type { PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { coinsIn, nameOf } from './symbols.ts';

/** The most rows of one answer (okx.com/docs-v5, each question's `limit`). */
export const pageRows = { candles: 300, closes: 100, funding: 100, statistics: 100 } as const;

/** Of its statistics and recent candles so many of the newest alone are kept, the running one among them. */
export const kept = 1_440 - 2;

/**
 * Requests in 2 s of an IP address, each question by itself (okx.com/docs-v5). Those of one instrument are counted by
 * address and instrument there, and by the address alone here: more would be refused by what stands before it.
 */
const limits = {
  'public/time': 10,
  'public/instruments': 20,
  'public/mark-price': 10,
  'public/funding-rate': 10,
  'public/funding-rate-history': 10,
  'public/open-interest': 20,
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
type What = keyof typeof limits;

const pathOf = (what: string): string => `/api/v5/${what}`;

export const okxPools: readonly Pool[] = Object.entries(limits).map(([what, limit]) => ({
  name: what,
  covers: (path) => path === pathOf(what),
  limit,
  per: 2 * second,
}));

const within =
  ({ from, to }: PageRequest) =>
  ({ time }: { readonly time: number }) =>
    time >= from && time <= to;

/** What is asked of it: the envelope, the order and the odd rows of answers are done with here. */
export function openQuestions(options: Parameters<Venue['open']>[0]) {
  const { get, close } = openUpstream({ ...options, name: 'okx', meaning: payload.meaning });

  async function ask<Row>(
    what: What,
    { schema, question }: { readonly schema: z.ZodType<Rows<Row>>; readonly question: UpstreamQuestion },
  ): Promise<Rows<Row>> {
    const answer = await get(pathOf(what), { schema, question });
    const { rows, dropped, example } = answer;
    if (dropped > 0) {
      options.onOdd?.({ endpoint: `okx ${what}`, dropped, of: dropped + rows.length, example });
    }
    return answer;
  }

  /** Of all instruments, as they stand. */
  const present = async <Row>(
    what: What,
    {
      schema,
      query,
    }: { readonly schema: z.ZodType<Rows<Row>>; readonly query: Readonly<Record<string, string>> },
  ): Promise<Row[]> => (await ask(what, { schema, question: { query, urgent: true } })).rows;

  /** Rows of a page. Both of its ends are left out of an answer, so that they are asked for a little beyond. */
  async function page<Row extends { readonly time: number }>(
    what: What,
    given: {
      readonly schema: z.ZodType<Rows<Row>>;
      readonly query: Readonly<Record<string, string | number>>;
      readonly page: PageRequest;
      /** Ms from a row's stamp to its time. */
      readonly span?: number;
    },
  ): Promise<Row[]> {
    const { schema, query, page, span = 0 } = given;
    const [newer, older] = [page.from - span - 1, page.to - span + 1];
    const ends = what.startsWith('rubik/') ? { begin: newer, end: older } : { before: newer, after: older };
    const question = { query: { ...query, ...ends }, urgent: page.urgent ?? false };
    return (await ask(what, { schema, question })).rows.filter(within(page));
  }

  /** All of the page: its newest come first, so that the rest of a full answer lies before them. */
  async function settled(symbol: string, whole: PageRequest): Promise<SettledFunding[]> {
    const all: SettledFunding[][] = [];
    const schema = payload.settlements({ symbol, coins: coinsIn(symbol) });
    for (let rest = whole; ; ) {
      const query = { instId: nameOf(symbol), limit: pageRows.funding };
      const rows = await page('public/funding-rate-history', { schema, query, page: rest });
      all.unshift(rows);
      const [oldest] = rows;
      if (rows.length < pageRows.funding || oldest === undefined) return all.flat();
      rest = { ...rest, to: oldest.time - 1 };
    }
  }

  const serverTime = () =>
    get(pathOf('public/time'), { schema: payload.serverTime, question: { urgent: true } });

  return { present, page, settled, serverTime, close };
}
