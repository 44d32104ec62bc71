import { day, minute } from '../../runtime/units.ts';
import type { Mark } from '../archive/archive.ts';
import { Missed } from './missed.ts';
import { publishedHours, publishedRunning } from './published.ts';
import { type AuditQuestion, type Check, lacks, present, step } from './question.ts';

/** While the premium is within a twentieth of a percent, exchanges settle only the interest: such moves are invisible. */
const unseen = 0.0005;
/** No premium is usually further than this from its mean: a broken feed must not widen its own tolerance beyond it. */
const furthest = 0.01;
/** How long after a settlement an exchange may still report the former interval's rate, ms. */
const turning = minute;
/** How much more the newest moment may weigh in the mean than the others (at Binance the weights rise steadily from 0). */
const newest = 2;

/**
 * Checks the running rate. The rate at which an interval would be settled is a mean of the premium over its elapsed part:
 * the longer that part, the less a single moment moves the rate. @throws Missed, ApiError
 */
export async function runningFunding(question: AuditQuestion): Promise<Check> {
  const { symbol, ask, of, archive, now, transit } = question;
  const { marks } = of.client;
  const published = await publishedRunning(question);
  const length = await publishedHours(ask, symbol);
  if (marks === undefined) throw lacks(of, 'running funding rates');
  const [row] = await marks([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no running rate of ${symbol}`);
  const [gone, at] = [published.taken % length, now()];
  if (gone < turning + transit || published.taken - gone + length <= at + transit)
    throw new Missed('NO_SUCH_ROW', 'one interval ends and another begins');
  const rows = await archive.last('marks', { symbol, count: day / step, to: published.time });
  const moved = newest * swing(rows, length) * Math.min(1, (at - published.taken + transit) / gone);
  // A rate is published with eight decimals.
  const tolerance = { still: 0, grain: 0.51e-8 + moved, move: 0, per: step, blur: 0 };
  return { published, ...present(published, { value: row.estFunding, now: at, transit }), tolerance };
}

/**
 * Estimates from the moves of the rate how far a moment's premium has been from the mean of its interval. The result is
 * between `unseen` and `furthest`.
 */
function swing(rows: readonly Mark[], length: number): number {
  const distances = rows.slice(1).map((row, index) => {
    const before = rows[index];
    const gone = row.time % length;
    if (before === undefined || row.time - before.time > gone) return 0;
    return (Math.abs(row.estFunding - before.estFunding) * gone) / (row.time - before.time);
  });
  return Math.min(Math.max(unseen, ...distances), furthest);
}
