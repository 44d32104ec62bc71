import type { z } from 'zod';
import { day, hour, minute } from '../../../runtime/units.ts';
import type { Pool } from '../../exchanges/gate.ts';
import type { Rows } from '../../exchanges/rows.ts';
import { openUpstream } from '../../exchanges/upstream.ts';
import type { PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { coinOf } from './symbols.ts';

/** Rows of one answer; of candles no more are kept, whatever is asked for. */
export const pageRows = { candles: 5_000, funding: 500 } as const;

/** Limits per IP address (hyperliquid.gitbook.io, rate limits): one pool for all, without a header that tells it. */
export const hyperliquidPools: readonly Pool[] = [
  { name: 'weight', covers: () => true, limit: 1_200, per: minute },
];

/** What a question weighs, and how many rows of its answer weigh one more. */
const weights = {
  exchangeStatus: { base: 2, rows: Number.POSITIVE_INFINITY },
  metaAndAssetCtxs: { base: 20, rows: Number.POSITIVE_INFINITY },
  candleSnapshot: { base: 20, rows: 60 },
  fundingHistory: { base: 20, rows: 20 },
} as const;

const intervals = { '1h': hour, '1d': day } as const;
const rowsIn = ({ from, to }: PageRequest, step: number): number => Math.floor((to - from) / step) + 1;

interface Question<Answer> {
  readonly schema: z.ZodType<Answer>;
  readonly about?: object;
  /** Expected in the answer. */
  readonly rows?: number;
  readonly urgent?: boolean | undefined;
}

/** The exchange's `POST /info` as rows of the archive. It answers `null` about a coin that it does not know. */
export const openHyperliquid = ((options) => {
  const { get, close } = openUpstream({
    ...options,
    name: 'hyperliquid',
    meaning: ({ status, text }) =>
      (status === 200 || status === 500) && text.trim() === 'null' ? 404 : status,
  });

  const ask = <Answer>(
    type: keyof typeof weights,
    { schema, about = {}, rows = 0, urgent = true }: Question<Answer>,
  ): Promise<Answer> => {
    const cost = weights[type].base + Math.ceil(rows / weights[type].rows);
    return get('/info', { schema, question: { post: { type, ...about }, cost, urgent } });
  };

  async function askRows<Answer extends Rows<unknown>>(
    type: keyof typeof weights,
    question: Question<Answer>,
  ): Promise<Answer> {
    const answer = await ask(type, question);
    const { rows, dropped, example } = answer;
    if (dropped > 0) {
      options.onOdd?.({ endpoint: `hyperliquid ${type}`, dropped, of: dropped + rows.length, example });
    }
    return answer;
  }
  const list = async <Row>(type: keyof typeof weights, question: Question<Rows<Row>>): Promise<Row[]> =>
    (await askRows(type, question)).rows;

  type Contexts = z.output<typeof payload.contexts>;
  let asking: Promise<Contexts> | undefined;
  /** Marks, open interest and listings are one answer: those who ask at the same time share it. */
  const contexts = (): Promise<Contexts> => {
    const shared = asking ?? askRows('metaAndAssetCtxs', { schema: payload.contexts });
    asking = shared;
    return shared.finally(() => {
      asking = undefined;
    });
  };
  const contextsOf = async (symbols: readonly string[]) => {
    const wanted = new Set(symbols);
    return (await contexts()).rows.filter(({ symbol }) => wanted.has(symbol));
  };

  return {
    close,

    serverTime: () => ask('exchangeStatus', { schema: payload.status }),

    async listings() {
      const { rows, ended } = await contexts();
      const traded = rows.filter(({ markPrice }) => markPrice > 0);
      return [
        ...traded.map(({ symbol, number, volume, markPrice: price }) => {
          return { symbol, number, listed: 0, volume, price, fundingHours: 1 };
        }),
        ...ended.map((one) => ({ ...one, listed: 0, volume: 0, state: 'ENDED' as const })),
      ];
    },

    async candles(symbol, { interval, page }) {
      const { from, to, urgent = false } = page;
      const rows = await list('candleSnapshot', {
        schema: payload.candles(symbol),
        about: { req: { coin: coinOf(symbol), interval, startTime: from, endTime: to } },
        rows: Math.min(pageRows.candles, rowsIn(page, intervals[interval])),
        urgent,
      });
      return rows.filter(({ time }) => time >= from && time <= to);
    },

    async funding(symbol, page) {
      if (typeof symbol !== 'string') return [];
      const { from, to, urgent = false } = page;
      return list('fundingHistory', {
        schema: payload.settlements(symbol),
        // A settlement is stamped after its moment: of the last one too.
        about: { coin: coinOf(symbol), startTime: from, endTime: to + minute - 1 },
        rows: Math.min(pageRows.funding, rowsIn(page, hour)),
        urgent,
      });
    },

    // Every hour, all of them.
    intervals: async (symbols) => symbols.map((symbol) => ({ symbol, hours: 1 })),

    marks: async (symbols, at) =>
      (await contextsOf(symbols)).map(({ symbol, markPrice, indexPrice, rate }) => ({
        symbol,
        time: at,
        markPrice,
        indexPrice,
        estFunding: rate,
      })),

    openInterest: async (symbols, at) =>
      (await contextsOf(symbols)).map(({ symbol, contracts, markPrice }) => ({
        symbol,
        time: at,
        contracts,
        valueUsd: contracts * markPrice,
      })),
  };
}) satisfies Venue['open'];
