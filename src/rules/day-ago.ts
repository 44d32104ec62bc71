import type { DataClient } from '../contract/data-client.ts';
import { closeDayBefore } from '../contract/day-ago.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour } from '../runtime/units.ts';

/** Closed hours that reach back over a day, with one to spare where the newest is not there yet. */
export const closedHours = 26;

/**
 * Returns the price of a market a day before `now` (market ms). Undefined: the service does not have it, because candles are
 * an extension of the interface or are missing there.
 */
export async function closeDayAgo(
  symbol: string,
  { data, now, signal }: { readonly data: DataClient; readonly now: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const answer = await ifAnswered(data.candles({ symbol, interval: '1h', limit: closedHours }, signal));
  const closes = (answer?.data ?? []).map(
    ({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const,
  );
  return closeDayBefore(closes, now);
}
