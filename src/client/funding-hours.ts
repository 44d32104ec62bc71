import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';

/** Hours between two settlements of each market, by symbol; a market of which it is unknown is not there. */
export type FundingHours = ReadonlyMap<string, number>;

/** A figure beside others: what cannot be had is unknown, and no answer fails for it. */
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
