import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointAnswer, EndpointName, QueryInput } from '#src/contract/index.ts';
import { ApiError, InputError } from '#src/runtime/errors.ts';
import type { MarginTiers } from '#src/runtime/liquidation-price.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { createAskTiers } from '#src/service/collecting/margin-tiers.ts';
import { answerWith, type HandlerContext } from '#src/service/handlers/handler.ts';
import { handlers } from '#src/service/handlers/index.ts';
import { toJson } from '#src/service/http/json.ts';
import { parseQuery } from '#src/service/http/query.ts';
import binance from '#src/service/venues/binance/venue.ts';
import bybit from '#src/service/venues/bybit/venue.ts';
import hyperliquid from '#src/service/venues/hyperliquid/venue.ts';
import type { OpenVenue } from '#src/service/venues/others.ts';
import { contextAt, filledArchive, now, universe } from '../fixture.ts';

let archive: Archive;
beforeAll(async () => {
  archive = await filledArchive();
});
afterEach(async () => {
  await archive.put('venues', {});
  await archive.put('venues.otherKinds', {});
});
afterAll(() => archive.close());

async function ask<Name extends EndpointName>(
  name: Name,
  query: QueryInput<Name> | Record<string, unknown> = {},
  { at = now, state }: { readonly at?: number; readonly state?: Partial<HandlerContext['state']> } = {},
): Promise<EndpointAnswer<Name>> {
  const context = await contextAt(archive, at);
  const answer = await answerWith(handlers[name], {
    query: parseQuery(name, query),
    context: { ...context, state: { ...context.state, ...state } },
  });
  return JSON.parse(toJson(answer));
}
const newest = iso(Math.floor(now / (5 * minute)) * 5 * minute);

describe('/venues', () => {
  it('lists the primary venue first, each venue with its feeds and their age', async () => {
    const { source, data } = await ask('venues');
    expect(source).toBe('simulated');
    expect(data).toMatchObject([
      { venue: 'binance', title: 'Binance USD-M', primary: true, answers: true, lastUpdate: newest },
      { venue: 'hyperliquid', title: 'Hyperliquid', primary: false, answers: true, ageMinutes: 2.5 },
    ]);
    expect(data[1]?.roles).toEqual(Object.keys(hyperliquid.roles));
  });

  it('shows why a venue refuses, and that a silent venue does not respond', async () => {
    await archive.put('venues', { hyperliquid: 'HTTP 451: the exchange does not serve this country' });
    expect((await ask('venues')).data[1]).toMatchObject({
      answers: false,
      problem: 'HTTP 451: the exchange does not serve this country',
    });
    await archive.put('venues', {});
    const [, quiet] = (await ask('venues', {}, { at: now + hour })).data;
    expect(quiet).toMatchObject({ venue: 'hyperliquid', answers: false, ageMinutes: 62.5 });
    const [, silent] = (await ask('venues', {}, { at: now - 40 * day })).data;
    expect(silent).toEqual({
      venue: 'hyperliquid',
      title: 'Hyperliquid',
      primary: false,
      roles: Object.keys(hyperliquid.roles),
      answers: false,
    });
  });
});

describe('/funding/dispersion', () => {
  it('lists the widest gap first, with each leg by its own interval', async () => {
    const { data, count } = await ask('fundingDispersion');
    expect([count, data[0]?.symbol]).toEqual([3, 'SOLUSDT']);
    expect(data[0]).toMatchObject({
      legs: [
        { venue: 'hyperliquid', title: 'Hyperliquid', rate: 0.00005, hours: 1, annualizedPct: 43.8 },
        { venue: 'binance', title: 'Binance USD-M', rate: 0.00012, hours: 8, annualizedPct: 13.14 },
      ],
      highest: 'hyperliquid',
      lowest: 'binance',
      premiumPct: 30.66,
      gap8h: 0.00028,
      timestamp: newest,
    });
    expect((await ask('fundingDispersion', { limit: 1 })).data).toHaveLength(1);
  });

  it('ignores legs with old data, and shows a symbol with one leg without a gap', async () => {
    // The primary’s rows end at the same time as the others’; an hour later no data is current.
    expect((await ask('fundingDispersion', {}, { at: now + hour })).data).toEqual([]);
    const alone = { symbol: marketAt('hyperliquid', 'SOLUSDT'), markPrice: 1, indexPrice: 1, estFunding: 0 };
    const at = now + 3 * hour;
    await archive.write('venueMarks', [{ ...alone, time: at, fundingHours: 0 }]);
    const [row] = (await ask('fundingDispersion', { symbol: 'SOLUSDT' }, { at })).data;
    expect(row).toEqual({
      symbol: 'SOLUSDT',
      legs: [{ venue: 'hyperliquid', title: 'Hyperliquid', rate: 0, timestamp: iso(at) }],
      timestamp: iso(at),
    });
  });

  it('is not offered if there is only one venue', async () => {
    const [primary] = (await contextAt(archive)).state.venues ?? [];
    for (const name of ['fundingDispersion', 'oiAggregate'] as const)
      await expect(ask(name, {}, { state: { venues: primary ? [primary] : [] } })).rejects.toMatchObject({
        reason: 'not_offered',
      });
  });
});

describe('/oi/aggregate', () => {
  it('shows the sum of the legs, their shares, and the change of the legs known at both ends', async () => {
    const { data, count } = await ask('oiAggregate');
    expect(count).toBe(universe.length);
    for (const { totalUsd, legs, change1h, change24h } of data) {
      expect(legs).toHaveLength(2);
      expect(legs.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(totalUsd, 1);
      expect(legs.reduce((sum, { sharePct }) => sum + sharePct, 0)).toBeCloseTo(100, 1);
      for (const change of [change1h, change24h]) expect(change?.venues).toEqual(['binance', 'hyperliquid']);
    }
    const contracts = async (ago: number) => {
      const read = { count: 1, to: now - ago };
      const [own] = await archive.last('openInterest', { symbol: 'BTCUSDT', ...read });
      const [other] = await archive.last('venueOpenInterest', {
        symbol: marketAt('hyperliquid', 'BTCUSDT'),
        ...read,
      });
      return (own?.contracts ?? 0) + (other?.contracts ?? 0);
    };
    const btc = data.find(({ symbol }) => symbol === 'BTCUSDT');
    for (const [change, ago] of [
      [btc?.change1h, hour],
      [btc?.change24h, day],
    ] as const)
      expect(change?.pct).toBeCloseTo(((await contracts(0)) / (await contracts(ago)) - 1) * 100, 3);
  });

  it('compares a leg with its value an hour before its newest row, however late that came', async () => {
    const market = { symbol: marketAt('hyperliquid', 'ETHUSDT') };
    const at = now + 5 * hour;
    const newest = at - 10 * minute;
    const held = (ago: number, contracts: number) => ({
      ...market,
      time: newest - ago,
      contracts,
      valueUsd: contracts,
    });
    const rows = [held(0, 150), held(hour - 5 * minute, 140), held(hour, 100), held(hour + 5 * minute, 90)];
    await archive.write('venueOpenInterest', rows);
    const [eth] = (await ask('oiAggregate', { symbol: 'ETHUSDT' }, { at })).data;
    expect(eth?.change1h).toEqual({ pct: 50, usd: 50, venues: ['hyperliquid'] });
  });

  it('leaves a venue that was not there an hour ago out of the change', async () => {
    // Hyperliquid’s rows begin 30 hours before noon.
    const at = now - 29.5 * hour;
    const [btc] = (await ask('oiAggregate', { symbol: 'BTCUSDT' }, { at })).data;
    expect(btc?.legs).toHaveLength(2);
    expect(btc?.change1h?.venues).toEqual(['binance']);
  });
});

describe('a venue whose market is another thing of that name', () => {
  const bybit = { name: 'bybit', title: 'Bybit', roles: {} };
  const venues = async () => [...((await contextAt(archive)).state.venues ?? []), bybit];
  const symbol = marketAt('bybit', 'SOLUSDT');
  const at = now + 9 * hour;
  const writeLegs = async (price: number) => {
    for (const [series, market] of [
      ['marks', 'SOLUSDT'],
      ['venueMarks', marketAt('hyperliquid', 'SOLUSDT')],
    ] as const)
      await archive.write(series, [
        { symbol: market, time: at, markPrice: 100, indexPrice: 100, estFunding: 0.0001, fundingHours: 8 },
      ]);
    for (const [series, market] of [
      ['openInterest', 'SOLUSDT'],
      ['venueOpenInterest', marketAt('hyperliquid', 'SOLUSDT')],
    ] as const)
      await archive.write(series, [{ symbol: market, time: at, contracts: 10, valueUsd: 1_000 }]);
    const of = { symbol, time: at };
    await archive.write('venueMarks', [
      { ...of, markPrice: price, indexPrice: price, estFunding: 0.01, fundingHours: 8 },
    ]);
    await archive.write('venueOpenInterest', [{ ...of, contracts: 10, valueUsd: 10 * price }]);
  };
  const both = async () => {
    const given = { at, state: { venues: await venues() } };
    const [gap] = (await ask('fundingDispersion', { symbol: 'SOLUSDT' }, given)).data;
    const [sum] = (await ask('oiAggregate', { symbol: 'SOLUSDT' }, given)).data;
    return [gap, sum] as const;
  };

  it.each([
    [5, -95],
    [100_000, 99_900],
  ])('is neither compared nor summed at a price of %d where it is 100, and is named', async (price, off) => {
    await writeLegs(price);
    const excluded = [{ venue: 'bybit', title: 'Bybit', reason: 'OTHER_PRICE', priceDeviationPct: off }];
    const [gap, sum] = await both();
    expect(gap).toMatchObject({ premiumPct: 0, legs: [{}, {}], excluded });
    expect(sum).toMatchObject({ totalUsd: 2_000, legs: [{}, {}], excluded });
  });

  it('is left out at any price if the venue itself says that it is no coin', async () => {
    await writeLegs(100);
    expect((await both()).map((row) => row?.excluded)).toEqual([undefined, undefined]);
    await archive.put('venues.otherKinds', { bybit: ['SOLUSDT'] });
    const excluded = [{ venue: 'bybit', title: 'Bybit', reason: 'OTHER_CATEGORY' }];
    const [gap, sum] = await both();
    expect(gap).toMatchObject({ premiumPct: 0, legs: [{}, {}], excluded });
    expect(sum).toMatchObject({ totalUsd: 2_000, legs: [{}, {}], excluded });
  });

  it.each<[string, number, string[]]>([
    ['are those of a market that is', 100, ['bybit', 'hyperliquid']],
    ['at another price are none of the coin', 5, ['hyperliquid']],
  ])('liquidations of it %s', async (_, price, told) => {
    await writeLegs(price);
    await archive.writeLiquidations(
      ['bybit', 'hyperliquid'].map((venue) => ({
        symbol: marketAt(venue, 'SOLUSDT'),
        ...({ time: at, side: 'LONG', price, quantity: 1 } as const),
      })),
    );
    const state = {
      venues: (await venues()).map((venue) => ({ ...venue, roles: { ...venue.roles, liquidations: {} } })),
    } as unknown as HandlerContext['state'];
    const asked = { symbol: 'SOLUSDT', since: iso(at - 1) };
    const { data } = await ask('venueLiquidations', asked, { at, state });
    expect(data.flatMap((row) => (Number(row.price) === price ? [row.venue] : [])).sort()).toEqual(told);
  });
});

describe('/venues/markets', () => {
  it('shows the present of a venue, the primary one by default', async () => {
    const own = await ask('venueMarkets', { symbol: 'BTCUSDT' });
    expect(own).toMatchObject({ venue: 'binance', lacks: [], data: [{ symbol: 'BTCUSDT', hours: 8 }] });
    const other = await ask('venueMarkets', { venue: 'hyperliquid' });
    expect(other.data.map(({ symbol }) => symbol)).toEqual(universe);
    expect(other.data[0]).toMatchObject({ rate: 0.00001, hours: 1, annualizedPct: 8.76, timestamp: newest });
    const basis = (other.data[0]?.markPrice ?? 0) / (other.data[0]?.indexPrice ?? 1) - 1;
    expect(basis).toBeCloseTo(0.0002, 6);
  });

  it('refuses an unknown name, and says why a venue is silent', async () => {
    await expect(ask('venueMarkets', { venue: 'mtgox' })).rejects.toThrow(
      'venue must be one of binance, hyperliquid',
    );
    await expect(ask('venueMarkets', { venue: 'Mt. Gox' })).rejects.toThrow('short name of a venue');
    await archive.put('venues', { hyperliquid: 'HTTP 451: not served here' });
    await expect(ask('venueMarkets', { venue: 'hyperliquid' }, { at: now + 2 * hour })).rejects.toThrow(
      'Hyperliquid does not answer: HTTP 451: not served here',
    );
  });

  it('refuses a symbol that is not traded there, but not while the venue has no data at all', async () => {
    const at = now + 6 * hour;
    const asked = { venue: 'hyperliquid', symbol: 'ETHUSDT' };
    await expect(ask('venueMarkets', asked, { at })).rejects.toMatchObject({ reason: 'server_error' });
    const traded = { symbol: marketAt('hyperliquid', 'SOLUSDT'), markPrice: 1, indexPrice: 1, estFunding: 0 };
    await archive.write('venueMarks', [{ ...traded, time: at, fundingHours: 1 }]);
    await expect(ask('venueMarkets', asked, { at })).rejects.toThrow(
      new InputError('Hyperliquid has told nothing of ETHUSDT lately'),
    );
  });
});

describe('?venue=', () => {
  const kept = ['basis', 'oi', 'oiMomentum', 'oiVelocity'] as const;

  it.each(kept)('%s contains that venue’s data and names the venue', async (name) => {
    const own = await ask(name, { symbol: 'SOLUSDT' });
    expect(await ask(name, { symbol: 'SOLUSDT', venue: 'binance' })).toEqual({
      venue: 'binance',
      title: 'Binance USD-M',
      ...own,
    });
    const { data, ...other } = await ask(name, { symbol: 'SOLUSDT', venue: 'hyperliquid' });
    expect(other).toMatchObject({ venue: 'hyperliquid', title: 'Hyperliquid', symbol: 'SOLUSDT' });
    expect([data.at(-1)?.timestamp, data.length > 10]).toEqual([newest, true]);
    expect(data).not.toEqual(own.data);
  });

  it('every number comes from that venue’s rows', async () => {
    const read = { symbol: marketAt('hyperliquid', 'BTCUSDT'), count: 2, to: now };
    const [marks, interest] = await Promise.all([
      archive.last('venueMarks', read),
      archive.last('venueOpenInterest', read),
    ]);
    const asked = { symbol: 'BTCUSDT', venue: 'hyperliquid' };
    const { data } = await ask('basis', asked);
    expect(data.slice(-2).map((row) => [row.markPrice, row.indexPrice, row.estFunding])).toEqual(
      marks.map((row) => [row.markPrice, row.indexPrice, row.estFunding]),
    );
    const contracts = interest.map((row) => row.contracts);
    expect((await ask('oi', { ...asked, limit: 2 })).data.map((row) => Number(row.oi_contracts))).toEqual(
      contracts,
    );
    for (const name of ['oiMomentum', 'oiVelocity'] as const)
      expect((await ask(name, asked)).data.slice(-2).map((row) => row.oi)).toEqual(contracts);
  });

  it('settlements are that venue’s, annualised by its own interval', async () => {
    const asked = { symbol: 'ETHUSDT', limit: 2 };
    const own = await ask('fundingHistory', asked);
    expect(await ask('fundingHistory', { ...asked, venue: 'binance' })).toEqual({
      venue: 'binance',
      title: 'Binance USD-M',
      ...own,
    });
    const market = marketAt('hyperliquid', 'ETHUSDT');
    const noon = now - (now % hour);
    const at = (age: number) => ({ symbol: market, time: noon - age * hour, rate: 0.00001 * (age + 1) });
    const other = { venue: 'hyperliquid', title: 'Hyperliquid', symbol: 'ETHUSDT' };
    const told = (age: number, annualized: string) => ({
      timestamp: iso(noon - age * hour),
      rate: (0.00001 * (age + 1)).toFixed(8),
      annualized,
    });
    // A gap between settlements is no interval; the venue's own interval is used.
    await archive.write('venueFunding', [at(0), at(5)]);
    const elsewhere = { ...asked, venue: 'hyperliquid' };
    expect(await ask('fundingHistory', elsewhere)).toEqual({
      ...other,
      data: [told(5, '52.5600'), told(0, '8.7600')],
    });
    await archive.write('venueFunding', [at(1), at(2)]);
    expect(await ask('fundingHistory', elsewhere)).toEqual({
      ...other,
      data: [told(1, '17.5200'), told(0, '8.7600')],
    });
    // It settled every four hours before.
    await archive.write('venueFunding', [at(9), at(13), at(17)]);
    expect((await ask('fundingHistory', { ...elsewhere, limit: 6 })).data).toEqual([
      ...[13, 9, 5].map((age) => told(age, (2.19 * (age + 1)).toFixed(4))),
      ...[2, 1, 0].map((age) => told(age, (8.76 * (age + 1)).toFixed(4))),
    ]);
  });

  const state = (...roles: readonly string[]) => ({
    venues: [binance, { ...hyperliquid, roles: Object.fromEntries(roles.map((role) => [role, {}])) }],
  });
  // Before anything was stored.
  const before = { at: now - 60 * day, state: state('openInterest') };
  it.each<[string, EndpointName, string, Parameters<typeof ask>[2], string]>([
    ['a name that is none', 'oi', 'mtgox', {}, 'venue must be one of binance, hyperliquid'],
    ['a name of another form', 'oi', 'Mt. Gox', {}, 'venue must be the short name of a venue'],
    ['where no venue is known', 'oi', 'okx', { state: { venues: [] } }, 'no venue is known here'],
    [
      'what is not kept of others',
      'candles',
      'hyperliquid',
      {},
      '/candles takes no venue: what is kept of others than the primary one is told by /funding/history, /basis, /oi, ',
    ],
    [
      'settlements of one that settles nothing',
      'fundingHistory',
      'hyperliquid',
      before,
      'Hyperliquid tells no settled funding',
    ],
    [
      'settlements before any was kept',
      'fundingHistory',
      'hyperliquid',
      {},
      'Hyperliquid has told no settled funding of BTCUSDT',
    ],
    ['a value that it does not tell', 'basis', 'hyperliquid', before, 'Hyperliquid tells no mark prices'],
    [
      'a market not traded there',
      'oi',
      'hyperliquid',
      before,
      'Hyperliquid has told no open interest of BTCUSDT',
    ],
  ])('%s is refused in one sentence, and never answered with the primary’s data', async (...row) => {
    const [, name, venue, given, words] = row;
    await expect(ask(name, { venue }, given)).rejects.toThrow(words);
  });

  it('a venue that is down and has no data is refused with the reason', async () => {
    await archive.put('venues', { hyperliquid: 'HTTP 451: not served here' });
    const at = now - 60 * day;
    await expect(ask('oi', { venue: 'hyperliquid' }, { at })).rejects.toThrow(
      'Hyperliquid does not answer: HTTP 451: not served here',
    );
  });
});

describe('/leverage/tiers', () => {
  const tier = { upTo: 1_000_000, maintenanceRate: 0.005, maxLeverage: 100 };
  const told = { unit: 'USD' as const, tiers: [tier] };
  /** A service whose venues answer so, in turn; the last answer is repeated. Undefined: it only reads what another has stored. */
  async function asking(...answers: readonly (MarginTiers | Error | undefined)[]) {
    const asked: string[] = [];
    const stored = new Map<string, unknown>();
    const documents = {
      get: async (key: string) => stored.get(key),
      put: async (key: string, value: unknown) => void stored.set(key, value),
    };
    const context = await contextAt(archive);
    const state = { ...context.state, venues: [binance, bybit] };
    let time = now;
    const marginTiers = async (symbol: string) => {
      const answer = answers[Math.min(asked.push(symbol), answers.length) - 1];
      if (!(answer instanceof Error) && answer !== undefined) return answer;
      throw answer;
    };
    const others = [{ venue: bybit, client: { marginTiers } }] as unknown as readonly OpenVenue[];
    const askTiers = createAskTiers(
      { exchanges: () => undefined, otherVenues: () => others },
      { archive: documents, clock: { now: () => time } },
    );
    return {
      asked,
      stored,
      ask(query: Readonly<Record<string, unknown>>, { at = now, reads = false } = {}) {
        time = at;
        const given = { state, now: at, archive: { ...archive, get: documents.get } };
        return answerWith(handlers.leverageTiers, {
          query: parseQuery('leverageTiers', query),
          context: { ...context, ...given, askTiers: reads ? undefined : askTiers },
        });
      },
    };
  }
  const ofBybit = { venue: 'bybit', symbol: 'BTCUSDT' };
  const answer = { ...ofBybit, title: 'Bybit', ...told };

  it('are asked of the venue that is named, once a day', async () => {
    const { ask, asked } = await asking(told);
    expect(await Promise.all([ask(ofBybit), ask(ofBybit)])).toEqual([answer, answer]);
    await ask(ofBybit);
    expect(asked).toEqual(['BTCUSDT']);
    await ask(ofBybit, { at: now + day });
    expect(asked).toHaveLength(2);
  });

  it('are those that were told last while the venue does not answer, and in a service that only reads', async () => {
    const { ask } = await asking(told, new ApiError('bybit', 'unreachable', 'no answer'));
    await expect(ask(ofBybit, { reads: true })).rejects.toMatchObject({ reason: 'server_error' });
    await ask(ofBybit);
    expect(await ask(ofBybit, { at: now + day })).toEqual(answer);
    expect(await ask(ofBybit, { at: now + day, reads: true })).toEqual(answer);
    // Of a past before they were told nothing is known.
    await expect(ask(ofBybit, { at: now - day, reads: true })).rejects.toMatchObject({
      reason: 'server_error',
    });
  });

  it('are not offered where the venue publishes none, and no venue or market is invented', async () => {
    const { ask, asked } = await asking(told);
    await expect(ask({})).rejects.toMatchObject({ reason: 'not_offered' });
    await expect(ask({ ...ofBybit, venue: 'nowhere' })).rejects.toThrow(InputError);
    await expect(ask({ ...ofBybit, symbol: 'NOSUCHUSDT' })).rejects.toThrow(InputError);
    expect(asked).toEqual([]);
  });

  it('are refused for a market that the venue does not trade', async () => {
    const { ask } = await asking(
      new ApiError('bybit /v5/market/risk-limit', 'invalid_request', 'symbol invalid'),
    );
    await expect(ask(ofBybit)).rejects.toThrow(new InputError('Bybit does not trade BTCUSDT'));
  });

  it.each<[string, MarginTiers['tiers']]>([
    ['none', []],
    ['a rate of all', [{ ...tier, maintenanceRate: 1 }]],
    ['no rate', [{ ...tier, maintenanceRate: 0 }]],
    ['leverage below 1', [{ ...tier, maxLeverage: 0.5 }]],
    ['a position liquidated as it is opened', [{ ...tier, maintenanceRate: 0.01 }]],
    ['limits that fall', [tier, { ...tier, upTo: 500_000 }]],
    ['a limit twice', [tier, tier]],
    ['rates that fall', [tier, { ...tier, upTo: 2_000_000, maintenanceRate: 0.004 }]],
    [
      'a tier after one without a limit',
      [
        { ...tier, upTo: undefined },
        { ...tier, upTo: 2_000_000 },
      ],
    ],
  ])('%s: no answer, nothing stored, and the venue is asked again', async (_, tiers) => {
    const { ask, asked, stored } = await asking({ unit: 'USD', tiers });
    for (let time = 0; time < 2; time += 1)
      await expect(ask(ofBybit)).rejects.toMatchObject({ reason: 'server_error' });
    expect([asked.length, stored.size]).toEqual([2, 0]);
  });
});
