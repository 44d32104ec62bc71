import { expect, it } from 'vitest';
import type { Fact } from '#src/alert/alert.ts';
import type { HourlyPrice, Outcome } from '#src/alert/outcome.ts';
import { aftermathOf } from '#src/app/console/aftermath.ts';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { firing, next } from '#test/support/alerts.ts';

const full = Date.UTC(2025, 10, 21, 12);
const half = full + 30 * minute;
/** 100 a day before, then 1 more every hour. */
const prices: HourlyPrice[] = Array.from({ length: 49 }, (_, n) => ({
  at: full - day + n * hour,
  price: 100 + n,
}));
const record: Fact = { name: 'Record', value: 'no evidence yet' };

async function after(
  startsAt: number,
  given: {
    readonly hourly?: readonly HourlyPrice[];
    readonly posted?: readonly Partial<Outcome>[];
    readonly record?: Fact;
    readonly now?: number;
    readonly alert?: Partial<Parameters<typeof next>[1]>;
    readonly endsAt?: number;
  } = {},
) {
  const { hourly = prices, posted = [], now = full + 2 * day } = given;
  const alert = firing({ symbol: 'ETHUSDT' }, startsAt);
  const card = await aftermathOf({
    outcomes: {
      prices: async (_, { symbol, since }) =>
        symbol === 'ETHUSDT' ? hourly.filter(({ at }) => at >= since) : [],
      posted: async () => posted as Outcome[],
    },
    records: { factOf: () => given.record },
    market: 'simulated 7',
    now: () => now,
  })(given.alert === undefined ? alert : next(alert, given.alert, given.endsAt ?? startsAt + 3 * hour));
  return card && sayCard(card, plainReader);
}
const facts = (card: Awaited<ReturnType<typeof after>>) => card?.facts?.map(({ value }) => value);

it('the aftermath shows the price 1, 4 and 24 hours later, and the record of the alert’s kind', async () => {
  const card = await after(full, { record });
  expect(card?.title).toBe('ETH price afterwards');
  expect(card?.summary).toBeUndefined();
  expect(facts(card)).toEqual([
    '124.00',
    '125.00 · +0.81%',
    '128.00 · +3.23%',
    '148.00 · +19.35%',
    record.value,
  ]);
});

it('prices recorded on time take precedence over interpolated ones, which are marked', async () => {
  const own = { firedAt: half, price: 200, after: [210, null, null], estimated: false };
  const card = await after(half, { record, posted: [{ firedAt: full, price: 1, after: [] }, own] });
  expect(facts(card)?.slice(0, 3)).toEqual(['200.00', '210.00 · +5.00%', '128.50 · −35.75%']);
  expect(card?.summary).toBe('Partly read between two hourly prices.');
});

it('a horizon that is not over, or whose price is unknown, is not guessed', async () => {
  const now = full + 2 * hour;
  const known = prices.filter(({ at }) => at <= now);
  expect(facts(await after(full, { hourly: known, now }))?.slice(1)).toEqual([
    '125.00 · +0.81%',
    'not yet',
    'not yet',
  ]);
  expect(facts(await after(full, { hourly: known }))?.slice(2)).toEqual(['not known', 'not known']);
});

it('the chart shows the day before, beginning and end, and the price at the beginning', async () => {
  const chart = (await after(full, { alert: { status: 'resolved' } }))?.chart;
  expect(chart?.series[0]?.points[0]).toEqual([full - day, 100]);
  expect(chart?.moments?.map(({ name, at }) => [name, at])).toEqual([
    ['Began', full],
    ['Ended', full + 3 * hour],
  ]);
  expect(chart?.marks?.map(({ value }) => value)).toEqual([124]);
});

it('the chart goes on until the last horizon, or four hours beyond a later end', async () => {
  const hourly = Array.from({ length: 100 }, (_, n) => ({ at: full - day + n * hour, price: 100 + n }));
  const lastOf = async (endsAt: number) => {
    const card = await after(full, { hourly, alert: { status: 'resolved' }, endsAt });
    return card?.chart?.series[0]?.points.at(-1)?.[0];
  };
  expect(await lastOf(full + 3 * hour)).toBe(full + day);
  expect(await lastOf(full + 30 * hour)).toBe(full + 34 * hour);
});

it('there is no aftermath without price and record, and only the record without a price', async () => {
  expect(await after(full, { hourly: [] })).toBeUndefined();
  const card = await after(full, { hourly: [], record });
  expect(facts(card)).toEqual([record.value]);
  expect(card?.chart).toBeUndefined();
});
