import { closeDayBefore, maxDayAgo } from '../../contract/day-ago.ts';
import { isRedenominated } from '../../contract/plausible-price.ts';
import { day, hour, iso, minute, second } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { Handler } from './handler.ts';
import { bySymbol, newestPrice } from './newest-price.ts';

/** How much older than an hour the price may be that one of an hour ago is compared with, ms. */
const hourSlack = 10 * minute;
/** What is older than this is not of now, ms. */
const markFreshFor = 15 * minute;
const ratioFreshFor = hour;

const changePct = (price: number, before: number | undefined): number | undefined =>
  before === undefined || !(before > 0) || isRedenominated(before, price)
    ? undefined
    : round((price / before - 1) * 100, 4);

export const prices: Handler<'prices'> = {
  needs: ['candles1h'],
  uses: ['marks', 'topRatio'],
  async answer(_query, { archive, now, universe, listed, prices: heard }) {
    const closesAt = async (days: number) => {
      const to = now - days * day - hour;
      return Map.groupBy(
        await archive.readAll('candles1h', { from: to - (maxDayAgo - day) - hour, to }),
        ({ symbol }) => symbol,
      );
    };
    const [marks, candles, ratios, lateMarks, earlyMarks, dayAgo, weekAgo] = await Promise.all([
      archive.latest('marks', now).then(bySymbol),
      archive.latest('candles1h', now - hour).then(bySymbol),
      archive.latest('topRatio', now).then(bySymbol),
      archive.readAll('marks', { from: now - 2 * hour - hourSlack, to: now }),
      archive.readAll('marks', { from: now - 4 * hour - hourSlack, to: now - 4 * hour }),
      closesAt(1),
      closesAt(7),
    ]);
    const marksOf = Map.groupBy([...earlyMarks, ...lateMarks], ({ symbol }) => symbol);
    const data = [...new Set([...universe, ...(listed?.keys() ?? [])])].flatMap((symbol) => {
      const mark = marks.get(symbol);
      const ratio = ratios.get(symbol);
      const newest = heard?.of(symbol);
      const last = newestPrice(newest, mark, candles.get(symbol));
      if (last === undefined) return [];
      const { price, time } = last;
      const changeOver = (window: number) => {
        const before = marksOf.get(symbol)?.findLast((row) => row.time <= time - window);
        const slack = Math.min(window, hourSlack);
        return before === undefined || time - before.time > window + slack
          ? undefined
          : changePct(price, before.markPrice);
      };
      const closesOf = (past: typeof dayAgo) =>
        (past.get(symbol) ?? []).map((row) => [row.time + hour, row.close] as const);
      const basisPct =
        newest?.markPrice !== undefined && newest.indexPrice !== undefined
          ? changePct(newest.markPrice, newest.indexPrice)
          : mark && now - mark.time <= markFreshFor
            ? changePct(mark.markPrice, mark.indexPrice)
            : undefined;
      return [
        {
          symbol,
          price,
          timestamp: iso(time),
          ageSeconds: round(Math.max(0, now - time) / second, 1),
          // The marks of every five minutes; where prices are heard, these say more.
          change5mPct: changeOver(5 * minute),
          change15mPct: changeOver(15 * minute),
          change1hPct: changeOver(hour),
          change4hPct: changeOver(4 * hour),
          ...heard?.changes(symbol),
          change24hPct: changePct(price, closeDayBefore(closesOf(dayAgo), time)),
          change7dPct: changePct(price, closeDayBefore(closesOf(weekAgo), time - 6 * day)),
          basisPct,
          longRatio: ratio && now - ratio.time <= ratioFreshFor ? round(ratio.longRatio, 4) : undefined,
        },
      ];
    });
    return { data, count: data.length, stale: heard?.stale() };
  },
};
