import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer, QueryInput } from '../contract/index.ts';
import { ifOffered } from '../runtime/errors.ts';

export type Coverage = EndpointAnswer<'venueLiquidations'>['coverage'];

/** A liquidation; its venue where the service tells those of several. */
export type LiquidationRow = EndpointAnswer<'liquidations'>['data'][number] & { readonly venue?: string };

/** Asks for the liquidations at all venues; of a service that tells of one alone, for those. */
export async function allLiquidations(
  data: Pick<DataClient, 'liquidations' | 'venueLiquidations'>,
  query: QueryInput<'liquidations'>,
  signal?: AbortSignal,
): Promise<{ readonly data: readonly LiquidationRow[]; readonly coverage: Coverage }> {
  return (
    (await ifOffered(data.venueLiquidations(query, signal))) ?? {
      ...(await data.liquidations(query, signal)),
      coverage: [],
    }
  );
}
