import { z } from 'zod';
import { candleIntervals, candleLengths } from '#src/contract/candle-interval.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { imitateVenue } from '#src/service/simulation/imitated-venue.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { bits, keyOf } from '#src/service/simulation/random.ts';
import { candlesOf, lastDays } from '../klines.ts';
import {
  createRequestCounter,
  jsonAnswer,
  type SimulatedAnswer,
  type SimulatedRestOptions,
} from '../route.ts';
import { parsed } from '../sockets.ts';
import { coinName, coinsOf } from './coins.ts';

const instant = z.int().min(0);
const request = z.discriminatedUnion('type', [
  z.object({ type: z.literal('exchangeStatus') }),
  z.object({ type: z.literal('meta'), dex: z.literal('').optional() }),
  z.object({ type: z.literal('metaAndAssetCtxs'), dex: z.literal('').optional() }),
  z.object({
    type: z.literal('candleSnapshot'),
    req: z.object({
      coin: z.string(),
      interval: z.enum(candleIntervals),
      startTime: instant,
      endTime: instant.optional(),
    }),
  }),
  z.object({
    type: z.literal('fundingHistory'),
    coin: z.string(),
    startTime: instant,
    endTime: instant.optional(),
  }),
]);
type Request = z.output<typeof request>;

/** How many of the newest candles are kept, and the most rows in one response about funding. */
const maxCandles = 5_000;
const maxFundingRows = 500;
/** The limit of weight per IP address. */
const limit = { most: 1_200, per: minute } as const;
/** The venue's share of the simulated market's open interest and volume. */
const share = 0.4;

const textAnswer = (status: number, body: string): SimulatedAnswer => ({
  status,
  body,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
});

/** Simulates Hyperliquid's `POST /info`, just as strictly: an invalid request gets HTTP 422, an unknown coin gets `null`. */
export function hyperliquidInfo({
  market,
  wall,
  limited,
}: SimulatedRestOptions): (body: string, now: number) => SimulatedAnswer {
  const coins = coinsOf(market);
  const lastDay = lastDays(market);
  const spend = createRequestCounter(wall, limit);

  return (body, now) => {
    const asked = request.safeParse(parsed(body));
    if (!asked.success) return textAnswer(422, 'Failed to deserialize the JSON body into the target type');
    const { answer, weight } = answerTo(asked.data, { market, coins, lastDay, now });
    return spend(weight) || !limited ? answer : jsonAnswer(429, null);
  };
}

function answerTo(
  asked: Request,
  {
    market,
    coins,
    lastDay,
    now,
  }: {
    readonly market: Market;
    readonly coins: ReadonlyMap<string, Instrument>;
    readonly lastDay: ReturnType<typeof lastDays>;
    readonly now: number;
  },
): { readonly answer: SimulatedAnswer; readonly weight: number } {
  switch (asked.type) {
    case 'exchangeStatus':
      return { answer: jsonAnswer(200, { time: now, specialStatuses: null }), weight: 2 };
    case 'meta':
      return { answer: jsonAnswer(200, contexts(market, { coins, lastDay, now })[0]), weight: 20 };
    case 'metaAndAssetCtxs':
      return { answer: jsonAnswer(200, contexts(market, { coins, lastDay, now })), weight: 20 };
    case 'candleSnapshot': {
      const { coin, interval, startTime, endTime = now } = asked.req;
      const instrument = coins.get(coin);
      if (instrument === undefined) return { answer: jsonAnswer(500, null), weight: 20 };
      const period = candleLengths[interval];
      const rows = candlesOf(market, {
        symbol: instrument,
        interval,
        startTime: Math.max(startTime, Math.floor(now / period - maxCandles + 1) * period),
        endTime,
        limit: maxCandles,
        now,
      }).map(({ time, open, high, low, close, volume }) => ({
        t: time,
        T: time + period - 1,
        s: coin,
        i: interval,
        o: price(instrument, open),
        c: price(instrument, close),
        h: price(instrument, high),
        l: price(instrument, low),
        v: size(volume * share),
        n: Math.round(volume),
      }));
      return { answer: jsonAnswer(200, rows), weight: 20 + Math.floor(rows.length / 60) };
    }
    case 'fundingHistory': {
      const { coin, startTime, endTime = now } = asked;
      const instrument = coins.get(coin);
      if (instrument === undefined) return { answer: jsonAnswer(200, null), weight: 20 };
      const rows = settlements(market, { instrument, from: startTime, to: Math.min(endTime, now) });
      return { answer: jsonAnswer(200, rows), weight: 20 + Math.floor(rows.length / 20) };
    }
  }
}

const price = ({ priceDecimals }: Instrument, value: number): string => value.toFixed(priceDecimals);
const size = (value: number): string => String(Number(value.toFixed(5)));

const size10 = (value: number): string => value.toFixed(10).replace(/0+$/, '').replace(/\.$/, '.0');

function settlements(
  market: Market,
  { instrument, from, to }: { readonly instrument: Instrument; readonly from: number; readonly to: number },
) {
  const rows = [];
  const coin = coinName(instrument);
  const imitated = imitateVenue(market, 'hyperliquid');
  const begin = Math.max(from, market.earliest + hour);
  for (let at = Math.floor(begin / hour) * hour; at <= to && rows.length < maxFundingRows; at += hour) {
    const time = at + (bits(keyOf(0, coin), at, 2) % 120);
    if (time < begin || time > to) continue;
    const { markPrice, indexPrice, estFunding } = imitated.mark(instrument, at);
    rows.push({
      coin,
      fundingRate: size10(estFunding),
      premium: size10(markPrice / indexPrice - 1),
      time,
    });
  }
  return rows;
}

/** Those of 2025. Numbers up to 50 are tables of one tier with that leverage, of which only the last is listed. */
const marginTables = [
  [50, { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: 50 }] }],
  [
    53,
    {
      description: 'tiered 20x',
      marginTiers: [
        { lowerBound: '0.0', maxLeverage: 20 },
        { lowerBound: '40000000.0', maxLeverage: 10 },
      ],
    },
  ],
];

/** A delisted coin, which keeps its position in both lists. */
const delisted = {
  asset: { szDecimals: 1, name: 'MATIC', maxLeverage: 20, marginTableId: 20, isDelisted: true },
  context: {
    funding: '0.0',
    openInterest: '0.0',
    prevDayPx: '0.37621',
    dayNtlVlm: '0.0',
    premium: null,
    oraclePx: '0.3754',
    markPx: '0.37621',
    midPx: null,
    impactPxs: null,
    dayBaseVlm: '0.0',
  },
};

function contexts(
  market: Market,
  {
    coins,
    lastDay,
    now,
  }: {
    readonly coins: ReadonlyMap<string, Instrument>;
    readonly lastDay: ReturnType<typeof lastDays>;
    readonly now: number;
  },
) {
  const imitated = imitateVenue(market, 'hyperliquid');
  const listed = [...coins].map(([name, instrument]) => {
    const { symbol, quantityDecimals } = instrument;
    const { markPrice, indexPrice, estFunding } = imitated.mark(instrument, now);
    const { bidPrice, askPrice } = market.topOfBook(symbol, now);
    const { volume, turnover, open } = lastDay(instrument, now);
    return {
      asset: { szDecimals: quantityDecimals, name, maxLeverage: 20, marginTableId: 53 },
      context: {
        funding: size10(estFunding),
        openInterest: size(imitated.interest(instrument, now).contracts),
        prevDayPx: price(instrument, open),
        dayNtlVlm: size(turnover * share),
        premium: size10(markPrice / indexPrice - 1),
        oraclePx: price(instrument, indexPrice),
        markPx: price(instrument, markPrice),
        midPx: price(instrument, (bidPrice + askPrice) / 2),
        impactPxs: [price(instrument, bidPrice), price(instrument, askPrice)],
        dayBaseVlm: size(volume * share),
      },
    };
  });
  const all = [...listed.slice(0, 3), delisted, ...listed.slice(3)];
  const meta = { universe: all.map(({ asset }) => asset), marginTables, collateralToken: 0 };
  return [meta, all.map(({ context }) => context)] as const;
}
