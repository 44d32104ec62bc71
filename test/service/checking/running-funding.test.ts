import { expect, it } from 'vitest';
import { hour, iso, minute, second } from '#src/runtime/units.ts';
import type { SeriesRows } from '#src/service/archive/archive.ts';
import { compare } from '#src/service/checking/compare.ts';
import { Missed } from '#src/service/checking/missed.ts';
import type { AskOwn } from '#src/service/checking/published.ts';
import type { CheckQuestion } from '#src/service/checking/question.ts';
import { runningFunding } from '#src/service/checking/running-funding.ts';
import { loadVenue } from '#src/service/venues/venue.ts';

const [symbol, begin] = ['BTCUSDT', Date.UTC(2026, 0, 1, 8)];
const step = 5 * minute;
const venue = await loadVenue('binance');

interface Given {
  /** How much of the 8 h interval had passed when our value was taken, ms. */
  readonly gone?: number;
  /** Time between our value and the exchange's, ms. */
  readonly apart?: number;
  readonly asked?: number;
  /** How far the rate moved every five minutes during the hour before. */
  readonly moving?: number;
  /** Whether our value was filled in from settlements. */
  readonly filled?: boolean;
}

/** Compares our rate of 0.0001 with the exchange's. */
async function verdict({ gone = 4 * hour, apart = 2 * minute, asked = 0.0001, moving = 0, filled }: Given) {
  const taken = begin + gone;
  const [stamp, now] = [Math.floor(taken / step) * step, taken + apart];
  const row = (time: number, estFunding: number) => ({
    symbol,
    time,
    markPrice: 1,
    indexPrice: 1,
    estFunding,
  });
  const rows = Array.from({ length: 12 }, (_, age) => row(stamp - (11 - age) * step, moving * (age % 2)));
  const answers: Readonly<Record<string, object>> = {
    venueMarkets: { data: [{ symbol, rate: 0.0001, timestamp: iso(stamp) }] },
    fundingIntervals: { data: [{ symbol, hours: 8, timestamp: iso(begin) }] },
  };
  const client = {
    ...{ close: async () => {}, serverTime: async () => now, listings: async () => [] },
    marks: async () => [row(now, asked)],
  };
  const question: CheckQuestion = {
    symbol,
    ask: (async (name: string) => answers[name]) as unknown as AskOwn,
    checkedVenue: { venue, title: 'Binance', client },
    archive: {
      get: async () => (filled ? undefined : { [stamp]: taken }),
      last: async () => rows as SeriesRows['marks'][] as never,
      liquidations: async () => [],
    },
    now: () => now,
    transit: 2 * second,
    listings: client.listings,
  };
  try {
    const { published, asked: answer, ...rest } = await runningFunding(question);
    return compare({ published, asked: answer }, rest).verdict;
  } catch (error) {
    if (error instanceof Missed) return error.reason;
    throw error;
  }
}

it.each<[string, Given, string]>([
  ['the same is the same', {}, 'WITHIN'],
  ['late in its interval it hardly moves', { asked: 0.000107 }, 'WITHIN'],
  ['and no further', { asked: 0.00012 }, 'BEYOND'],
  ['so one of the other sign is another rate', { asked: -0.0001 }, 'BEYOND'],
  ['early in its interval it moves as the premium does', { gone: 5 * minute, asked: 0.0004 }, 'WITHIN'],
  ['further where it has moved further', { asked: 0.00012, moving: 0.00004 }, 'WITHIN'],
  ['but a wild one is not excused by its wildness', { asked: 0.001, moving: 0.05 }, 'BEYOND'],
  ['the more time lies between the further', { asked: 0.00012, apart: 8 * minute }, 'WITHIN'],
  ['ours is late where it is long of another moment', { apart: 30 * minute }, 'LATE'],
  ['just after a settlement it may be either’s', { gone: 30 * second }, 'CANNOT_BE_ASKED'],
  ['nor is it compared across one', { gone: 8 * hour - minute, apart: 3 * minute }, 'CANNOT_BE_ASKED'],
  ['what was filled in from settlements is none', { filled: true }, 'NOT_PUBLISHED'],
])('a running rate: %s', async (_, given, expected) => {
  expect(await verdict(given)).toBe(expected);
});
