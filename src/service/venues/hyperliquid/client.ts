import { candleLengths } from '../../../contract/candle-interval.ts';
import { ApiError } from '../../../runtime/errors.ts';
import { hour, minute } from '../../../runtime/units.ts';
import type { Pool } from '../../exchanges/gate.ts';
import { fetchOldestFirst, within } from '../../exchanges/rows.ts';
import { type Asked, openUpstream } from '../../exchanges/upstream.ts';
import type { PageRequest, Venue } from '../venue.ts';
import * as payload from './payloads.ts';
import { coinOf } from './symbols.ts';

/** The most rows in one response. Of candles the exchange keeps no more than these, whatever span is requested. */
export const pageRows = { candles: 5_000, funding: 500 } as const;

/** The limit per IP address (hyperliquid.gitbook.io, rate limits): one pool for all requests. No header reports its use. */
export const hyperliquidPools: readonly Pool[] = [
  { name: 'weight', covers: () => true, limit: 1_200, per: minute },
];

/** Weight of a request by its type: `base`, plus 1 for every `rows` rows of the response. */
const weights = {
  exchangeStatus: { base: 2, rows: Number.POSITIVE_INFINITY },
  meta: { base: 20, rows: Number.POSITIVE_INFINITY },
  metaAndAssetCtxs: { base: 20, rows: Number.POSITIVE_INFINITY },
  candleSnapshot: { base: 20, rows: 60 },
  fundingHistory: { base: 20, rows: 20 },
} as const;

/** Everything that is asked for, by the type of the body. */
export const hyperliquidPaths: readonly string[] = Object.keys(weights);

const rowsIn = ({ from, to }: PageRequest, step: number): number => Math.floor((to - from) / step) + 1;

interface Question<Answer> extends Pick<Asked<Answer>, 'schema' | 'urgent'> {
  readonly about?: object;
  /** The number of rows expected in the response. */
  readonly rows?: number;
}

/** Returns a question as it is posted; one about the present, unless it says otherwise. */
const posted = <Answer>(
  type: keyof typeof weights,
  { schema, about, rows = 0, urgent = true }: Question<Answer>,
): Asked<Answer> => {
  const cost = weights[type].base + Math.ceil(rows / weights[type].rows);
  return { schema, post: { type, ...about }, cost, urgent };
};

/**
 * Opens a client of the exchange's `POST /info` that returns rows of the archive. For an unknown coin the exchange sends
 * `null`, which is treated as status 400.
 */
export const openHyperliquid = ((options) => {
  const { get, getRows, close } = openUpstream<'/info'>({
    ...options,
    name: 'hyperliquid',
    effectiveStatus: ({ status, text }) =>
      (status === 200 || status === 500) && text.trim() === 'null' ? 400 : status,
  });

  /** Marks, open interest and listings come in the same response, which calls made at the same time share. */
  const contexts = () => getRows('/info', posted('metaAndAssetCtxs', { schema: payload.contexts }));
  /** Returns what `pick` makes of the present of each symbol that has prices. */
  const present = async <Row>(
    symbols: readonly string[],
    pick: (context: payload.Context & Record<'markPrice' | 'indexPrice', number>) => Row[],
  ): Promise<Row[]> => {
    const wanted = new Set(symbols);
    return (await contexts()).rows.flatMap(({ markPrice, indexPrice, ...rest }) =>
      wanted.has(rest.symbol) && markPrice !== undefined && indexPrice !== undefined
        ? pick({ ...rest, markPrice, indexPrice })
        : [],
    );
  };

  return {
    close,

    serverTime: () => get('/info', posted('exchangeStatus', { schema: payload.status })),

    async listings() {
      const { rows, ended } = await contexts();
      return [
        ...rows.flatMap(({ symbol, number, volume, markPrice: price }) =>
          price === undefined ? [] : [{ symbol, number, listed: 0, volume, price, fundingHours: 1 }],
        ),
        ...ended.map((one) => ({ ...one, listed: 0, volume: 0, state: 'ENDED' as const })),
      ];
    },

    async candles(symbol, { interval, page }) {
      const { from, to, urgent = false } = page;
      const question = {
        schema: payload.candles(symbol),
        about: { req: { coin: coinOf(symbol), interval, startTime: from, endTime: to } },
        rows: Math.min(pageRows.candles, rowsIn(page, candleLengths[interval])),
        urgent,
      };
      const { rows } = await getRows('/info', posted('candleSnapshot', question));
      return rows.filter(within(page));
    },

    async funding(symbol, page) {
      if (typeof symbol !== 'string') return [];
      const { urgent = false } = page;
      return fetchOldestFirst(page, {
        limit: pageRows.funding,
        fetch(span) {
          const question = {
            schema: payload.settlements(symbol),
            // A settlement is stamped slightly after its nominal time, so the end is moved to include the last one.
            about: { coin: coinOf(symbol), startTime: span.from, endTime: span.to + minute - 1 },
            rows: Math.min(pageRows.funding, rowsIn(span, hour)),
            urgent,
          };
          return getRows('/info', posted('fundingHistory', question));
        },
      });
    },

    // Every market settles each hour.
    intervals: async (symbols) => symbols.map((symbol) => ({ symbol, hours: 1 })),

    marks: (symbols, at) =>
      present(symbols, ({ symbol, markPrice, indexPrice, rate }) => [
        { symbol, time: at, markPrice, indexPrice, estFunding: rate },
      ]),

    prices: async () =>
      (await contexts()).rows.map(({ symbol, markPrice, indexPrice }) => ({
        symbol,
        price: markPrice,
        markPrice,
        indexPrice,
      })),

    async marginTiers(symbol) {
      const tiers = await get('/info', posted('meta', { schema: payload.marginTiers(coinOf(symbol)) }));
      if (tiers !== undefined) return tiers;
      throw new ApiError('hyperliquid meta', 'invalid_request', `${symbol} is not traded`);
    },

    openInterest: (symbols, at) =>
      present(symbols, ({ symbol, contracts, markPrice }) =>
        contracts === undefined ? [] : [{ symbol, time: at, contracts, valueUsd: contracts * markPrice }],
      ),
  };
}) satisfies Venue['open'];
