import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { day } from '../runtime/units.ts';

/** Markets of which the volume is asked in one turn: the requests are everyone's. */
const atOnce = 3;

/**
 * The markets of a data service that does not say which it tracks: those of its overview, the largest volume of 24 h
 * in USD first. It takes one question for each, a few at a time and anew each day; those not asked yet come last.
 */
export function createTracked(
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
      // What is merely out of reach is asked again; what the service has not, tomorrow.
      if (error instanceof ApiError && (error.reason === 'not_offered' || error.reason === 'invalid_request'))
        return 0;
      throw error;
    }
  }

  return {
    symbols: () => symbols,
    /** Throws ApiError; what is known by then stays. */
    async refresh(signal?: AbortSignal): Promise<void> {
      const { coins } = await data.marketOverview({}, signal);
      const rank = () => {
        const usd = ({ symbol }: { readonly symbol: string }) => volumes.get(symbol)?.usd ?? -1;
        symbols = coins
          .toSorted((a, b) => usd(b) - usd(a) || (a.symbol < b.symbol ? -1 : 1))
          .map(({ symbol }) => symbol);
      };
      rank();
      const due = coins.filter(({ symbol }) => {
        const known = volumes.get(symbol);
        return known === undefined || wall.now() - known.at >= day;
      });
      for (const { symbol, price } of due.slice(0, atOnce)) {
        volumes.set(symbol, { usd: price * (await volumeOf(symbol, signal)), at: wall.now() });
      }
      rank();
    },
  };
}
