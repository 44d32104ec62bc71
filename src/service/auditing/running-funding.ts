import { day, minute } from '../../runtime/units.ts';
import type { Mark } from '../archive/archive.ts';
import { Missed } from './missed.ts';
import { publishedHours, publishedRunning } from './published.ts';
import { type AuditQuestion, type Check, lacks, present, step } from './question.ts';

/** Within a twentieth of a percent exchanges settle the interest alone: so far a premium moves unseen. */
const unseen = 0.0005;
/** No premium goes further than this from its mean as a rule: a feed gone wild must not excuse itself by its wildness. */
const furthest = 0.01;
/** For so long after a settlement an exchange may still tell the rate before it. */
const turning = minute;
/** A mean may weigh its newest moment twice as much as the others (Binance: ever more, from nothing). */
const newest = 2;

/**
 * What the running interval would be settled at is a mean of the premium over what has gone of it: the longer that is, the
 * less a moment moves it. @throws Missed, ApiError
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
  // A rate is published in eight decimals.
  const tolerance = { still: 0, grain: 0.51e-8 + moved, move: 0, per: step, blur: 0 };
  return { published, ...present(published, { value: row.estFunding, now: at, transit }), tolerance };
}

/** How far a moment's premium has been from the mean of its interval, by how the rate moved: at least and at most what is usual. */
function swing(rows: readonly Mark[], length: number): number {
  const distances = rows.slice(1).map((row, index) => {
    const before = rows[index];
    const gone = row.time % length;
    if (before === undefined || row.time - before.time > gone) return 0;
    return (Math.abs(row.estFunding - before.estFunding) * gone) / (row.time - before.time);
  });
  return Math.min(Math.max(unseen, ...distances), furthest);
}
