import { describe, expect, test } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { ask } from '#test/support/commands.ts';
import { answers, dataClient } from '#test/support/data.ts';

const facts = (card: Awaited<ReturnType<typeof ask>>) =>
  Object.fromEntries((card.facts ?? []).map(({ name, value }) => [name, value]));
const refused = new ApiError('/any', 'not_offered', 'only one venue is asked');

describe('venues', () => {
  test('shows each exchange with its state, and the widest gaps in funding', async () => {
    const [main, other] = answers.venues.data;
    if (main === undefined || other === undefined) throw new Error('two are expected');
    const { lastUpdate: _, ageMinutes: __, ...silent } = other;
    const problem = 'HTTP 451: the exchange does not serve this country';
    const venues = {
      source: 'live',
      data: [
        main,
        { ...other, answers: false, problem },
        { ...silent, venue: 'okx', title: 'OKX', answers: false },
        { ...other, venue: 'bybit', title: 'Bybit', answers: false, ageMinutes: 62 },
      ],
    };
    const card = await ask('venues limit=2', { data: dataClient({ venues }) });
    expect(card.title).toBe('Exchanges: 1 of 4 answer');
    expect(facts(card)).toMatchObject({
      'Binance USD-M (main)': 'answers, 3 min old',
      Hyperliquid: `no answer: ${problem}`,
      OKX: 'no answer yet',
      Bybit: 'silent for 1 h 2 min',
    });
    expect(card.table?.rows[0]).toEqual(['BTC', '6.6%', 'Hyperliquid +17.5%', 'Binance USD-M +10.9%']);
  });

  test('shows for a market each exchange’s funding by its own interval, its open interest, and the change', async () => {
    const card = await ask('venues btc');
    expect(card.title).toBe('BTC across exchanges: funding 6.6% a year apart');
    expect(facts(card)).toEqual({
      'Gap in 8 h': '0.0060%',
      'Open interest in all': '$12B',
      'Change in 1 h': '+1.20% in coins',
      // Hyperliquid has no value of a day ago, so its open interest does not count as growth.
      'Change in 24 h': '−3.40% in coins (Binance USD-M alone)',
    });
    expect(card.table?.rows).toEqual([
      ['Hyperliquid', '+0.0020% per 1 h', '+17.5%', '$3B', '25%'],
      ['Binance USD-M', '+0.0100% per 8 h', '+10.9%', '$9B', '75%'],
    ]);
  });

  test('names an exchange that is left out, and why', async () => {
    const [gap] = answers.fundingDispersion.data;
    const [sum] = answers.oiAggregate.data;
    const bybit = { venue: 'bybit', title: 'Bybit' };
    const off = { ...bybit, reason: 'OTHER_PRICE', priceDeviationPct: -95 };
    const data = dataClient({
      fundingDispersion: { data: [{ ...gap, excluded: [off] }], count: 1 } as never,
      oiAggregate: {
        data: [{ ...sum, excluded: [off, { venue: 'okx', title: 'OKX', reason: 'OTHER_CATEGORY' }] }],
        count: 1,
      } as never,
    });
    expect(facts(await ask('venues btc', { data }))).toMatchObject({
      'Bybit (left out)': 'another market of that name: its price is −95.0% off',
      'OKX (left out)': 'not this coin: another market of that name',
    });
  });

  test('shows one of its two parts if the other is unavailable, and an error if both are', async () => {
    const card = await ask('venues btc', { data: dataClient({ fundingDispersion: refused }) });
    expect(card.table?.rows[0]).toEqual(['Binance USD-M', '–', '–', '$9B', '75%']);
    expect(facts(card)).toHaveProperty('Not available');
    const none = { fundingDispersion: refused, oiAggregate: refused };
    expect((await ask('venues btc', { data: dataClient(none) })).title).toBe('Not available');
    const nowhere = {
      fundingDispersion: { data: [], count: 0 },
      oiAggregate: { data: [], count: 0 },
    };
    expect((await ask('venues btc', { data: dataClient(nowhere) })).summary).toBe(
      'No exchange has reported it lately.',
    );
  });
});

describe('venue=', () => {
  const okx = { venue: 'hyperliquid', title: 'Hyperliquid' };
  const data = dataClient({
    oiMomentum: { ...okx, ...answers.oiMomentum },
    oi: { ...okx, ...answers.oi },
    basis: { ...okx, ...answers.basis },
    venueMarkets: { ...answers.venueMarkets, ...okx },
  });

  test.each([
    ['oi btc venue=hyperliquid', /^Open interest of BTC at Hyperliquid: /],
    ['oi btc HyperLiquid', /^Open interest of BTC at Hyperliquid: /],
    ['basis btc venue=hyperliquid', /^Basis of BTC at Hyperliquid: /],
    ['funding btc venue=hyperliquid', /^BTC funding at Hyperliquid: \+0\.0100% per 8 h, running$/],
    // The main exchange has settled rates, not a running one.
    ['funding btc venue="binance usd-m"', /^BTC funding at Binance USD-M: [^,]*$/],
    ['oi btc', /^Open interest of BTC: /],
  ])('is named in the title of %s', async (line, title) => {
    const card = await ask(line, { data });
    expect(card.title).toMatch(title);
    const drawn = card.chart?.title;
    expect(drawn).toContain(card.title?.toString().split(':')[0]?.split(' ').at(-1));
  });

  test('shows the settled funding of an exchange if it is stored', async () => {
    const settled = { ...answers.fundingHistory, ...okx };
    const over = { venueMarkets: { ...answers.venueMarkets, ...okx }, basis: { ...okx, ...answers.basis } };
    const card = await ask('funding btc hyperliquid', {
      data: dataClient({ ...over, fundingHistory: settled }),
    });
    expect(facts(card)).toMatchObject({
      'Last settlement': expect.stringMatching(/^\+0\.0450% per 8 h, \d+ \w+ \d{4}, /),
      '30-settlement mean': '+0.0112% per 8 h',
    });
    const refusal = new ApiError('/funding/history', 'not_offered', 'Hyperliquid tells no settled funding');
    const without = await ask('funding btc hyperliquid', {
      data: dataClient({ ...over, fundingHistory: refusal }),
    });
    expect(without.title).toBe(card.title);
    expect(facts(without)).toHaveProperty('Not available');
    expect(facts(without)).not.toHaveProperty('Last settlement');
  });

  test('refuses an unknown exchange with a list of the known ones, and extremes of other exchanges', async () => {
    const card = await ask('oi btc venue=hyperlquid', { data });
    expect([card.title, card.summary]).toEqual([
      'Unknown exchange "hyperlquid"',
      'Did you mean hyperliquid? These are asked: binance, hyperliquid.',
    ]);
    expect((await ask('funding venue=hyperliquid', { data })).title).toBe(
      'Extremes are known of the main exchange alone',
    );
  });

  test('says that the exchange has no such market instead of showing another exchange’s', async () => {
    const refusal = new ApiError('/oi', 'invalid_request', 'the request was refused (400)');
    const over = { data: dataClient({ oiMomentum: refusal, venueMarkets: refusal }) };
    for (const line of ['oi btc venue=hyperliquid', 'funding btc venue=hyperliquid'])
      expect((await ask(line, over)).title).toBe('Hyperliquid has told nothing of BTC');
  });
});
