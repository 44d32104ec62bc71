import { z } from 'zod';
import {
  amount,
  completeSince,
  decimal,
  defineEndpoint,
  fraction,
  label,
  pair,
  positive,
  positiveDecimal,
  span,
  timestamp,
  venueAnswer,
  venueQuery,
} from './endpoint.ts';
import { dollarIndex, goldMarket, regimeLabel, sp500Market } from './labels.ts';

export const marketOverview = defineEndpoint({
  path: '/market/overview',
  summary: 'All tracked coins, the strongest deviation from neutral first',
  query: z.object({}),
  answer: z.object({
    coins: z.array(
      z.object({
        symbol: z.string(),
        price: positive,
        /** Aggregated strength, −1 to 1 in our service; other services may use another range. */
        signal: z.number(),
        funding: z.number(),
        /** 0 to 100: 50 is neutral, higher values are bullish. */
        master: z.number(),
      }),
    ),
    regime: regimeLabel,
    fearGreed: z.number().optional(),
    timestamp,
  }),
  cadence: 60,
});

export const intelligence = defineEndpoint({
  path: '/intelligence',
  summary: 'One coin on one page',
  query: z.object({ symbol: pair.default('BTCUSDT') }),
  answer: z.object({
    symbol: z.string(),
    price: positive,
    /** The last settled rate; the running one before the first settlement. Omitted while neither is known. */
    funding: z.number().optional(),
    /** Omitted while no candle has closed. */
    signal: z.number().optional(),
    /** Since when this market is followed here, if only because somebody asked about it. */
    followedSince: timestamp.optional(),
    regime: regimeLabel,
    regimeScore: z.number(),
    fearGreed: z.number().optional(),
    /** The last 24 hourly candles, oldest first. */
    candles24h: z.array(z.object({ open_time: timestamp, c: positiveDecimal })),
    /** The last 10 settlements, oldest first. */
    fundingHistory: z.array(z.object({ timestamp, rate: decimal })),
    /** The last 24 snapshots, oldest first. */
    oiHistory: z.array(z.object({ timestamp, oi_value_usd: positiveDecimal })),
  }),
  hours: 'candles24h',
  cadence: 60,
});

/** Changes of a price over windows that end with it, percent. What is not known is omitted. */
const changes = {
  change1mPct: z.number().optional(),
  change5mPct: z.number().optional(),
  change15mPct: z.number().optional(),
  change1hPct: z.number().optional(),
  change4hPct: z.number().optional(),
};

export const prices = defineEndpoint({
  path: '/prices',
  summary:
    'The newest price of every symbol with its age, its changes, its basis and the longs among top traders’ positions',
  query: z.object({}),
  answer: z.object({
    /** What is not known of a symbol is omitted. */
    data: z.array(
      z.object({
        symbol: z.string(),
        price: z.number(),
        /** Up to when the price is known to hold. */
        timestamp,
        /** Seconds of market time from then to the answer. */
        ageSeconds: z.number().min(0).optional(),
        ...changes,
        /** Compared with the newest hourly close at least 24 h before (day-ago.ts), or 7 days. */
        change24hPct: z.number().optional(),
        change7dPct: z.number().optional(),
        basisPct: z.number().optional(),
        longRatio: z.number().optional(),
      }),
    ),
    count: z.int().min(0),
    /** Whether no new price of any symbol has come for so long that the prices are not of now. Absent: unknown. */
    stale: z.boolean().optional(),
  }),
  cadence: 1,
  extension: true,
});

const basisRow = z.object({
  timestamp,
  markPrice: positive,
  indexPrice: positive,
  basisPct: z.number(),
  estFunding: z.number(),
});

export const basis = defineEndpoint({
  path: '/basis',
  summary: 'Mark against index price, percent, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(24, 168), ...venueQuery }),
  answer: z.object({
    ...venueAnswer,
    symbol: z.string(),
    data: z.array(basisRow),
    dataPoints: z.int().min(0),
    current: basisRow.optional(),
    signal: label('CONTANGO', 'BACKWARDATION', 'FLAT'),
  }),
  cadence: 300,
});

export const volumeCvd = defineEndpoint({
  path: '/volume/cvd',
  summary:
    'Taker buy and sell volume and their running difference from the start of the window, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(24, 168) }),
  answer: z.object({
    symbol: z.string(),
    data: z.array(
      z.object({
        timestamp,
        buyVolume: amount,
        sellVolume: amount,
        delta: z.number(),
        cvd: z.number(),
        buyRatio: z.number(),
      }),
    ),
    pressure: label('BUY_PRESSURE', 'SELL_PRESSURE', 'BALANCED'),
    totalCvd: z.number(),
    dataPoints: z.int().min(0),
  }),
  hours: 'data',
  cadence: 3600,
});

export const lsRatioHistory = defineEndpoint({
  path: '/ls-ratio/history',
  summary: 'Long and short shares, summing to 1, oldest first',
  query: z.object({
    symbol: pair.default('BTCUSDT'),
    hours: span(24, 720),
    type: z.enum(['top_position', 'global_account']).default('top_position'),
  }),
  answer: z.object({
    symbol: z.string(),
    type: z.string(),
    data: z.array(z.object({ timestamp, longRatio: fraction, shortRatio: fraction })),
    dataPoints: z.int().min(0),
    completeSince,
  }),
  cadence: 900,
});

const spreadRow = z.object({
  timestamp,
  bidPrice: positive,
  askPrice: positive,
  spreadPct: z.number(),
  imbalance: z.number().min(-1).max(1),
});

export const spread = defineEndpoint({
  path: '/spread',
  summary: 'Bid-ask spread, percent, and order book imbalance, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(24, 168) }),
  answer: z.object({
    symbol: z.string(),
    data: z.array(spreadRow),
    dataPoints: z.int().min(0),
    current: spreadRow.optional(),
    avgSpreadPct: z.number(),
    completeSince,
    signal: label('WIDE_SPREAD', 'BID_HEAVY', 'ASK_HEAVY', 'NORMAL'),
  }),
  cadence: 60,
});

const optionsRow = z.object({
  timestamp,
  callOI: amount,
  putOI: amount,
  putCallRatio: amount,
  maxPain: positive,
  avgIV: amount,
});

export const optionsSummary = defineEndpoint({
  path: '/options/summary',
  summary:
    'Put/call ratio, max pain of the nearest monthly expiry and OI-weighted implied volatility, oldest first',
  query: z.object({ currency: z.enum(['BTC', 'ETH']).default('BTC'), hours: span(24, 168) }),
  answer: z.object({
    currency: z.string(),
    data: z.array(optionsRow),
    dataPoints: z.int().min(0),
    current: optionsRow.optional(),
    signal: label('BULLISH_OPTIONS', 'BEARISH_OPTIONS', 'NEUTRAL'),
  }),
  cadence: 900,
});

export const crossAssetHistory = defineEndpoint({
  path: '/cross-asset/history',
  summary: 'S&P 500, gold, the dollar index and their correlations to BTC, oldest first',
  query: z.object({ hours: span(24, 2160) }),
  answer: z.object({
    /** Each value is omitted if no provider supplies it. */
    data: z.array(
      z.object({
        timestamp,
        sp500: z.number().optional(),
        gold: z.number().optional(),
        dxy: z.number().optional(),
        btc_sp500_corr: z.number().optional(),
        btc_gold_corr: z.number().optional(),
        btc_dxy_corr: z.number().optional(),
      }),
    ),
    count: z.int().min(0),
    dollarIndex,
    goldMarket,
    sp500Market,
  }),
  cadence: 900,
});
