import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { VenueClient } from '../venues/venue.ts';

/**
 * Wraps a client to notice responses by which a venue refuses this country or address. While `settled` returns false,
 * `onRefused` is called at each such response. Later it is called only if a refusal repeats after the pause that the first
 * one asked for, with no successful response in between.
 */
export function watchRefusals(
  markets: VenueClient,
  {
    wall,
    settled,
    onRefused,
  }: {
    readonly wall: Clock;
    readonly settled: () => boolean;
    readonly onRefused: () => void;
  },
): VenueClient {
  /** When the pause after the first refusal is over, wall ms. */
  let rested: number | undefined;
  const seen = (error: unknown) => {
    if (!(error instanceof ApiError) || error.reason !== 'unauthorized') return;
    if (!settled() || (rested !== undefined && wall.now() >= rested)) onRefused();
    rested ??= wall.now() + (error.retryAfter ?? 0);
  };
  return new Proxy(markets, {
    get(client, name) {
      const method: unknown = Reflect.get(client, name);
      if (typeof method !== 'function' || name === 'close') return method;
      return async (...args: readonly unknown[]) => {
        try {
          const answer: unknown = await method.apply(client, args);
          rested = undefined;
          return answer;
        } catch (error) {
          seen(error);
          throw error;
        }
      };
    },
  });
}
