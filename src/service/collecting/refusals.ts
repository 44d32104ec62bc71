import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { VenueClient } from '../venues/venue.ts';

/**
 * Wraps a client to notice responses by which a venue refuses this country or address. While `hasBeenComplete` returns false,
 * `onRefused` is called at each such response. Later it is called only if a refusal repeats after the pause that the first
 * one asked for, with no successful response in between.
 */
export function watchRefusals(
  markets: VenueClient,
  {
    wall,
    hasBeenComplete,
    onRefused,
  }: {
    readonly wall: Clock;
    readonly hasBeenComplete: () => boolean;
    readonly onRefused: () => void;
  },
): VenueClient {
  /** When the pause after the first refusal is over, wall ms. */
  let pauseEndsAt: number | undefined;
  const checkRefusal = (error: unknown) => {
    if (!(error instanceof ApiError) || error.reason !== 'unauthorized') return;
    if (!hasBeenComplete() || (pauseEndsAt !== undefined && wall.now() >= pauseEndsAt)) onRefused();
    pauseEndsAt ??= wall.now() + (error.retryAfter ?? 0);
  };
  return new Proxy(markets, {
    get(client, name) {
      const method: unknown = Reflect.get(client, name);
      if (typeof method !== 'function' || name === 'close') return method;
      return async (...args: readonly unknown[]) => {
        try {
          const answer: unknown = await method.apply(client, args);
          pauseEndsAt = undefined;
          return answer;
        } catch (error) {
          checkRefusal(error);
          throw error;
        }
      };
    },
  });
}
