import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { marketClock, type WallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { minute, second } from '#src/runtime/units.ts';
import type { DataCheck } from '#src/service/archive/archive.ts';
import { type CheckSettings, keepDataChecks, symbolsIn } from '#src/service/checking/keep-data-checks.ts';
import type { Exchanges } from '#src/service/venues/open-exchanges.ts';
import { loadVenue } from '#src/service/venues/venue.ts';

const start = Date.UTC(2026, 0, 1, 0, 1);
const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];

/** Runs the rounds of an hour of wall time over a service that publishes nothing. */
async function rounds(settings: CheckSettings | undefined, { speed = 1, failing = 0 } = {}) {
  const ending = new AbortController();
  let now = 0;
  const wall: WallClock = {
    now: () => now,
    // Timeouts sleep beside a request; only the pause between rounds is waited for to its end.
    sleep: async (ms, signal) => {
      if (ms === 30 * second && signal !== ending.signal) return new Promise(() => {});
      now += ms;
      if (now > 60 * minute) ending.abort();
    },
  };
  const venue = await loadVenue('binance');
  const markets = { close: async () => {}, serverTime: async () => 0, listings: async () => [] };
  const written: (readonly DataCheck[])[] = [];
  const at: number[] = [];
  let writes = 0;
  await keepDataChecks({
    settings,
    archive: {
      liquidations: async () => [],
      get: async () => undefined,
      last: async () => [],
      async writeDataChecks(rows) {
        writes += 1;
        if (writes <= failing) throw new Error('the disk is full');
        written.push(rows);
        at.push(now);
      },
    },
    bodies: { get: () => Promise.reject(new ApiError('/oi', 'server_error', 'nothing yet')) },
    source: 'simulated',
    venues: {
      exchanges: () => ({ venue, markets }) as unknown as Exchanges,
      otherVenues: () => [],
      universe: () => symbols,
    },
    clock: marketClock(wall, { market: start, wall: 0, speed }),
    wall,
    log: pino({ level: 'silent' }),
    after: Promise.resolve(),
    signal: ending.signal,
    onChecked: () => {},
  });
  return { written, at };
}

it('a round starts at once, and then every ten minutes, with three symbols in turn', async () => {
  const { written, at } = await rounds(undefined);
  expect(at.slice(1).map((time, index) => time - (at[index] ?? 0))).toEqual([
    90 * second,
    ...Array(at.length - 2).fill(10 * minute),
  ]);
  expect(at.length).toBe(7);
  expect(written.map((rows) => new Set(rows.map(({ symbol }) => symbol)).size)).toEqual(
    written.map((rows) => rows.length / 6),
  );
  expect(new Set(written.flat().map(({ symbol }) => symbol))).toEqual(new Set(symbols));
  for (const row of written.flat()) expect(row).toMatchObject({ reason: 'NOT_PUBLISHED' });
});

it('a faster market is checked at most every half minute, and not at all if checking is off', async () => {
  const { at } = await rounds(undefined, { speed: 240 });
  const pauses = at.slice(3).map((time, index) => time - (at[index + 2] ?? 0));
  expect(new Set(pauses)).toEqual(new Set([30 * second]));
  expect((await rounds({ every: minute, symbols: 0 })).at).toEqual([]);
});

it('every symbol is checked once before any is checked again, and a round has none twice', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.integer({ min: 1, max: 8 }), fc.nat(1_000), (length, count, pass) => {
      const all = Array.from({ length }, (_, index) => `COIN${index}USDT`);
      const asked = Array.from({ length: length * count }, (_, round) =>
        symbolsIn(pass * length + round, all, count),
      );
      for (const round of asked) expect(new Set(round).size).toBe(Math.min(count, length));
      if (count <= length) expect(asked.flat().slice(0, length).toSorted()).toEqual(all.toSorted());
    }),
  );
});

it('a round that cannot be stored is lost, and the next one follows', async () => {
  const { at } = await rounds({ every: 10 * minute, symbols: 1 }, { failing: 2 });
  expect(at.length).toBe(5);
});
