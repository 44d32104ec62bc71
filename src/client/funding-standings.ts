import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';

/** By symbol, how a market's funding rate compares with its rates of the last 30 days. */
type FundingStandings = ReadonlyMap<string, EndpointAnswer<'fundingStandings'>['data'][number]>;

/** Requests the standings. Returns undefined if the service lacks this extension. @throws ApiError if the request fails */
export async function fundingStandings(
  data: Pick<DataClient, 'fundingStandings'>,
  signal: AbortSignal,
): Promise<FundingStandings | undefined> {
  try {
    const { data: rows } = await data.fundingStandings({}, signal);
    return new Map(rows.map((row) => [row.symbol, row]));
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'not_offered') return undefined;
    throw error;
  }
}
