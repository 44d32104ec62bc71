import { describe, expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import { feeds } from '#src/rules/all-feeds.ts';
import { closeDayAgo } from '#src/rules/day-ago.ts';
import { pastOf, sampledPast } from '#src/rules/past.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient, now } from '#test/support/data.ts';

const signal = new AbortController().signal;
const symbol = 'BTCUSDT';
const fullHour = Math.floor(now / hour) * hour;

test('the past of a volume delta over 24 h has whole sums alone', async () => {
  const asked: number[] = [];
  const volumeCvd = async ({ hours = 24 }: { hours?: number | undefined } = {}) => {
    asked.push(hours);
    const rows = Array.from({ length: hours }, (_, index) => ({
      timestamp: iso(fullHour - (hours - index) * hour),
      cvd: index + 1,
      buyRatio: 50,
    }));
    return { data: rows };
  };
  const data = { ...dataClient(), volumeCvd } as unknown as DataClient;
  const values = async (hours: number) =>
    (await pastOf('cvd.total24h', { data, symbol, hours, now: fullHour + 1, signal })).map(
      ([, value]) => value,
    );
  expect(await values(24)).toEqual(Array(23).fill(24));
  expect(await values(100)).toEqual(Array(99).fill(24));
  // A week is the most that the service has, so that its first day lacks the day before.
  expect(await values(168)).toEqual(Array(145).fill(24));
  expect(asked).toEqual([48, 124, 168]);
});

test.each([
  [5 * minute, 10],
  [7.5 * minute, undefined],
])(
  'the change of open interest over an hour is not from a row that is %i ms older',
  async (older, change) => {
    const row = (at: number, oi: number) => ({ timestamp: iso(at), oi, ratePct: 0, accelerationPct: 0 });
    const oiMomentum = async () => ({ data: [row(now - hour - older, 100), row(now, 110)] });
    const data = { ...dataClient(), oiMomentum } as unknown as DataClient;
    const [reading] = await feeds.openInterest.read({ data, symbols: [symbol], now, signal });
    const found = reading?.values['oi.change1hPct'];
    if (change === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(change);
  },
);

test('the price of a day ago is known where the newest candle is of the hour that is still open', async () => {
  const newest = fullHour + hour;
  const candles = async ({ limit = 0 }: { limit?: number | undefined } = {}) => ({
    data: Array.from({ length: limit }, (_, index) => ({
      open_time: iso(newest - (limit - index) * hour),
      c: '100',
    })),
  });
  const asked = { ...dataClient(), candles } as unknown as DataClient;
  const at = fullHour + hour - 1;
  expect(await closeDayAgo(symbol, { data: asked, now: at, signal })).toBe(100);
});

describe('the past of a month has no holes where one answer ends and the next begins', () => {
  const span = { from: fullHour - 30 * 24 * hour, to: fullHour };
  /** Rows up to a moment, `step` ms apart, each with the values of `row`. */
  const rowsUpTo = (moment: number, { step, count }: { readonly step: number; readonly count: number }) =>
    Array.from({ length: count }, (_, index) =>
      iso(Math.floor(moment / step) * step - (count - 1 - index) * step),
    );

  test('of the volume delta over 24 h', async () => {
    const at = (moment: number) =>
      ({
        ...dataClient(),
        volumeCvd: async ({ hours = 24 }) => ({
          data: rowsUpTo(moment - hour, { step: hour, count: hours }).map((timestamp, index) => ({
            ...{ timestamp, cvd: index + 1, buyRatio: 50 },
          })),
        }),
      }) as unknown as DataClient;
    expect(await sampledPast('cvd.total24h', { symbol, at, signal, ...span })).toHaveLength(30 * 24 - 1);
  });

  test('of the change of open interest over an hour', async () => {
    const at = (moment: number) =>
      ({
        ...dataClient(),
        oiMomentum: async ({ hours = 6 }) => ({
          data: rowsUpTo(moment, { step: 5 * minute, count: hours * 12 }).map((timestamp) => ({
            ...{ timestamp, oi: 100, ratePct: 0, accelerationPct: 0 },
          })),
        }),
      }) as unknown as DataClient;
    const past = await sampledPast('oi.change1hPct', { symbol, at, signal, ...span });
    expect(past.length).toBeGreaterThan(30 * 24 * 12 - 12);
  });
});

describe('the change of a price over 24 h', () => {
  /** Hourly closes: one is `100 + n` n hours before the newest. */
  const candles = (newest: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const n = count - 1 - index;
      const close = String(100 + n);
      return {
        open_time: iso(newest - (n + 1) * hour),
        ...{ o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' },
      };
    });
  const service = (newest: number) => {
    const rows = candles(newest, 24);
    const intelligence = { ...answers.intelligence, symbol, price: 100, candles24h: rows };
    return dataClient({
      intelligence,
      candles: { symbol, interval: '1h', data: candles(newest, 26) },
    });
  };
  const changeOver = async (data: DataClient, at: number) =>
    (await feeds.coin.read({ data, symbols: [symbol], now: at, signal })).at(-1)?.values[
      'price.change24hPct'
    ];
  const changeTo = (close: number) => expect.closeTo((100 / close - 1) * 100, 9);

  test.each([
    ['just after a full hour', fullHour, fullHour + minute],
    ['just before one', fullHour, fullHour + 59 * minute],
  ])('compares with the close a day ago, not 23 hours ago: %s', async (_, newest, at) => {
    expect(await changeOver(service(newest), at)).toEqual(changeTo(124));
  });

  test('compares with that close also before the newest is there', async () => {
    expect(await changeOver(service(fullHour - hour), fullHour + minute)).toEqual(changeTo(123));
  });

  test('compares with the first of 24 closes if the service has no candles', async () => {
    const refused = new ApiError('/candles', 'not_offered', 'no such extension');
    const data = { ...service(fullHour), candles: async () => Promise.reject(refused) };
    expect(await changeOver(data, fullHour + minute)).toEqual(changeTo(123));
  });

  test('compares with it in the past as well', async () => {
    const past = await feeds.coin.read({ data: service(fullHour), symbols: [symbol], hours: 2, now, signal });
    expect(past.flatMap(({ values }) => values['price.change24hPct'] ?? [])).toEqual([
      expect.closeTo((101 / 125 - 1) * 100, 9),
      expect.closeTo((100 / 124 - 1) * 100, 9),
    ]);
  });
});

describe('a change over hours that are missing in part', () => {
  /** Hourly rows, of which some of the hours before the newest are missing. */
  const agesWithout = (missing: readonly number[], count: number) =>
    Array.from({ length: count }, (_, index) => count - 1 - index).filter((age) => !missing.includes(age));

  test('of a price is over 24 h nevertheless, or not known', async () => {
    const data = agesWithout([5, 6, 7], 49).map((age) => {
      const close = String(100 + age);
      return {
        open_time: iso(fullHour - (age + 1) * hour),
        ...{ o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' },
      };
    });
    const service = dataClient({ candles: { symbol, interval: '1h', data } });
    const past = await feeds.coin.read({ data: service, symbols: [symbol], hours: 24, now, signal });
    const changes = past.flatMap(({ time, values }) => {
      const change = values['price.change24hPct'];
      return change === undefined ? [] : [[(fullHour - time) / hour, change]];
    });
    expect(changes).toEqual(
      agesWithout([5, 6, 7], 25).map((age) => [
        age,
        expect.closeTo(((100 + age) / (124 + age) - 1) * 100, 9),
      ]),
    );
  });

  test('of open interest over an hour is not known, as in /oi/movers', async () => {
    const row = (age: number, oi: number) => ({
      timestamp: iso(fullHour - age * 5 * minute),
      ...{ oi, ratePct: 0, accelerationPct: 0 },
    });
    const rows = [row(40, 100), row(2, 150), row(1, 150), row(0, 150)];
    const oiMomentum = { ...answers.oiMomentum, data: rows };
    const read = (data: DataClient) => feeds.openInterest.read({ data, symbols: [symbol], now, signal });
    const changeOf = async (data: DataClient) => (await read(data)).at(-1)?.values['oi.change1hPct'];
    expect(await changeOf(dataClient({ oiMomentum }))).toBeUndefined();
    const complete = { ...oiMomentum, data: [row(13, 100), row(2, 150), row(1, 150), row(0, 150)] };
    expect(await changeOf(dataClient({ oiMomentum: complete }))).toBeCloseTo(50, 9);
  });

  test('of the volume delta sums no hours before the day', async () => {
    let cvd = 0;
    const rows = agesWithout([5, 6, 7], 48).map((age) => {
      cvd += 1;
      return { timestamp: iso(fullHour - (age + 1) * hour), cvd, buyRatio: 50 };
    });
    const data = { ...dataClient(), volumeCvd: async () => ({ data: rows }) } as unknown as DataClient;
    const past = await pastOf('cvd.total24h', { data, symbol, hours: 24, now: fullHour + 1, signal });
    expect(past.at(-1)?.[1]).toBe(21);
  });
});
