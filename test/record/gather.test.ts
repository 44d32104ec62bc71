import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Labels } from '#src/alert/alert.ts';
import { priceSymbolOf } from '#src/alert/outcome.ts';
import { createGatherer } from '#src/record/gather.ts';
import { priceBetween } from '#src/record/price-between.ts';
import { createRecords } from '#src/record/records.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, receiver, start } from '#test/support/alerts.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { ownStore } from '#test/support/own-store.ts';
import { post } from '#test/support/posting.ts';

const market = 'simulated 7';
const quarter = 15 * minute;
/** The price of the made-up market, which grows by one each minute. */
const priceAt = (at: number) => 100_000 + (at - start) / minute;

let store: Store;
beforeEach(async () => {
  store = await ownStore();
});

/** Creates a service with an overview that is `age` ms old, over a market with a price per minute. */
function world(given: { age?: number; candles?: 'none' | 'refused'; symbols?: readonly string[] } = {}) {
  const at = { now: start };
  const asked = { overview: 0, candles: 0 };
  let down: ApiError | undefined;
  const { marketOverview: shape } = answers;
  const data = {
    ...dataClient(),
    async marketOverview() {
      asked.overview += 1;
      if (down !== undefined) throw down;
      const time = at.now - (given.age ?? 0);
      const [coin] = shape.coins;
      const { symbols = ['BTCUSDT'] } = given;
      const coins = symbols.flatMap((symbol) =>
        coin === undefined ? [] : [{ ...coin, symbol, price: priceAt(time) }],
      );
      return { ...shape, coins, timestamp: iso(time) };
    },
    async candles() {
      asked.candles += 1;
      if (given.candles === 'refused') throw new ApiError('/candles', 'rate_limited', 'no budget left');
      if (given.candles === 'none') throw new ApiError('/candles', 'not_offered', 'no');
      if (down !== undefined) throw down;
      const last = Math.floor(at.now / hour) * hour - hour;
      const rows = Array.from({ length: 1_000 }, (_, n) => last - (999 - n) * hour);
      return {
        symbol: 'BTCUSDT',
        interval: '1h',
        data: rows.map((open) => {
          const c = String(priceAt(open + hour));
          return { open_time: iso(open), o: c, h: c, l: c, c, v: '1', quote_volume: '1' };
        }),
      };
    },
  };
  const turn = createGatherer({
    data,
    outcomes: store.outcomes,
    market,
    now: () => at.now,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  });
  return {
    asked,
    fail: (error: ApiError | undefined) => {
      down = error;
    },
    turnAt: (time: number) => {
      at.now = time;
      return turn();
    },
  };
}

const fired = start + quarter;
const alert = firing({ symbol: 'BTCUSDT' }, fired);
const follow = () =>
  store.dispatch((unit) => unit.followPrice(alert, { market, symbol: 'BTCUSDT', prediction: 'move' }));
/** Posts the alert and returns its outcome. */
async function outcome() {
  await post(store, alert);
  return (await store.outcomes.posted(market))[0];
}

it('a call on a market without alerts is judged at once, by the hours before it, and by those the bot missed', async () => {
  const author = { receiver: receiver('here'), who: 'ada', person: null, at: fired };
  await store.change(author, ({ calls }) =>
    calls.add({
      receiver: author.receiver,
      symbol: 'BTCUSDT',
      side: 'long',
      horizon: hour,
      at: fired,
      createdBy: 'ada',
      name: 'ada',
    }),
  );
  const { turnAt } = world();
  const later = fired + 9 * hour;
  expect(await turnAt(later)).toBe(true);
  const records = createRecords({ kinds: [], market, now: () => later, outcomes: store.outcomes });
  expect(await records.callers(await store.calls.of(author.receiver))).toMatchObject([
    { caller: 'ada', n: 1, hits: 1, open: 0 },
  ]);
});

describe('a price', () => {
  it('is the overview’s when the alert fires and 1, 4 and 24 hours later', async () => {
    await follow();
    const { turnAt } = world();
    for (const after of [0, hour, 4 * hour, day]) expect(await turnAt(fired + after)).toBe(true);
    const [first, ...later] = [0, hour, 4 * hour, day].map((after) => priceAt(fired + after));
    expect(await outcome()).toMatchObject({ price: first, after: later, estimated: false });
  });

  it('is the overview’s in each of many markets at once, while few candles are requested in a turn', async () => {
    const symbols = Array.from({ length: 30 }, (_, index) => `C${index}USDT`);
    await store.dispatch(async (unit) => {
      for (const symbol of symbols)
        await unit.followPrice(firing({ symbol }, fired), { market, symbol, prediction: 'move' });
    });
    const { turnAt, asked } = world({ symbols });
    expect(await turnAt(fired)).toBe(true);
    expect(await store.outcomes.due(market, { now: fired, limit: 100 })).toEqual([]);
    expect(asked.candles).toBeLessThanOrEqual(4);
    for (let turn = 1; turn < 20; turn += 1) {
      const before = asked.candles;
      await turnAt(fired + turn * minute);
      expect(asked.candles - before).toBeLessThanOrEqual(4);
    }
    expect(asked.candles).toBe(symbols.length);
  });

  it('is the overview’s although the candles that an earlier alert waits for are refused', async () => {
    const late = firing({ symbol: 'ETHUSDT' }, fired - 3 * hour);
    await store.dispatch((unit) => unit.followPrice(late, { market, symbol: 'ETHUSDT', prediction: 'move' }));
    await follow();
    const { turnAt } = world({ candles: 'refused' });
    expect(await turnAt(fired)).toBe(true);
    expect(await outcome()).toMatchObject({ price: priceAt(fired), estimated: false });
  });

  it('from before the alert is not used, because it would include the move that caused the alert', async () => {
    await follow();
    const { turnAt } = world({ age: 2 * minute });
    expect(await turnAt(fired)).toBe(false);
    expect(await turnAt(fired + 2 * minute)).toBe(true);
    expect((await outcome())?.price).toBe(priceAt(fired));
  });

  it('after a downtime is interpolated between two hourly prices, and marked as estimated', async () => {
    await follow();
    const { turnAt } = world();
    await turnAt(fired);
    for (let n = 0; n < 3; n += 1) await turnAt(fired + 2 * day);
    const known = await outcome();
    expect(known).toMatchObject({ price: priceAt(fired), estimated: true });
    for (const [index, after] of [hour, 4 * hour, day].entries())
      expect(known?.after[index]).toBeCloseTo(priceAt(fired + after), 0);
  });

  it('is missing for good if the bot was off and no candles are offered', async () => {
    await follow();
    const { turnAt, asked } = world({ candles: 'none' });
    await turnAt(fired);
    for (let n = 0; n < 4; n += 1) await turnAt(fired + 2 * day);
    expect(await outcome()).toMatchObject({ price: priceAt(fired), after: [null, null, null] });
    expect(await store.outcomes.due(market, { now: fired + 9 * day, limit: 9 })).toEqual([]);
    expect(asked.candles).toBe(1);
  });

  it('is requested again while the service cannot be reached, and later taken from its candles', async () => {
    await follow();
    const { turnAt, fail } = world();
    fail(new ApiError('/market/overview', 'unreachable', 'refused'));
    expect(await turnAt(fired)).toBe(false);
    expect(await turnAt(fired + 2 * hour)).toBe(false);
    fail(undefined);
    expect(await turnAt(fired + 3 * hour)).toBe(true);
    expect((await outcome())?.price).toBeCloseTo(priceAt(fired), 0);
  });

  it('that cannot be found is given up after a day', async () => {
    await follow();
    const { turnAt, fail } = world();
    fail(new ApiError('/market/overview', 'unreachable', 'refused'));
    await turnAt(fired + hour);
    fail(new ApiError('/candles', 'invalid_request', 'no such symbol'));
    for (let n = 0; n < 6; n += 1) await turnAt(fired + 3 * day + n * minute);
    expect(await outcome()).toMatchObject({ price: null, after: [null, null, null] });
  });
});

describe('hourly prices', () => {
  it('are stored for every hour, with one request each, whether or not there are alerts', async () => {
    const { turnAt, asked } = world();
    for (let at = start; at < start + 5 * hour; at += minute) await turnAt(at);
    expect(asked.overview).toBe(5);
    const kept = await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: start });
    expect(kept.map(({ at, price }) => [at - start, price])).toEqual(
      [0, 1, 2, 3, 4].map((h) => [h * hour, priceAt(start + h * hour)]),
    );
  });

  it('of an hour that the bot missed are omitted instead of taken from another time', async () => {
    const { turnAt } = world({ candles: 'none' });
    await turnAt(start);
    await turnAt(start + hour + 30 * minute);
    expect(await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: start })).toHaveLength(1);
  });

  it('come from candles for a symbol with an alert, once a day', async () => {
    const { turnAt, asked } = world();
    await follow();
    for (let at = fired; at < fired + day; at += quarter) await turnAt(at);
    expect(asked.candles).toBe(1);
    expect(await store.outcomes.prices(market, { symbol: 'BTCUSDT', since: 0 })).toHaveLength(1_000 + 24);
  });
});

it.each([
  ['its symbol', { symbol: 'ETHUSDT' }, 'ETHUSDT'],
  ['bitcoin, where it is of the whole market', { to: 'RISK_OFF' }, 'BTCUSDT'],
])('an alert is judged by the price of %s', (_, labels, symbol) => {
  expect(priceSymbolOf({ kind: 'k', ...labels } as Labels)).toBe(symbol);
});

it.each([
  ['at a full hour is that hour’s', 0, 100],
  ['between two lies between them', 30 * minute, Math.sqrt(100 * 400)],
  ['beside a gap is not known', hour + minute, undefined],
])('a price %s', (_, after, price) => {
  const hours = [
    { at: start, price: 100 },
    { at: start + hour, price: 400 },
  ];
  const known = priceBetween(hours, start + after);
  if (price === undefined) expect(known).toBeUndefined();
  else expect(known).toBeCloseTo(price);
});
