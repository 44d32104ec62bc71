import { afterEach, beforeEach, expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import { openOtherVenues } from '#src/service/venues/others.ts';
import { loadVenues, type Venue } from '#src/service/venues/venue.ts';
import { calmMarket } from '#test/support/calm-market.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

const venues = await loadVenues();
const names = (all: readonly { readonly venue: Venue }[]) => all.map(({ venue }) => venue.name).sort();

let played: SimulatedExchanges;
let fault: (path: string) => Fault | undefined;
let documents: Map<string, unknown>;
let ending: AbortController;

beforeEach(async () => {
  [fault, documents, ending] = [() => undefined, new Map(), new AbortController()];
  played = await startExchanges({
    market: calmMarket,
    clock: realTime(wallClock),
    fault: (path) => fault(path),
  });
});
afterEach(async () => {
  ending.abort();
  await played.close();
});

const open = () =>
  openOtherVenues(played.urls, {
    venues,
    wall: wallClock,
    signal: ending.signal,
    memory: {
      get: async (key) => documents.get(key),
      put: async (key, value) => void documents.set(key, JSON.parse(JSON.stringify(value))),
    },
  });

it('the others are all venues but the current primary one', async () => {
  const others = await open();
  const all = names(others.except(undefined));
  expect(all).toEqual(Object.keys(played.urls.venues).sort());
  for (const primary of all)
    expect(names(others.except(primary))).toEqual(all.filter((name) => name !== primary));
  expect(others.except(undefined).map(({ client }) => client)).toEqual(
    others.except(undefined).map(({ client }) => client),
  );
  await others.close();
});

it('the venues are independent: one that refuses does not affect the others', async () => {
  fault = (path) => (path.startsWith('/fapi/') ? { kind: 'answer', status: 451, body: '' } : undefined);
  const others = await open();
  const asked = await Promise.allSettled(
    others.except(undefined).map(async ({ venue, client }) => [venue.name, await client.serverTime()]),
  );
  expect(asked.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await others.close();
});

it('a refusal is remembered over a restart, and the venue is not contacted during its pause', async () => {
  fault = (path) => (path.startsWith('/fapi/') ? { kind: 'answer', status: 451, body: '' } : undefined);
  const binance = async () => {
    const others = await open();
    const [found] = others.except('hyperliquid').filter(({ venue }) => venue.name === 'binance');
    const error = await found?.client.serverTime().catch((problem: unknown) => problem);
    await others.close();
    return error;
  };
  expect(await binance()).toMatchObject({ reason: 'unauthorized' });
  fault = () => ({ kind: 'reset' });
  expect(await binance()).toMatchObject({ reason: 'unauthorized', retryAfter: expect.any(Number) });
  expect(((await binance()) as { retryAfter: number }).retryAfter).toBeLessThan(hour);
});
