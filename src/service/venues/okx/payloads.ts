import { z } from 'zod';
import type { Candle, OpenInterest, Ratio, SettledFunding } from '../../archive/archive.ts';
import type { MarketKind } from '../../archive/sources.ts';
import { decimal, imbalanceOf, type Rows, rowsOf } from '../../exchanges/rows.ts';
import type { Reply } from '../../exchanges/transport.ts';
import { hoursOfInterval, type Listing, type TopOfBook } from '../venue.ts';
import { contractOf } from './symbols.ts';

/**
 * Schemas that turn OKX's payloads about perpetuals into rows. Source: okx.com/docs-v5, public data, market data and
 * trading statistics, and recorded responses (test/fixtures/okx-payloads.ts). Lists come newest first. OKX's prices are
 * per coin and its volumes in coins, whereas a unit of the archive's pairs may be a thousand coins.
 */
export const time = z.string().regex(/^\d+$/).transform(Number);
/** Schema of a time that may be empty; gives 0 then. */
const timeOrNone = z.union([time, z.literal('').transform(() => 0)]);

/** Schema of the list in a response, in its original order. */
const listOf = <Row>(row: z.ZodType<Row | undefined>, isWanted?: Parameters<typeof rowsOf>[1]) =>
  z.object({ code: z.literal('0'), data: rowsOf(row, isWanted) }).transform(({ data }) => data);
/** Schema of the list in a response, turned round so that the oldest row is first. */
const ascending = <Row>(row: z.ZodType<Row | undefined>) =>
  listOf(row).transform((list): Rows<Row> => ({ ...list, rows: list.rows.toReversed() }));

/** Returns the status that a response means: OKX reports errors in the body, mostly with status 200 (docs-v5, error code). */
export function effectiveStatus({ status, text }: Pick<Reply, 'status' | 'text'>): number {
  if (status !== 200) return status;
  // An error response is short, so the start of the body is enough.
  const code = /"code"\s*:\s*"(\d+)"/.exec(text.slice(0, 500))?.[1] ?? '0';
  return code === '0' ? 200 : (statusByCode[code] ?? 500);
}
const statusByCode: Readonly<Record<string, number>> = {
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

/**
 * Listing states by OKX's `state`. An instrument stays listed while it is suspended, converted (rebase) or takes some orders
 * only, because its end is not known.
 */
const states: Readonly<Record<string, Pick<Listing, 'state'>>> = {
  live: {},
  suspend: {},
  rebase: {},
  post_only: {},
  preopen: { state: 'PENDING' },
};

/** What a perpetual is on, by OKX's `instCategory`: a coin, a stock, a commodity, a currency, a bond. */
const kinds = new Map<string, MarketKind | undefined>([
  ['1', undefined],
  ['3', 'STOCK'],
  ['4', 'COMMODITY'],
  ['5', 'OTHER'],
  ['6', 'OTHER'],
]);

/** Labels of an instrument whose meaning is known. */
export const labels = {
  state: Object.keys(states),
  ruleType: ['normal', 'pre_market'],
  instCategory: ['', ...kinds.keys()],
};

/** Schema of the perpetuals against USDT and USDC. */
export const listings = listOf(
  z
    .looseObject({
      instId: z.string(),
      state: z.string(),
      listTime: timeOrNone,
      expTime: timeOrNone.default(0),
      instCategory: z.string().default('1'),
      ruleType: z.string().default('normal'),
    })
    .transform(({ instId, state, listTime, expTime, instCategory, ruleType }) => {
      const pair = contractOf(instId)?.pair;
      const listingState = states[state];
      // An instrument has no category before it opens.
      const isKnown = kinds.has(instCategory) || (state === 'preopen' && instCategory === '');
      if (pair === undefined || listingState === undefined || !isKnown || ruleType !== 'normal')
        return undefined;
      const ends = expTime > 0 && { ends: expTime };
      return { symbol: pair, kind: kinds.get(instCategory), listed: listTime, ...listingState, ...ends };
    }),
);

/** Schema of how many coins a contract of an instrument is; undefined for none, and for what is no perpetual against USDT or USDC. */
export const contractSize = z
  .looseObject({ instId: z.string(), ctVal: decimal, ctMult: decimal.catch(1) })
  .transform(({ instId: name, ctVal, ctMult }) =>
    contractOf(name) === undefined || !(ctVal * ctMult > 0) ? undefined : { name, quantity: ctVal * ctMult },
  );
export const contractSizes = listOf(contractSize);

/**
 * Schema of a list of all instruments in which only the wanted ones are read.
 * @param id turns the list's `instId` into the name of a perpetual
 */
const wantedOf = <Row>(
  row: z.ZodType<Row | undefined>,
  wanted: ReadonlySet<string>,
  id = (name: string): string => name,
) => listOf(row, ({ instId }) => wanted.has(contractOf(id(String(instId)))?.pair ?? ''));

/** Schema of an instrument's name; gives the pair and how many coins a unit of the pair is. */
const instrument = z.string().transform((name) => contractOf(name) ?? { pair: name, coins: 1 });

/** Schema of the volumes of the last 24 h in the quote's units. OKX gives them in coins; they are converted at the last price. */
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
    z.object({ instId: instrument, markPx: decimal }).transform(({ instId, markPx }) => ({
      symbol: instId.pair,
      price: markPx * instId.coins,
    })),
    wanted,
  );

/** Schema of index prices. An index is named after its pair, such as BTC-USDT. */
export const indexPrices = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z.object({ instId: z.string(), idxPx: decimal }).transform(({ instId, idxPx }) => {
      const { pair, coins } = contractOf(`${instId}-SWAP`) ?? { pair: instId, coins: 1 };
      return { symbol: pair, price: idxPx * coins };
    }),
    wanted,
    (name) => `${name}-SWAP`,
  );

/**
 * Schema of each market's running rate for its own interval, the length of that interval (0: unknown), and the last settlement
 * if given.
 */
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
        const isSettled = settState === 'settled' && settFundingRate !== '' && prevFundingTime !== '';
        const settled: SettledFunding | undefined = isSettled
          ? { symbol: instId.pair, time: Number(prevFundingTime), rate: Number(settFundingRate) }
          : undefined;
        const hours = hoursOfInterval(given.nextFundingTime - given.fundingTime);
        return { symbol: instId.pair, rate: fundingRate, hours, settled };
      }),
    wanted,
  );

/** Schema of the present open interest, given in coins and in USD. */
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
    wanted,
  );

/** Schema of the tops of the books. Sizes are in contracts, a unit that does not affect the imbalance. */
export const tops = (wanted: ReadonlySet<string>) =>
  wantedOf(
    z
      .object({ instId: instrument, bidPx: decimal, bidSz: decimal, askPx: decimal, askSz: decimal })
      .transform(
        ({ instId, bidPx, bidSz, askPx, askSz }): TopOfBook => ({
          symbol: instId.pair,
          bidPrice: bidPx * instId.coins,
          askPrice: askPx * instId.coins,
          imbalance: imbalanceOf(bidSz, askSz),
        }),
      ),
    wanted,
  );

/** The symbol that the rows of a response belong to. */
interface SymbolUnit {
  readonly symbol: string;
  /** How many coins a unit of the symbol is. */
  readonly coins: number;
}

/**
 * Schema of candles. The volume is given in contracts (index 5), coins (6) and USDT (7). OKX's candles do not include the
 * volume bought by takers, so half of the volume stands in for it.
 */
export const candles = ({ symbol, coins }: SymbolUnit) =>
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

export const closes = ({ coins }: SymbolUnit) =>
  ascending(
    z
      .tuple([time, z.string(), z.string(), z.string(), decimal], z.unknown())
      .transform(([time, , , , close]) => ({ time, close: close * coins })),
  );

/** Schema of settlements. `realizedRate` is the rate that was paid; `fundingRate` is the last estimate before it. */
export const settlements = ({ symbol }: SymbolUnit) =>
  ascending(
    z.object({ fundingTime: time, realizedRate: decimal }).transform(
      ({ fundingTime, realizedRate }): SettledFunding => ({
        symbol,
        time: fundingTime,
        rate: realizedRate,
      }),
    ),
  );

/**
 * Schema of past open interest: contracts, coins and USD, stamped with the start of a span of `span` ms. The archive's rows
 * are stamped with the end of the span, when the values no longer change.
 */
export const pastInterests = ({ symbol, coins }: SymbolUnit, span: number) =>
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

/** Schema of long/short ratios (longs per short). Rows are stamped with the end of their span, as in `pastInterests`. */
export const ratios = ({ symbol }: SymbolUnit, span: number) =>
  ascending(
    z
      .tuple([time, decimal.pipe(z.number().min(0))], z.unknown())
      .transform(([from, ratio]): Ratio => ({ symbol, time: from + span, longRatio: ratio / (1 + ratio) })),
  );

/** Schema of the margin tiers of a market, the smallest first, by the number of contracts. One that is invalid spoils all. */
export const positionTiers = listOf(
  z
    .looseObject({ maxSz: decimal, mmr: decimal, maxLever: decimal })
    .transform(({ maxSz: most, mmr: maintenanceRate, maxLever: maxLeverage }) => ({
      most,
      maintenanceRate,
      maxLeverage,
    })),
)
  .refine(({ dropped }) => dropped === 0, 'has an invalid tier')
  .transform((list) => ({ ...list, rows: list.rows.toSorted((a, b) => a.most - b.most) }));
