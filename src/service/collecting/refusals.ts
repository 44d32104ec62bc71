import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { VenueClient } from '../venues/venue.ts';

/**
 * The client, watched for answers by which a venue refuses this country or address. `onRefused` is called at the first
 * such answer while nothing is `settled`; later only at a second one that comes after the rest it asked for, with no
 * good answer between.
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
  /** Wall ms at which the rest after the first refusal is over. */
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
