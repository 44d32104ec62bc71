import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Transport } from '#src/service/exchanges/transport.ts';
import { type Exchanges, openExchanges, openVenue } from '#src/service/venues/open-exchanges.ts';
import { loadVenues, type VenueClient } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';

const now = Date.UTC(2025, 5, 3, 10, 7, 30);
const topOfHour = Math.floor(now / hour) * hour;
const lately = { from: topOfHour - hour, to: topOfHour };
/** The second market counts a thousand coins as one, and has other names at each venue. */
const both = ['BTCUSDT', '1000SHIBUSDT'];
const told: readonly string[] = ['quotes', 'liquidations', 'ticks'];

const steps = (page: { readonly from: number; readonly to: number }, step: number) =>
  Array.from({ length: (page.to - page.from) / step + 1 }, (_, at) => page.from + at * step);
const timesOf = (rows: readonly { readonly time: number }[] = []) => rows.map(({ time }) => time);

/** Returns the traded markets; a list may also name markets that are not yet or no longer traded. */
const tradedAt = async (markets: VenueClient) =>
  (await markets.listings()).filter(({ state, volume }) => state === undefined && volume > 0);

let played: SimulatedExchanges;
beforeAll(async () => {
  played = await startExchanges({ market, clock: realTime({ now: () => now }) });
});
afterAll(() => played.close());

describe.each(await loadVenues())('$title', (venue) => {
  const { roles } = venue;
  const ending = new AbortController();
  let exchanges: Exchanges;
  let markets: VenueClient;
  beforeAll(() => {
    exchanges = openExchanges(played.urls, { venue, wall: wallClock, signal: ending.signal });
    ({ markets } = exchanges);
  });
  afterAll(async () => {
    ending.abort();
    await exchanges.close();
  });

  it('has a method for each requested role, and no other', () => {
    const { close: _, serverTime: __, listings: ___, ...methods } = markets;
    const asked = Object.keys(roles).filter((role) => !told.includes(role));
    expect(Object.keys(methods).sort()).toEqual(asked.sort());
  });

  it('lists coins against USDT with their volume, by Binance’s names, and returns its time', async () => {
    const traded = await tradedAt(markets);
    const known = new Set(market.instruments.map(({ symbol }) => symbol));
    expect(traded.filter(({ symbol }) => !known.has(symbol))).toEqual([]);
    expect(traded.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(both));
    expect(traded.length).toBeGreaterThan(25);
    expect(await markets.serverTime()).toBe(now);
  });

  if (roles.candles)
    it('returns the market’s candles, only those of the page, ascending', async () => {
      for (const urgent of [true, false]) {
        const page = { from: topOfHour - 48 * hour, to: topOfHour - hour, urgent };
        const candles = (await markets.candles?.('1000SHIBUSDT', { interval: '1h', page })) ?? [];
        const expected = market.candles('1000SHIBUSDT', page);
        expect(timesOf(candles)).toEqual(timesOf(expected));
        expect(candles[0]?.close).toBeCloseTo(expected[0]?.close ?? 0, 6);
        expect(candles.every(({ volume, takerBuy }) => takerBuy > 0 && takerBuy < volume)).toBe(true);
      }
      const midnight = Math.floor(now / day) * day;
      const page = { from: midnight - 9 * day, to: midnight - day };
      expect(timesOf(await markets.candles?.('BTCUSDT', { interval: '1d', page }))).toEqual(steps(page, day));
    });

  if (roles.funding)
    it('returns settlements that ascend, within the page', async () => {
      const page = { from: topOfHour - 20 * day, to: topOfHour };
      const settled = (await markets.funding?.('1000SHIBUSDT', page)) ?? [];
      expect(settled.length).toBeGreaterThanOrEqual(60);
      expect(timesOf(settled)).toEqual(timesOf(settled).toSorted((a, b) => a - b));
      expect(settled.filter(({ symbol, time }) => symbol !== '1000SHIBUSDT' || time < page.from)).toEqual([]);
    });

  if (roles.funding)
    it('returns the settlement at the end of the page too, which exchanges stamp a little later', async () => {
      const midnight = Math.floor(now / day) * day;
      const ends = Array.from({ length: 6 }, (_, at) => midnight - 8 * at * hour);
      const settled = ends.map((to) => markets.funding?.('BTCUSDT', { from: to - day, to }));
      expect((await Promise.all(settled)).map((rows) => timesOf(rows).at(-1))).toEqual(ends);
    });

  if (roles.funding)
    it('returns all settlements of several responses, but for the one that is invalid', async () => {
      const { rows = 0, every = 0 } = roles.funding ?? {};
      const page = { from: topOfHour - 1.5 * rows * every, to: topOfHour };
      const settledTimes = async (transport: Transport) => {
        const options = { wall: wallClock, signal: ending.signal, transport };
        const client = openVenue(venue, played.urls, options);
        return new Set(timesOf(await client.funding?.('BTCUSDT', page)));
      };
      let answered = 0;
      const withOddRow: Transport = {
        async get(endpoint, given) {
          const { text, ...reply } = await played.transport.get(endpoint, given);
          answered += 1;
          const odd = text
            .replace(/"fundingRate":"[^"]+"/, '"fundingRate":""')
            .replace(/"realizedRate":"[^"]+"/, '"realizedRate":""');
          return { ...reply, text: answered === 1 ? odd : text };
        },
        close: async () => {},
      };
      const all = await settledTimes(played.transport);
      expect((await settledTimes(withOddRow)).size).toBe(all.size - 1);
      expect(all.size).toBeGreaterThan(rows);
      expect(answered).toBe(2);
    });

  // Of running rates yearly figures are computed, by the interval.
  if (roles.marks)
    it('returns how often each market settles, also in its list', async () => {
      const known = market.instruments.filter(({ base }) => /^[A-Z0-9]+$/.test(base));
      const told = (await markets.intervals?.(known.map(({ symbol }) => symbol))) ?? [];
      const intervals = new Map(told.map(({ symbol, hours }) => [symbol, hours]));
      const hourly = venue.name === 'hyperliquid';
      expect(intervals).toEqual(
        new Map(known.map(({ symbol, fundingHours }) => [symbol, hourly ? 1 : fundingHours])),
      );
      expect(new Set(known.map(({ fundingHours }) => fundingHours))).toEqual(new Set([4, 8]));
      const others = (await tradedAt(markets)).filter(
        ({ symbol, fundingHours, price = 0 }) =>
          (intervals.has(symbol) && fundingHours !== intervals.get(symbol)) ||
          fundingHours === undefined ||
          !(price > 0),
      );
      expect(others).toEqual([]);
    });

  if (roles.closes)
    it('returns the market’s closes of mark and index', async () => {
      for (const price of ['mark', 'index'] as const) {
        const closes = (await markets.closes?.(price, { symbol: '1000SHIBUSDT', page: lately })) ?? [];
        expect(timesOf(closes)).toEqual(steps(lately, 5 * minute));
        const { markPrice, indexPrice } = market.mark('1000SHIBUSDT', lately.from + 5 * minute);
        expect(closes[0]?.close).toBeCloseTo(price === 'mark' ? markPrice : indexPrice, 7);
      }
    });

  if (roles.pastOpenInterest)
    it('returns past open interest in coins, with its value', async () => {
      const rows = (await markets.pastOpenInterest?.('1000SHIBUSDT', lately)) ?? [];
      expect(timesOf(rows)).toEqual(steps(lately, 5 * minute));
      const { contracts, valueUsd } = market.openInterest('1000SHIBUSDT', topOfHour);
      const last = rows.at(-1);
      expect((last?.valueUsd ?? 0) / (last?.contracts ?? 0) / (valueUsd / contracts)).toBeCloseTo(1, 2);
    });

  if (roles.ratios)
    it('returns ratios as the longs’ share, every 15 minutes', async () => {
      const page = { from: topOfHour - day + 15 * minute, to: topOfHour };
      for (const of of roles.ratios?.top === true ? (['top', 'global'] as const) : (['global'] as const)) {
        const ratios = (await markets.ratios?.(of, { symbol: 'ETHUSDT', ...page })) ?? [];
        expect(timesOf(ratios)).toEqual(steps(page, 15 * minute));
        expect(ratios[0]?.longRatio).toBeCloseTo(market.ratios('ETHUSDT', page.from)[of], 2);
      }
    });

  it('returns the present of the wanted markets, in the archive’s units', async () => {
    const [marks, interests, tops] = await Promise.all([
      markets.marks?.(both, now),
      markets.openInterest?.(both, now),
      markets.book?.(both),
    ]);
    for (const rows of [marks, interests, tops])
      if (rows !== undefined) expect(rows.map(({ symbol }) => symbol).sort()).toEqual(both.toSorted());
    const { markPrice } = market.mark('1000SHIBUSDT', now);
    expect(marks?.find(({ symbol }) => symbol === '1000SHIBUSDT')?.markPrice).toBeCloseTo(markPrice, 6);
    for (const { symbol, contracts, valueUsd } of interests ?? [])
      expect(valueUsd / contracts / market.mark(symbol, now).markPrice).toBeCloseTo(1, 2);
  });

  if (roles.prices)
    it('returns the prices of all its markets, in the archive’s units', async () => {
      const prices = new Map((await markets.prices?.())?.map(({ symbol, price }) => [symbol, price]));
      for (const symbol of both)
        expect((prices.get(symbol) ?? 0) / market.price(symbol, now)).toBeCloseTo(1, 2);
    });

  if (roles.marginTiers)
    it('returns the margin tiers of a market: ascending, from the smallest position, and of no unknown one', async () => {
      const { unit, tiers } = (await markets.marginTiers?.('1000SHIBUSDT')) ?? {};
      const answer = { venue: venue.name, title: venue.title, symbol: '1000SHIBUSDT', unit, tiers };
      expect(contract.leverageTiers.answer.parse(answer)).toEqual(answer);
      expect(tiers?.length).toBeGreaterThan(1);
      const unknown = markets.marginTiers?.('NOSUCHUSDT');
      await expect(unknown).rejects.toMatchObject({ name: 'ApiError', reason: 'invalid_request' });
    });

  if (roles.candles)
    it('reports an unknown market as an invalid request', async () => {
      const asked = markets.candles?.('NOSUCHUSDT', { interval: '1h', page: lately });
      await expect(asked).rejects.toMatchObject({ name: 'ApiError', reason: 'invalid_request' });
    });
});
