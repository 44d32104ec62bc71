import { day, hour, minute } from '../../runtime/units.ts';
import type { AuditedValue, Liquidation } from '../archive/archive.ts';
import type { PastTape } from '../exchanges/tape.ts';
import type { Tolerance } from './compare.ts';
import { Missed } from './missed.ts';
import {
  type Published,
  publishedFunding,
  publishedLiquidations,
  publishedMark,
  publishedOpenInterest,
  publishedVolume,
} from './published.ts';
import { type AuditQuestion, type Check, lacks, present, sameOrNewer, step } from './question.ts';
import { runningFunding } from './running-funding.ts';

const never = { move: 0, per: step, blur: 0 };

/** Returns the tolerance for a mark price, which may have moved since it was taken. */
const markTolerance = (
  { transit }: AuditQuestion,
  { move, still }: { readonly move: number; readonly still: number },
): Tolerance => ({ still, grain: 1e-8, move, per: step, blur: transit });

/** Checks the mark price at a venue that reports only its present price. */
export async function presentMark(
  question: AuditQuestion,
  { published, still }: { readonly published: Published; readonly still: number },
): Promise<Check> {
  const { symbol, of, now, transit } = question;
  const { marks } = of.client;
  if (marks === undefined) throw lacks(of, 'mark prices');
  const [row] = await marks([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no mark price of ${symbol}`);
  const tolerance = markTolerance(question, { move: published.move, still });
  return { published, ...present(published, { value: row.markPrice, now: now(), transit }), tolerance };
}

/**
 * Checks the open interest at a venue that reports only its present value. Positions are opened and closed with every
 * trade: a difference of a fifth of a percent within a moment is no fault.
 */
export async function presentOpenInterest(question: AuditQuestion, published: Published): Promise<Check> {
  const { symbol, of, now, transit } = question;
  const { openInterest } = of.client;
  if (openInterest === undefined) throw lacks(of, 'open interest');
  const [row] = await openInterest([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no open interest of ${symbol}`);
  const tolerance = { still: 0.002, grain: 0, move: published.move, per: step, blur: step + transit };
  return { published, ...present(published, { value: row.contracts, now: now(), transit }), tolerance };
}

/** How the primary venue is asked for each published value. @throws Missed, ApiError */
export const audited: Readonly<Record<AuditedValue, (question: AuditQuestion) => Promise<Check>>> = {
  async mark(question) {
    const { symbol, of, now, transit } = question;
    const { closes } = of.client;
    const published = await publishedMark(question);
    // Two responses of the same second differ by the trades between them.
    const still = 0.0005;
    if (closes !== undefined) {
      const page = { from: published.time - step, to: now() - step };
      const candles = await closes('mark', { symbol, page });
      const rows = candles.map(({ time, close }) => ({ time: time + step, value: close }));
      const tolerance = markTolerance(question, { move: published.move, still });
      return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
    }
    return presentMark(question, { published, still });
  },

  async funding({ symbol, ask, of, now, transit }) {
    const { funding } = of.client;
    const published = await publishedFunding(ask, symbol);
    if (funding === undefined) throw lacks(of, 'settled funding');
    const settled = await funding(symbol, { from: published.time, to: now() });
    const rows = settled
      .filter((row) => row.symbol === symbol)
      .map(({ time, rate }) => ({ time, value: rate }));
    // A settled rate never changes; it is published with eight decimals.
    const tolerance = { still: 0, grain: 0.51e-8, ...never };
    return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
  },

  running_funding: runningFunding,

  async open_interest(question) {
    const { symbol, ask, of, now, transit } = question;
    const { pastOpenInterest } = of.client;
    const published = await publishedOpenInterest(ask, symbol);
    if (pastOpenInterest !== undefined) {
      const snapshots = await pastOpenInterest(symbol, { from: published.time, to: now() });
      const rows = snapshots.map(({ time, contracts }) => ({ time, value: contracts }));
      // A snapshot no longer changes, and the same double is always written as the same text.
      const tolerance = { still: 1e-9, grain: 0, ...never };
      return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
    }
    return presentOpenInterest(question, published);
  },

  async volume_24h({ symbol, ask, of, now, transit }) {
    const { candles } = of.client;
    const published = await publishedVolume(ask, symbol);
    if (candles === undefined) throw lacks(of, 'candles');
    const page = { from: published.time - day, to: now() - hour };
    const hours = await candles(symbol, { interval: '1h', page });
    const rows = hours.map(({ time }) => ({
      time: time + hour,
      value: hours
        .filter((each) => each.time <= time && each.time > time - day)
        .reduce((sum, each) => sum + each.quoteVolume, 0),
    }));
    // Both sum the same closed hours; an hour that was requested seconds after its close may lack its last trades.
    const tolerance = { still: 0.001, grain: 0, ...never };
    return { published, ...sameOrNewer(published, { rows, now: now(), transit }), tolerance };
  },

  /** No venue reports past liquidations again: the rows received from its stream are summed anew. */
  async liquidations({ symbol, ask, of, archive, now, transit }) {
    // Events arrive late, so the newest minute is left out. One answer may not hold them all, so `from` may become later.
    const to = Math.floor(now() - minute - transit);
    const published = await publishedLiquidations(ask, { symbol, from: to - hour, to });
    const window = { from: published.from + 1, to };
    const events =
      of.tape === undefined
        ? await archive.liquidations({ symbol, after: published.from, to, limit: 100_000 })
        : (await taped(of.tape, window)).filter((event) => event.symbol === symbol);
    const value = events.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
    // The value of each event is published in whole cents.
    const grain = 0.0051 * Math.max(events.length, published.events);
    return {
      published,
      asked: { value, time: to },
      tolerance: { still: 1e-9, grain, ...never },
      ...(of.tape === undefined && { title: 'rows received' }),
    };
  },
};

const pageRows = 1_000;

async function taped(
  tape: PastTape,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Liquidation[]> {
  const all: Liquidation[] = [];
  for (let begin = from; ; ) {
    const rows = await tape.liquidations({ from: begin, to }, pageRows);
    all.push(...rows);
    const last = rows.at(-1);
    if (rows.length < pageRows || last === undefined) return all;
    // The simulator ends a page with all events of its last millisecond.
    begin = last.time + 1;
  }
}
