import type { CandleInterval } from '../../contract/candle-interval.ts';
import { day, hour, minute, second } from '../../runtime/units.ts';
import type {
  Candle,
  Liquidation,
  Mark,
  OpenInterest,
  SettledFunding,
  TimeRange,
} from '../archive/archive.ts';
import { candlesBetween } from './candles.ts';
import { everyStep } from './every-step.ts';
import type { Instrument, Market } from './market.ts';
import { dailyVolume } from './price.ts';
import { bits, drift, keyOf, uniform } from './random.ts';

/** How a coin's perpetual at one venue differs from the simulated market. */
interface VenueDifference {
  /** Difference of the running rate, a fraction per 8 hours. */
  readonly rate: number;
  /** Factor of the open interest, about 1. */
  readonly interest: number;
}

/** Size of the rate's difference, a fraction per 8 hours: `usualSize` mostly, `rareSize` in 1 of 80 stretches (`rareShare`). */
const usualSize = 0.00003;
const rareSize = 0.0006;
const stretch = 12 * hour;
const rareShare = 0.0125;
const interest = 0.04;

/** Returns the differences at a moment, always the same for the same moment. A large rate difference lasts one stretch. */
export function differenceOf(
  venue: string,
  { base, time }: { readonly base: string; readonly time: number },
): VenueDifference {
  const key = keyOf(0, `${venue} ${base}`);
  // Each market has stretches of its own, or all that differ would do so at the same hour.
  const place = time / stretch + uniform(key, 0, 5);
  const at = Math.floor(place);
  const isRare = uniform(key, at, 1) < rareShare;
  const side = uniform(key, at, 2) < 0.5 ? -1 : 1;
  const rareDifference = isRare ? side * rareSize * Math.sin(Math.PI * (place - at)) ** 2 : 0;
  return {
    rate: usualSize * drift(key, time, stretch, 3) + rareDifference,
    interest: Math.exp(interest * drift(key, time, day, 4)),
  };
}

/** How a venue that a simulated market imitates differs from the market's model. */
interface Imitation {
  /** The venue's part of the market's open interest and volume. */
  readonly share: number;
  /** How many decimals the venue's rates have, and its index prices and open interest if fewer than the model's. */
  readonly rateDecimals: number;
  readonly indexDecimals?: (instrument: Instrument) => number;
  readonly interestDecimals?: (instrument: Instrument) => number;
  /** Hours between its settlements. Absent: the market's. */
  readonly fundingHours?: number;
  /** How long after its time a settlement is published, market ms. */
  readonly settling?: number;
  /** Whether, asked about many markets, it tells only the last settlement of each. */
  readonly lastSettlementOnly?: boolean;
  readonly lists?: (instrument: Instrument) => boolean;
}

const ofPrice = ({ priceDecimals }: Instrument) => priceDecimals;
const imitations: Readonly<Record<string, Imitation>> = {
  binance: { share: 1, rateDecimals: 8 },
  bybit: {
    share: 0.5,
    rateDecimals: 8,
    indexDecimals: ofPrice,
    interestDecimals: ({ quantityDecimals }) => quantityDecimals,
  },
  hyperliquid: {
    share: 0.4,
    rateDecimals: 10,
    indexDecimals: ofPrice,
    interestDecimals: () => 5,
    fundingHours: 1,
    // Names that are not in Latin letters are not listed there.
    lists: ({ base }) => /^[A-Z0-9]+$/.test(base),
  },
  okx: { share: 0.4, rateDecimals: 16, indexDecimals: ofPrice, settling: minute, lastSettlementOnly: true },
};

/** How many decimals prices, amounts and values have at every venue, and ratios. */
const [valueDecimals, ratioDecimals] = [8, 4];
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

export const isImitated = (venue: string): boolean => venue in imitations;

/** Returns the market as one venue sees it, with values rounded as the venue rounds them. */
export function imitateVenue(market: Market, name: string) {
  const imitation = imitations[name];
  if (imitation === undefined) throw new RangeError(`no market simulates the venue "${name}"`);
  const { share, rateDecimals, settling = 0, lists = () => true } = imitation;
  const isModel = share === 1;
  const fundingHours = (instrument: Instrument) => imitation.fundingHours ?? instrument.fundingHours;
  const differenceAt = ({ base }: Instrument, time: number) =>
    isModel ? { rate: 0, interest: 1 } : differenceOf(name, { base, time });

  const mark = (instrument: Instrument, time: number): Omit<Mark, 'time'> => {
    const { symbol, markPrice, indexPrice, estFunding } = market.mark(instrument.symbol, time);
    const hours = fundingHours(instrument);
    const own = (estFunding * hours) / instrument.fundingHours;
    return {
      symbol,
      markPrice,
      indexPrice: rounded(indexPrice, imitation.indexDecimals?.(instrument) ?? valueDecimals),
      estFunding: rounded(own + (differenceAt(instrument, time).rate * hours) / 8, rateDecimals),
    };
  };
  const settlements = (instrument: Instrument, { from, to }: TimeRange): SettledFunding[] => {
    const { symbol } = instrument;
    const hours = fundingHours(instrument);
    const settled =
      hours === instrument.fundingHours
        ? market.settlements(symbol, { from, to: to - settling })
        : everyStep({ from: Math.max(from, market.earliest + hour), to }, hours * hour).map((time) => ({
            time,
            rate: mark(instrument, time).estFunding,
          }));
    return settled.map(({ time, rate }) => ({
      symbol,
      time: Math.floor(time / second) * second,
      rate: rounded(rate, rateDecimals),
    }));
  };

  return {
    /** The perpetuals that are traded there, by symbol. */
    listed: new Map(market.instruments.filter(lists).map((each) => [each.symbol, each])),
    fundingHours,
    mark,
    settlements,
    /** Returns those of the settlements that are told when many markets are asked for. */
    settlementsOfMany: (instruments: readonly Instrument[], span: TimeRange): SettledFunding[] =>
      instruments
        .flatMap((each) => settlements(each, span).slice(imitation.lastSettlementOnly ? -1 : 0))
        .sort((a, b) => a.time - b.time),
    interest(instrument: Instrument, time: number): Omit<OpenInterest, 'time'> {
      const { symbol } = instrument;
      const exact =
        market.openInterest(symbol, time).contracts * share * differenceAt(instrument, time).interest;
      const decimals = imitation.interestDecimals?.(instrument);
      const contracts = decimals === undefined ? exact : rounded(exact, decimals);
      const valueUsd = contracts * market.price(symbol, time);
      return { symbol, contracts, valueUsd: isModel ? rounded(valueUsd, valueDecimals) : valueUsd };
    },
    /** Returns the volume of the last 24 hours where it is recorded, else that of a usual day: hundreds of markets are asked for it. */
    volume(instrument: Instrument, now: number): number {
      const { symbol, rank } = instrument;
      if (market.sourceOf('candles', symbol) === 'simulated') return share * dailyVolume(rank);
      const from = (Math.floor(now / hour) - 23) * hour;
      const rows = candlesBetween(market, instrument, { from, to: now, interval: '1h', now });
      return share * rows.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0);
    },
    /** Returns the candles whose open times are in the span; the running one is cut at `now`. */
    candles: (
      instrument: Instrument,
      span: TimeRange & { readonly interval: CandleInterval; readonly now: number },
    ): Candle[] =>
      candlesBetween(market, instrument, span).map((row) => {
        const volume = rounded(row.volume * share, valueDecimals);
        // The other venues do not tell how much takers bought: half of the volume stands in for that.
        const takerBuy = isModel ? rounded(row.takerBuy, valueDecimals) : volume / 2;
        return { ...row, volume, takerBuy, quoteVolume: rounded(row.quoteVolume * share, 2) };
      }),
    // Who holds a position at one venue mostly holds none at another, but a move of the price reaches them at the same time.
    liquidations: ({ from, to }: TimeRange): Liquidation[] =>
      market
        .liquidations(from, to)
        .filter(({ symbol, time }) => isModel || uniform(keyOf(0, `${name} ${symbol}`), time, 5) < share),
    longRatio({ symbol }: Instrument, of: 'top' | 'global', time: number): number {
      const long = market.ratios(symbol, time)[of];
      // One in fifty samples of the live exchange has longs and shorts that do not sum to 1.
      const slip = isModel && bits(keyOf(1, symbol), time, 1) % 50 === 0 ? 0.0007 : 0;
      const [longs, shorts] = [rounded(long, ratioDecimals), rounded(1 - long - slip, ratioDecimals)];
      return longs / (longs + shorts);
    },
  };
}
