import { z } from 'zod';
import { day, minute } from '../../../runtime/units.ts';
import type { Archive, Mark, SettledFunding } from '../../archive/archive.ts';
import type { PageRequest } from '../../venues/venue.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

const step = 5 * minute;

const documentKey = 'marks.taken';
const takenTimes = z.record(z.string(), z.number());
/** How many of these times are kept: those of the last hour. */
const maxTimes = 12;

/**
 * Returns when the marks stamped `at` were actually read, market ms. Undefined if they are closes of candles, which belong to
 * exactly that moment, or if they are more than an hour old.
 */
export const marksTakenAt = async (archive: Pick<Archive, 'get'>, at: number): Promise<number | undefined> =>
  takenTimes.safeParse(await archive.get(documentKey)).data?.[at];

/** Collects mark price, index price and running funding rate of all listed markets with one call every five minutes. */
export default defineCollector({
  name: 'marks',
  every: step,
  feedsOn: ({ marks }) => marks !== undefined,
  histories({ exchanges: { venue } }) {
    const { closes } = venue.roles;
    if (closes === undefined) return [];
    return [
      defineHistory({
        series: 'marks',
        step,
        pageSteps: closes.rows,
        wanted: Math.min(7 * day, (closes.kept ?? Number.POSITIVE_INFINITY) * step),
        needed: () => day,
        fetch: fetchPastMarks,
      }),
    ];
  },
  async collect({ exchanges: { markets }, archive, clock, symbols, listed, learn, write }, { now, since }) {
    const [at, askedAt] = [Math.floor(now / step) * step, clock.now()];
    // After a restart, marks that were read when they were due stay: those read now are up to five minutes late.
    if (since === undefined && (await areStored(archive, at))) return undefined;
    const marks = (await markets.marks?.([...new Set([...symbols(), ...listed().keys()])], at)) ?? [];
    learn({ marks });
    // The request may have waited in a queue.
    await storeTakenTime(archive, at, Math.floor(now + clock.now() - askedAt));
    const followed = new Set(symbols());
    await write(
      'marks',
      marks.filter(({ symbol }) => followed.has(symbol)),
    );
  },
});

/** Returns whether the marks stamped `at` have been read and stored. */
const areStored = async (archive: Pick<Archive, 'get' | 'latest'>, at: number): Promise<boolean> =>
  (await marksTakenAt(archive, at)) !== undefined &&
  (await archive.latest('marks', at)).some(({ time }) => time === at);

async function storeTakenTime(
  archive: Pick<Archive, 'get' | 'put'>,
  at: number,
  taken: number,
): Promise<void> {
  const before = Object.entries(takenTimes.safeParse(await archive.get(documentKey)).data ?? {});
  await archive.put(documentKey, { ...Object.fromEntries(before.slice(1 - maxTimes)), [at]: taken });
}

/**
 * Builds past marks from candles; a row's time is the close of its candle. No venue publishes past running rates, so the
 * rate of the last settlement known at that time stands in for it.
 */
async function fetchPastMarks(symbol: string, page: PageRequest, context: CollectorContext): Promise<Mark[]> {
  const { markets } = context.exchanges;
  const openTimes = { ...page, from: page.from - step, to: page.to - step };
  const [marks, indexes, settled] = await Promise.all([
    markets.closes?.('mark', { symbol, page: openTimes }) ?? [],
    markets.closes?.('index', { symbol, page: openTimes }) ?? [],
    settlementsBefore(symbol, page, context),
  ]);
  // Marks that were read when due may have been stored since the gap was found: they have the running rate itself.
  const stored = await context.archive.columns('marks', { symbol, window: page });
  const storedTimes = new Set(stored.time);
  const indexAt = new Map(indexes.map(({ time, close }) => [time, close]));
  let next = 0;
  let rate: number | undefined;
  return marks.flatMap(({ time: openTime, close }) => {
    const time = openTime + step;
    for (
      let settlement = settled[next];
      settlement !== undefined && settlement.time <= time;
      settlement = settled[next]
    ) {
      rate = settlement.rate;
      next += 1;
    }
    const indexPrice = indexAt.get(openTime);
    if (indexPrice === undefined || rate === undefined || storedTimes.has(time)) return [];
    return [{ symbol, time, markPrice: close, indexPrice, estFunding: rate }];
  });
}

/**
 * Returns the settlements of the page and of the day before it: from the archive if its rows reach back to the start of
 * the page, else from the venue.
 */
async function settlementsBefore(
  symbol: string,
  page: PageRequest,
  { archive, exchanges }: CollectorContext,
): Promise<SettledFunding[]> {
  const span = { from: page.from - day, to: page.to };
  const stored = await archive.read('funding', { symbol, window: span });
  const [first] = stored;
  return first !== undefined && first.time <= page.from
    ? stored
    : ((await exchanges.markets.funding?.(symbol, { ...page, ...span })) ?? []);
}
