import { describe, expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { watchRefusals } from '#src/service/collecting/refusals.ts';
import type { VenueClient } from '#src/service/venues/venue.ts';

const rest = 1_000;
const refused = new ApiError('x', 'unauthorized', 'HTTP 451', { retryAfter: rest });
const down = new ApiError('x', 'server_error', 'HTTP 503');

/** The venue's answers by time, and whether the venue is given up after the last one. */
describe('a venue that refuses this place is given up', () => {
  it.each<[string, boolean, [at: number, answer: Error | number][], boolean]>([
    ['at once while nothing is settled', false, [[0, refused]], true],
    ['settled: not for one refusal', true, [[0, refused]], false],
    [
      'nor for those of its rest',
      true,
      [
        [0, refused],
        [rest - 1, refused],
      ],
      false,
    ],
    [
      'for one at the second look',
      true,
      [
        [0, refused],
        [rest, refused],
      ],
      true,
    ],
    [
      'not where it answered between',
      true,
      [
        [0, refused],
        [10, 7],
        [rest, refused],
      ],
      false,
    ],
    [
      'an outage is no refusal',
      false,
      [
        [0, down],
        [rest, down],
      ],
      false,
    ],
  ])('%s', async (_, settled, said, expected) => {
    let [now, given, next] = [0, false, said[0]?.[1]];
    const markets = watchRefusals(
      {
        serverTime: async () => {
          if (typeof next === 'number') return next;
          throw next;
        },
      } as Partial<VenueClient> as VenueClient,
      { wall: { now: () => now }, hasBeenComplete: () => settled, onRefused: () => (given = true) },
    );
    for (const [at, answer] of said) {
      [now, next] = [at, answer];
      await markets.serverTime().catch(() => {});
    }
    expect(given).toBe(expected);
  });
});
