import { onTestFinished } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import type { Venue } from '#src/service/venues/venue.ts';
import { calmMarket } from '../calm-market.ts';
import { type SimulatedExchangesOptions, startExchanges } from './exchanges.ts';

/** When played venues stand still. */
export const playedNow = Date.UTC(2025, 5, 3, 10, 7, 30);

/** Plays the exchanges for one test, at `time`, and opens the clients of a venue over them. */
export async function playVenue(
  venue: Venue,
  time: () => number = () => playedNow,
  options: Partial<SimulatedExchangesOptions> = {},
) {
  const asked: string[] = [];
  const ending = new AbortController();
  const played = await startExchanges({
    market: calmMarket,
    clock: realTime({ now: time }),
    fault: (path) => void asked.push(path),
    ...options,
  });
  const exchanges = openExchanges(played.urls, { venue, wall: wallClock, signal: ending.signal });
  onTestFinished(async () => {
    ending.abort();
    await exchanges.close();
    await played.close();
  });
  /** The paths of all requests. */
  return { asked, exchanges, markets: exchanges.markets, ending };
}
