import type { DataClient } from '../contract/data-client.ts';
import { ApiError, ifAnswered } from '../runtime/errors.ts';

/** Hours between two settlements of each market, by symbol. Markets with an unknown interval are left out. */
export type FundingHours = ReadonlyMap<string, number>;

/**
 * Requests the funding intervals for a caller that judges rates by them. Returns an empty map if the service lacks this
 * extension: no interval will be known later either.
 * @throws ApiError if the request fails
 */
export async function askFundingHours(
  data: Pick<DataClient, 'fundingIntervals'>,
  signal: AbortSignal,
): Promise<FundingHours> {
  try {
    const { data: rows } = await data.fundingIntervals({}, signal);
    return new Map(rows.map(({ symbol, hours }) => [symbol, hours]));
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'not_offered') return new Map();
    throw error;
  }
}

/**
 * Requests the funding intervals for a caller that only shows them. Returns an empty map if the request fails, because
 * the interval is an additional figure without which the caller can go on.
 */
export const fundingHours = async (
  data: Pick<DataClient, 'fundingIntervals'>,
  signal: AbortSignal,
): Promise<FundingHours> => (await ifAnswered(askFundingHours(data, signal))) ?? new Map();
