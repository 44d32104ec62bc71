import { z } from 'zod';
import { hour } from '../../../runtime/units.ts';
import type { Candle, OpenInterest, Ratio, SettledFunding } from '../../archive/archive.ts';
import { decimal, type Rows, rowsOf } from '../../exchanges/rows.ts';
import type { Listing, TopOfBook } from '../venue.ts';
import { contractOf } from './symbols.ts';

/**
 * OKX's payloads of perpetuals → rows. Source: okx.com/docs-v5, public data, market data and trading statistics, and
 * what it was recorded to answer (test/fixtures/okx-payloads.ts). Lists come newest first. Prices are of one coin and
 * volumes in coins; the archive's pairs may count a thousand as one.
 */
const time = z.string().regex(/^\d+$/).transform(Number);
const positive = decimal.pipe(z.number().gt(0));

/** The list in an answer, in its order. */
const listOf = <Row>(row: z.ZodType<Row | undefined>) =>
  z.object({ code: z.literal('0'), data: rowsOf(row) }).transform(({ data }) => data);
/** The same, the oldest row first. */
const ascending = <Row>(row: z.ZodType<Row | undefined>) =>
  listOf(row).transform((list): Rows<Row> => ({ ...list, rows: list.rows.toReversed() }));

/** The HTTP status that an answer means: it says in its body what is wrong, mostly with HTTP 200 (docs-v5, error code). */
export function meaning({ status, text }: { readonly status: number; readonly text: string }): number {
  if (status !== 200) return status;
  // A long answer is well: only its beginning is read.
  const code = /"code"\s*:\s*"(\d+)"/.exec(text.slice(0, 500))?.[1] ?? '0';
  return code === '0' ? 200 : (meanings[code] ?? 500);
}
const meanings: Readonly<Record<string, number>> = {
  50011: 429,
  50014: 400,
  50061: 429,
  51000: 400,
  51001: 400,
  51014: 400,
};

export const serverTime = listOf(z.object({ ts: time })).transform(({ rows }, context) => {
  const [first] = rows;
  if (first !== undefined) return first.ts;
  context.addIssue({ code: 'custom', message: 'says no time' });
  return z.NEVER;
});

/** Of what is suspended the end is not known: it stays listed. */
const states: Readonly<Record<string, Pick<Listing, 'state'>>> = {
  live: {},
  suspend: {},
  preopen: { state: 'PENDING' },
};

/** Perpetuals of coins against USDT; stocks, metals and currencies have other categories. */
export const listings = listOf(
  z
    .looseObject({
      instId: z.string(),
      state: z.string(),
      listTime: z.string(),
      expTime: z.string().default(''),
      instCategory: z.string().default('1'),
      ruleType: z.string().default('normal'),
    })
    .transform(({ instId, state, listTime, expTime, instCategory, ruleType }) => {
      const pair = contractOf(instId)?.pair;
      const said = states[state];
      if (pair === undefined || said === undefined || instCategory !== '1' || ruleType !== 'normal') {
        return undefined;
      }
      const ends = Number(expTime);
      return { symbol: pair, listed: Number(listTime), ...said, ...(ends > 0 && { ends }) };
    }),
);

/** Of a list of all instruments only those that are wanted must be as promised; `id`: by which the list goes. */
const wantedOf = <Row>(
  row: z.ZodType<Row | undefined>,
  {
    wanted,
    id = (name) => name,
  }: { readonly wanted: ReadonlySet<string>; readonly id?: (name: string) => string },
) =>
  z.preprocess((answer) => {
    const { data } = (answer ?? {}) as { data?: unknown };
    if (!Array.isArray(data)) return answer;
    const isWanted = (name: unknown) => wanted.has(contractOf(id(String(name)))?.pair ?? '');
    return { ...(answer as object), data: data.filter((entry) => isWanted(entry?.instId)) };
  }, listOf(row));

/** Schema of a name, giving the pair and what it counts as one. */
const instrument = z.string().transform((name) => contractOf(name) ?? { pair: name, coins: 1 });

/** Of the last 24 h in USDT: in coins it is said, and counted by the last price. */
export const volumes = listOf(
  z
    .looseObject({ instId: z.string(), last: z.string(), volCcy24h: z.string() })
    .transform(({ instId, last, volCcy24h }) => {
      const contract = contractOf(instId);
      if (contract === undefined) return undefined;
      const price = Number(last) * contract.coins;
      const volume = Number(last) * Number(volCcy24h) || 0;
      return { symbol: contract.pair, volume, ...(price > 0 && { price }) };
    }),
);

export const markPrices = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z.object({ instId: instrument, markPx: positive }).transform(({ instId, markPx }) => ({
      symbol: instId.pair,
      price: markPx * instId.coins,
    })),
    { wanted },
  );

/** An index has the name of its pair: BTC-USDT. */
export const indexPrices = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z.object({ instId: z.string(), idxPx: positive }).transform(({ instId, idxPx }) => {
      const { pair, coins } = contractOf(`${instId}-SWAP`) ?? { pair: instId, coins: 1 };
      return { symbol: pair, price: idxPx * coins };
    }),
    { wanted, id: (name) => `${name}-SWAP` },
  );

/** The running rate of each market's own interval, its length, and its last settlement where it says one. */
export const fundingRates = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z
      .object({
        instId: instrument,
        fundingRate: decimal,
        fundingTime: time,
        nextFundingTime: time,
        settFundingRate: z.string().default(''),
        prevFundingTime: z.string().default(''),
        settState: z.string().default(''),
      })
      .transform(({ instId, fundingRate, settFundingRate, prevFundingTime, settState, ...given }) => {
        const said = settState === 'settled' && settFundingRate !== '' && prevFundingTime !== '';
        const settled: SettledFunding | undefined = said
          ? { symbol: instId.pair, time: Number(prevFundingTime), rate: Number(settFundingRate) }
          : undefined;
        const hours = (given.nextFundingTime - given.fundingTime) / hour;
        return { symbol: instId.pair, rate: fundingRate, hours, settled };
      }),
    { wanted },
  );

/** In coins and in USD. */
export const openInterests = (wanted: ReadonlySet<string>, at: number) =>
  wantedOf(
    z.object({ instId: instrument, oiCcy: decimal, oiUsd: decimal }).transform(
      ({ instId, oiCcy, oiUsd }): OpenInterest => ({
        symbol: instId.pair,
        time: at,
        contracts: oiCcy / instId.coins,
        valueUsd: oiUsd,
      }),
    ),
    { wanted },
  );

/** Sizes are in contracts, of which the imbalance does not depend. */
export const tops = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z
      .object({ instId: instrument, bidPx: positive, bidSz: decimal, askPx: positive, askSz: decimal })
      .transform(
        ({ instId, bidPx, bidSz, askPx, askSz }): TopOfBook => ({
          symbol: instId.pair,
          bidPrice: bidPx * instId.coins,
          askPrice: askPx * instId.coins,
          imbalance: bidSz + askSz > 0 ? (bidSz - askSz) / (bidSz + askSz) : 0,
        }),
      ),
    { wanted },
  );

/** What a row of one symbol is about. */
interface Of {
  readonly symbol: string;
  /** That it counts as one. */
  readonly coins: number;
}

/** 5 contracts, 6 coins, 7 USDT. What takers bought it does not say: half of the volume stands there. */
export const candles = ({ symbol, coins }: Of) =>
  ascending(
    z.tuple([time, decimal, decimal, decimal, decimal, z.string(), decimal, decimal], z.unknown()).transform(
      ([time, open, high, low, close, , volume, quoteVolume]): Candle => ({
        symbol,
        time,
        open: open * coins,
        high: high * coins,
        low: low * coins,
        close: close * coins,
        volume: volume / coins,
        takerBuy: volume / coins / 2,
        quoteVolume,
      }),
    ),
  );

export const closes = ({ coins }: Of) =>
  ascending(
    z
      .tuple([time, z.string(), z.string(), z.string(), decimal], z.unknown())
      .transform(([time, , , , close]) => ({ time, close: close * coins })),
  );

/** `realizedRate` is what was paid; `fundingRate` what was expected of it last. */
export const settlements = ({ symbol }: Of) =>
  ascending(
    z.object({ fundingTime: time, realizedRate: decimal }).transform(
      ({ fundingTime, realizedRate }): SettledFunding => ({
        symbol,
        time: fundingTime,
        rate: realizedRate,
      }),
    ),
  );

/** Contracts, coins and USD by the beginning of a span; they stand at its end, when they no longer change. */
export const pastInterests = ({ symbol, coins }: Of, span: number) =>
  ascending(
    z.tuple([time, z.string(), decimal, decimal], z.unknown()).transform(
      ([from, , amount, valueUsd]): OpenInterest => ({
        symbol,
        time: from + span,
        contracts: amount / coins,
        valueUsd,
      }),
    ),
  );

/** Longs for each short, likewise. */
export const ratios = ({ symbol }: Of, span: number) =>
  ascending(
    z
      .tuple([time, decimal.pipe(z.number().min(0))], z.unknown())
      .transform(([from, ratio]): Ratio => ({ symbol, time: from + span, longRatio: ratio / (1 + ratio) })),
  );
