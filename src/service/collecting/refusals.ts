import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { VenueClient } from '../venues/venue.ts';

/**
 * The client, with an eye on what it says of this place. `onRefused`: it does not serve it. While nothing is `settled`
 * the first refusal says so; later one that follows another by the rest that was asked for, and no answer between.
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
