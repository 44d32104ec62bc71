import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';

/** Hours between two settlements of each market, by symbol. Markets with an unknown interval are left out. */
export type FundingHours = ReadonlyMap<string, number>;

/**
 * Requests the funding intervals. Returns an empty map if the request fails, because the interval is an additional figure
 * without which callers can go on.
 */
export async function fundingHours(
  data: Pick<DataClient, 'fundingIntervals'>,
  signal: AbortSignal,
): Promise<FundingHours> {
  try {
    const { data: rows } = await data.fundingIntervals({}, signal);
    return new Map(rows.map(({ symbol, hours }) => [symbol, hours]));
  } catch (error) {
    if (error instanceof ApiError) return new Map();
    throw error;
  }
}
