import { isPlausibleStep } from '../../../contract/plausible-price.ts';
import { clockTolerance } from '../../../runtime/true-time.ts';
import { hour, minute, second } from '../../../runtime/units.ts';
import type { Archive } from '../../archive/archive.ts';
import type { PriceTick } from '../../venues/venue.ts';
import { messageOf } from '../catch-up.ts';
import type { PriceTable } from '../price-table.ts';
import { type CollectorContext, defineCollector, hear } from './collector.ts';

/** How far back the archive's marks stand in for prices that were not heard, ms: the longest window of changes. */
const remembered = 4 * hour + 10 * minute;
/** Wall ms without a new price of any market after which the stream is dead, or repeats what was. */
const silence = 4 * second;
/** Wall ms without news from anywhere after which the prices are not of now. */
const staleAfter = 5 * second;
/** By how much a message may come later than the quickest of its connection, ms. */
const maxLag = 5 * second;
/** Wall ms between two requests while the stream tells nothing. On Binance these weigh 600 of 2,400 a minute. */
const askEvery = 4 * second;
/**
 * Wall ms between two requests for the listed markets that are not followed, where the stream tells only of markets that were
 * asked for: hundreds of them, each ten times a second, would cost more than the answer.
 */
const askOthersEvery = 10 * second;
/** Wall ms between two looks at whether the stream still tells something. */
const lookEvery = second / 2;
/** The shortest wait between two looks at a simulated market, wall ms: at 240 × a market minute passes. */
const minPause = 250;
/** Wall ms between two reports that the feed goes on. */
const reportEvery = 15 * second;

/**
 * Keeps the table of newest prices: from the venue's stream, and by asking while that is dead or tells nothing new. The model
 * of a simulated market is asked every second, or every market minute where time runs fast.
 */
export default defineCollector({
  name: 'prices',
  feedsOn: ({ prices }) => prices !== undefined,
  async collect(context, { now }) {
    const { archive, prices, exchanges } = context;
    prices.clear();
    await rememberMarks(prices, { archive, now });
    takingInto(context).take((await exchanges.markets.prices?.()) ?? []);
    return undefined;
  },
  async listen(context) {
    const { exchanges } = context;
    if (exchanges.streams === undefined || exchanges.venue.roles.ticks === undefined)
      await keepAsking(context);
    else await keepHearing(context);
  },
});

/** Enters the archive's marks as prices of before, so that changes are known from the start. */
export async function rememberMarks(
  prices: Pick<PriceTable, 'remember'>,
  { archive, now }: { readonly archive: Pick<Archive, 'readAll'>; readonly now: number },
): Promise<void> {
  const past = await archive.readAll('marks', { from: now - remembered, to: now });
  for (const [time, rows] of Map.groupBy(past, (row) => row.time))
    prices.remember(time, new Map(rows.map(({ symbol, markPrice }) => [symbol, markPrice])));
}

/** Returns how ticks enter the table, and how problems are told. */
function takingInto({ archive, prices, listed, aheadBy, clock, wall, report }: CollectorContext) {
  let [reportedAt, takenAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isBeginningAnew = false;
  const beginAnew = async (now: number) => {
    isBeginningAnew = true;
    prices.clear();
    await rememberMarks(prices, { archive, now }).catch(() => {});
    isBeginningAnew = false;
  };
  return {
    take(ticks: readonly PriceTick[]): boolean {
      const now = Math.floor(clock.now());
      // What was taken by a clock that was set back since would be the newest for hours, and refused as ahead.
      if (takenAt - now > clockTolerance) void beginAnew(now);
      takenAt = now;
      if (isBeginningAnew) return false;
      const markets = listed();
      // An answer without a time is of our clock: to one ahead of the venue's, all that the stream says would be older.
      const ahead = Math.floor(aheadBy());
      const told = ticks
        .filter(({ symbol }) => markets.has(symbol))
        .map((tick) =>
          ahead === 0 || tick.time === undefined ? tick : { ...tick, time: tick.time + ahead },
        );
      if (!prices.take(told, now)) return false;
      prices.setStale(false);
      if (wall.now() - reportedAt < reportEvery) return true;
      reportedAt = wall.now();
      report({ at: now });
      return true;
    },
    problem(problem: string): void {
      reportedAt = Number.NEGATIVE_INFINITY;
      report({ problem });
    },
  };
}

async function keepAsking(context: CollectorContext): Promise<void> {
  const { take, problem } = takingInto(context);
  const { exchanges, clock, wall, signal, prices } = context;
  while (!signal.aborted) {
    try {
      take((await exchanges.markets.prices?.()) ?? []);
    } catch (error) {
      if (signal.aborted) return;
      prices.setStale(true);
      problem(messageOf(error));
    }
    await wall.sleep(Math.max(minPause, clock.wallUntil(clock.now() + second)), signal).catch(() => {});
  }
}

async function keepHearing(context: CollectorContext): Promise<void> {
  const { take, problem } = takingInto(context);
  const { exchanges, clock, wall, signal, prices } = context;
  const { ticks } = exchanges.venue.roles;
  if (ticks === undefined) return;
  let [heardAt, newsAt] = [wall.now(), wall.now()];
  let deadAt = Number.NEGATIVE_INFINITY;
  let leastLag = Number.POSITIVE_INFINITY;
  const repeats = createRepeatCheck();
  const doubts = createDoubts(context);
  const streaming = hear(ticks, context, {
    silence,
    onMessage(text) {
      try {
        const heard = ticks.read(text);
        if (heard.length === 0) return false;
        const said = Math.max(...heard.map(({ time = Number.NEGATIVE_INFINITY }) => time));
        const lag = Number.isFinite(said) ? clock.now() - said : 0;
        leastLag = Math.min(leastLag, lag);
        // A stream that lags tells of the past: it would not be told from one that repeats what was.
        if (lag > leastLag + maxLag) return false;
        const now = wall.now();
        if (now - heardAt >= silence) deadAt = now;
        const { isNew, believed } = repeats(heard, { now, deadAt });
        if (!take(believed.filter(doubts.isCredible))) return false;
        newsAt = now;
        if (isNew) heardAt = now;
        return true;
      } catch (error) {
        problem(`a message of the stream is not as promised: ${messageOf(error)}`);
        return false;
      }
    },
    onProblem(text) {
      leastLag = Number.POSITIVE_INFINITY;
      problem(text);
    },
  });
  let askedAt = Number.NEGATIVE_INFINITY;
  const ask = async () => {
    doubts.asked();
    try {
      const answer = (await exchanges.markets.prices?.()) ?? [];
      doubts.answered(answer);
      if (take(answer)) newsAt = wall.now();
    } catch (error) {
      doubts.answered(undefined);
      if (!signal.aborted) problem(messageOf(error));
    }
  };
  while (!signal.aborted) {
    const now = wall.now();
    const isWanted = now - heardAt >= silence || doubts.isDoubted();
    if (
      (isWanted && now - askedAt >= askEvery) ||
      (ticks.subscribe !== undefined && now - askedAt >= askOthersEvery)
    ) {
      askedAt = now;
      void ask();
    }
    if (now - newsAt >= staleAfter) prices.setStale(true);
    await wall.sleep(lookEvery, signal).catch(() => {});
  }
  await streaming;
}

/** Of how many markets, those heard first, it is remembered what was said, and how many of their last prices. */
const [watched, rememberedPrices] = [32, 120];

/** What a stream said of a market last. */
interface Heard extends Pick<PriceTick, 'price' | 'markPrice'> {
  /** When something new was said of the market, wall ms. */
  readonly newsAt: number;
  readonly said: Set<string> | undefined;
}

/**
 * Returns a function that reads whether ticks say anything new: not prices that stand still, or the same ones over and over.
 * Of a stream that was dead at `deadAt` only markets of which it has said something new since are believed: what it repeats
 * would take back what the venue has answered.
 */
function createRepeatCheck() {
  const heard = new Map<string, Heard>();
  return (
    ticks: readonly PriceTick[],
    { now, deadAt }: { readonly now: number; readonly deadAt: number },
  ) => {
    let isNew = false;
    const believed = ticks.filter(({ symbol, ...tick }) => {
      const before = heard.get(symbol);
      const price = tick.price ?? before?.price;
      const markPrice = tick.markPrice ?? before?.markPrice;
      const said = before === undefined && heard.size < watched ? new Set<string>() : before?.said;
      const what = `${price} ${markPrice}`;
      const isKnown =
        said?.has(what) ?? (before !== undefined && price === before.price && markPrice === before.markPrice);
      if (said !== undefined) {
        isNew ||= before !== undefined && !isKnown;
        said.add(what);
        const [oldest = what] = said;
        if (said.size > rememberedPrices) said.delete(oldest);
      }
      const newsAt = before !== undefined && isKnown ? before.newsAt : now;
      heard.set(symbol, { price, markPrice, newsAt, said });
      return newsAt >= deadAt;
    });
    return { isNew, believed };
  };
}

/**
 * Judges what a stream says beyond a plausible step, another market's price for one: it is taken only if the venue, asked,
 * says so too, or gives no answer in time.
 */
function createDoubts({ prices, wall }: Pick<CollectorContext, 'prices' | 'wall'>) {
  let answers: ReadonlyMap<string, number | undefined> | undefined = new Map();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.POSITIVE_INFINITY;
  let isDoubted = false;
  return {
    /** Whether there is a doubt about which the venue has not been asked. */
    isDoubted: () => isDoubted,
    asked() {
      askedAt = Math.min(askedAt, wall.now());
    },
    /** Takes in what the venue answered; undefined: nothing. */
    answered(ticks: readonly PriceTick[] | undefined) {
      answers = ticks && new Map(ticks.map(({ symbol, price }) => [symbol, price]));
      answeredAt = wall.now();
      askedAt = Number.POSITIVE_INFINITY;
      isDoubted = false;
    },
    isCredible({ symbol, price, markPrice }: PriceTick): boolean {
      const known = prices.last(symbol);
      if (known === undefined || answers === undefined || wall.now() - askedAt >= silence) return true;
      if (price !== undefined && !isPlausibleStep(known.price, price)) {
        const answer = wall.now() - answeredAt < 2 * askEvery ? answers.get(symbol) : undefined;
        isDoubted = true;
        return answer !== undefined && isPlausibleStep(answer, price);
      }
      return (
        markPrice === undefined ||
        known.markPrice === undefined ||
        isPlausibleStep(known.markPrice, markPrice) ||
        isPlausibleStep(price ?? known.price, markPrice)
      );
    },
  };
}
