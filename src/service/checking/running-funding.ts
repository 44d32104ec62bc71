import { day, minute } from '../../runtime/units.ts';
import type { Mark } from '../archive/archive.ts';
import { snapshotStep } from './compare.ts';
import { Missed } from './missed.ts';
import { publishedInterval, publishedRunningRate } from './published.ts';
import { type Check, type CheckQuestion, cannotBeAsked, presentAnswer } from './question.ts';

/** While the premium is within a twentieth of a percent, exchanges settle only the interest: such moves are invisible. */
const invisibleMove = 0.0005;
/** No premium is usually further than this from its mean: a broken feed must not widen its own tolerance beyond it. */
const maxDeviation = 0.01;
/** How long after a settlement an exchange may still report the former interval's rate, ms. */
const settlementGrace = minute;
/** How much more the newest moment may weigh in the mean than the others (at Binance the weights rise steadily from 0). */
const newestWeight = 2;

/**
 * Checks the running rate. The rate at which an interval would be settled is a mean of the premium over its elapsed part:
 * the longer that part, the less a single moment moves the rate. @throws Missed, ApiError
 */
export async function runningFunding(question: CheckQuestion): Promise<Check> {
  const { symbol, ask, checkedVenue, archive, now, transit } = question;
  const { marks } = checkedVenue.client;
  const published = await publishedRunningRate(question);
  const length = await publishedInterval(ask, symbol);
  if (marks === undefined) throw cannotBeAsked(checkedVenue, 'running funding rates');
  const [row] = await marks([symbol], now());
  if (row === undefined) throw new Missed('NO_SUCH_ROW', `no running rate of ${symbol}`);
  const [elapsed, at] = [published.takenAt % length, now()];
  // Around a settlement the two rates may be of different intervals. That is no fault of the feed, so it is no missing row.
  if (elapsed < settlementGrace + transit || published.takenAt - elapsed + length <= at + transit)
    throw new Missed('CANNOT_BE_ASKED', 'one interval ends and another begins');
  const rows = await archive.last('marks', { symbol, count: day / snapshotStep, to: published.time });
  const moveAllowance =
    newestWeight * premiumDeviation(rows, length) * Math.min(1, (at - published.takenAt + transit) / elapsed);
  // A rate is published with eight decimals.
  const tolerance = { absolute: 0.51e-8 + moveAllowance };
  return { published, ...presentAnswer(published, { value: row.estFunding, now: at, transit }), tolerance };
}

/**
 * Estimates from the moves of the rate how far a moment's premium has been from the mean of its interval. The result is
 * between `invisibleMove` and `maxDeviation`.
 */
function premiumDeviation(rows: readonly Mark[], length: number): number {
  const distances = rows.slice(1).map((row, index) => {
    const before = rows[index];
    const elapsed = row.time % length;
    if (before === undefined || row.time - before.time > elapsed) return 0;
    return (Math.abs(row.estFunding - before.estFunding) * elapsed) / (row.time - before.time);
  });
  return Math.min(Math.max(invisibleMove, ...distances), maxDeviation);
}
