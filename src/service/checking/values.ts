import { day, hour, minute } from '../../runtime/units.ts';
import type { CheckedValue } from '../archive/archive.ts';
import { snapshotStep, type Tolerance } from './compare.ts';
import { Missed } from './missed.ts';
import {
  type Published,
  publishedFunding,
  publishedLiquidations,
  publishedMark,
  publishedOpenInterest,
  publishedVolume,
} from './published.ts';
import { type Check, type CheckQuestion, cannotBeAsked, presentAnswer, sameOrNewer } from './question.ts';
import { runningFunding } from './running-funding.ts';

/** Returns the tolerance for a mark price, which may have moved since it was taken. */
const markTolerance = (
  { transit }: CheckQuestion,
  { move, relative }: { readonly move: number; readonly relative: number },
): Tolerance => ({ relative, absolute: 1e-8, move, timeSlack: transit });

/** Checks the mark price at a venue that reports only its present price. */
export async function presentMark(
  question: CheckQuestion,
  { published, relative }: { readonly published: Published; readonly relative: number },
): Promise<Check> {
  const { symbol, checkedVenue, now, transit } = question;
  const { marks } = checkedVenue.client;
  if (marks === undefined) throw cannotBeAsked(checkedVenue, 'mark prices');
  const [row] = await marks([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no mark price of ${symbol}`);
  const tolerance = markTolerance(question, { move: published.move, relative });
  return { published, ...presentAnswer(published, { value: row.markPrice, now: now(), transit }), tolerance };
}

/**
 * Checks the open interest at a venue that reports only its present value. Positions are opened and closed with every
 * trade: a difference of a fifth of a percent within a moment is no fault.
 */
export async function presentOpenInterest(question: CheckQuestion, published: Published): Promise<Check> {
  const { symbol, checkedVenue, now, transit } = question;
  const { openInterest } = checkedVenue.client;
  if (openInterest === undefined) throw cannotBeAsked(checkedVenue, 'open interest');
  const [row] = await openInterest([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no open interest of ${symbol}`);
  const tolerance = { relative: 0.002, move: published.move, timeSlack: snapshotStep + transit };
  return { published, ...presentAnswer(published, { value: row.contracts, now: now(), transit }), tolerance };
}

/** How the primary venue is asked for each published value. @throws Missed, ApiError */
export const primaryVenueChecks: Readonly<Record<CheckedValue, (question: CheckQuestion) => Promise<Check>>> =
  {
    async mark(question) {
      const { symbol, checkedVenue, now, transit } = question;
      const { closes } = checkedVenue.client;
      const published = await publishedMark(question);
      // Two responses of the same second differ by the trades between them.
      const relative = 0.0005;
      if (closes !== undefined) {
        const page = { from: published.time - snapshotStep, to: now() - snapshotStep };
        const candles = await closes('mark', { symbol, page });
        const rows = candles.map(({ time, close }) => ({ time: time + snapshotStep, value: close }));
        const tolerance = markTolerance(question, { move: published.move, relative });
        return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
      }
      return presentMark(question, { published, relative });
    },

    async funding({ symbol, ask, checkedVenue, now, transit }) {
      const { funding } = checkedVenue.client;
      const published = await publishedFunding(ask, symbol);
      if (funding === undefined) throw cannotBeAsked(checkedVenue, 'settled funding');
      const settled = await funding(symbol, { from: published.time, to: now() });
      const rows = settled
        .filter((row) => row.symbol === symbol)
        .map(({ time, rate }) => ({ time, value: rate }));
      // A settled rate never changes; it is published with eight decimals.
      const tolerance = { absolute: 0.51e-8 };
      return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
    },

    running_funding: runningFunding,

    async open_interest(question) {
      const { symbol, ask, checkedVenue, now, transit } = question;
      const { pastOpenInterest } = checkedVenue.client;
      const published = await publishedOpenInterest(ask, symbol);
      if (pastOpenInterest !== undefined) {
        const snapshots = await pastOpenInterest(symbol, { from: published.time, to: now() });
        const rows = snapshots.map(({ time, contracts }) => ({ time, value: contracts }));
        // A snapshot no longer changes, and the same double is always written as the same text.
        const tolerance = { relative: 1e-9 };
        return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
      }
      return presentOpenInterest(question, published);
    },

    async volume_24h({ symbol, ask, checkedVenue, now, transit }) {
      const { candles } = checkedVenue.client;
      const published = await publishedVolume(ask, symbol);
      if (candles === undefined) throw cannotBeAsked(checkedVenue, 'candles');
      const page = { from: published.time - day, to: now() - hour };
      const hours = await candles(symbol, { interval: '1h', page });
      const rows = hours.map(({ time }) => ({
        time: time + hour,
        value: hours
          .filter((each) => each.time <= time && each.time > time - day)
          .reduce((sum, each) => sum + each.quoteVolume, 0),
      }));
      // Both sum the same closed hours; an hour that was requested seconds after its close may lack its last trades.
      const tolerance = { relative: 0.001 };
      return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
    },

    /** No exchange reports past liquidations again: the rows received from its stream are summed anew. */
    async liquidations({ symbol, ask, checkedVenue, archive, now, transit }) {
      // Events arrive late, so the newest minute is left out. One answer may not hold them all, so `from` may become later.
      const to = Math.floor(now() - minute - transit);
      const published = await publishedLiquidations(ask, { symbol, from: to - hour, to });
      const window = { from: published.from + 1, to };
      const { pastLiquidations } = checkedVenue.client;
      const events =
        pastLiquidations === undefined
          ? await archive.liquidations({ symbol, after: published.from, to, limit: 100_000 })
          : (await pastLiquidations(window)).filter((event) => event.symbol === symbol);
      const value = events.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
      // The value of each event is published in whole cents.
      const absolute = 0.0051 * Math.max(events.length, published.events);
      return {
        published,
        asked: { value, time: to },
        tolerance: { relative: 1e-9, absolute },
        title: pastLiquidations === undefined ? 'rows received' : undefined,
      };
    },
  };
