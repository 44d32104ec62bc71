import type { DataClient } from '../contract/data-client.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { day, hour, msOf } from '../runtime/units.ts';

/** Closed hours that reach back over a day, with one to spare where the newest is not there yet. */
export const closedHours = 26;
/** A close this long ago or longer, ms, is not that of a day ago: hours are missing. */
export const maxDayAgo = day + 2 * hour;

/**
 * Returns the price of a market a day ago: its last hourly close at least 24 h before `now` (market ms). Undefined: the
 * service does not have it, because candles are an extension of the interface or are missing there.
 */
export async function closeDayAgo(
  symbol: string,
  { data, now, signal }: { readonly data: DataClient; readonly now: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const answer = await ifAnswered(data.candles({ symbol, interval: '1h', limit: closedHours }, signal));
  const age = (openTime: string) => now - msOf(openTime) - hour;
  const row = answer?.data.findLast(({ open_time }) => age(open_time) >= day);
  return row === undefined || age(row.open_time) >= maxDayAgo ? undefined : Number(row.c);
}
