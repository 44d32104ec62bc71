import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { ifOffered } from '../runtime/errors.ts';

/** By symbol, how a market's funding rate compares with its rates of the last 30 days. */
type FundingStandings = ReadonlyMap<string, EndpointAnswer<'fundingStandings'>['data'][number]>;

/** Requests the standings. Returns undefined if the service lacks this extension. @throws ApiError if the request fails */
export async function fundingStandings(
  data: Pick<DataClient, 'fundingStandings'>,
  signal: AbortSignal,
): Promise<FundingStandings | undefined> {
  const answer = await ifOffered(data.fundingStandings({}, signal));
  return answer && new Map(answer.data.map((row) => [row.symbol, row]));
}
