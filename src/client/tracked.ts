import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { day } from '../runtime/units.ts';

/** The most markets whose volume is requested in one refresh: few, because all callers share the budget of requests. */
const maxVolumesPerRefresh = 3;

/**
 * Keeps the list of markets for a data service that does not report which markets it tracks. The list has the markets of
 * the service's overview, the largest 24-hour volume in USD first. The volumes take one request per market: a few in each
 * refresh, and again each day. Markets with an unknown volume come last.
 */
export function createTrackedSymbols(
  data: Pick<DataClient, 'marketOverview' | 'volumeCvd'>,
  wall: Pick<WallClock, 'now'>,
) {
  const volumes = new Map<string, { readonly usd: number; readonly at: number }>();
  let symbols: readonly string[] = [];

  async function volumeOf(symbol: string, signal?: AbortSignal): Promise<number> {
    try {
      const { data: rows } = await data.volumeCvd({ symbol, hours: 24 }, signal);
      return rows.reduce((sum, { buyVolume, sellVolume }) => sum + buyVolume + sellVolume, 0);
    } catch (error) {
      // Volume 0 is kept for a day if the service has no data for the market. Any other error is retried at the next refresh.
      if (error instanceof ApiError && (error.reason === 'not_offered' || error.reason === 'invalid_request'))
        return 0;
      throw error;
    }
  }

  return {
    symbols: () => symbols,
    /** Updates the list. Results obtained before an error are kept. @throws ApiError */
    async refresh(signal?: AbortSignal): Promise<void> {
      const { coins } = await data.marketOverview({}, signal);
      const sortSymbols = () => {
        const usd = ({ symbol }: { readonly symbol: string }) => volumes.get(symbol)?.usd ?? -1;
        // A list of no market is none: all that is followed would be unknown.
        if (coins.length === 0) return;
        symbols = coins
          .toSorted((a, b) => usd(b) - usd(a) || (a.symbol < b.symbol ? -1 : 1))
          .map(({ symbol }) => symbol);
      };
      sortSymbols();
      const due = coins.filter(({ symbol }) => {
        const volume = volumes.get(symbol);
        return volume === undefined || Math.abs(wall.now() - volume.at) >= day;
      });
      for (const { symbol, price } of due.slice(0, maxVolumesPerRefresh)) {
        volumes.set(symbol, { usd: price * (await volumeOf(symbol, signal)), at: wall.now() });
      }
      sortSymbols();
    },
  };
}
