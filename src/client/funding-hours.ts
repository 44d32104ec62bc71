import type { DataClient } from '../contract/data-client.ts';
import { ifAnswered, ifOffered } from '../runtime/errors.ts';

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
  const answer = await ifOffered(data.fundingIntervals({}, signal));
  return new Map(answer?.data.map(({ symbol, hours }) => [symbol, hours]));
}

/**
 * Requests the funding intervals for a caller that only shows them. Returns an empty map if the request fails, because
 * the interval is an additional figure without which the caller can go on.
 */
export const fundingHours = async (
  data: Pick<DataClient, 'fundingIntervals'>,
  signal: AbortSignal,
): Promise<FundingHours> => (await ifAnswered(askFundingHours(data, signal))) ?? new Map();
