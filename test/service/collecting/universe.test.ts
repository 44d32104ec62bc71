import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { pauseAfter } from '#src/service/collecting/rounds.ts';
import {
  chooseUniverse,
  type FollowedCount,
  openUniverse,
  type Universe,
} from '#src/service/collecting/universe.ts';
import { eachBounded } from '#src/service/exchanges/bounded.ts';
import type { Listing } from '#src/service/venues/venue.ts';

const listing = (symbol: string, volume: number, state?: 'PENDING' | 'ENDED') => ({
  symbol,
  volume,
  listed: 0,
  ...(state && { state }),
});
const market = [
  ['BTCUSDT', 1],
  ['AUSDT', 90],
  ['BUSDT', 80],
  ['CUSDT', 70],
  ['DUSDT', 60],
  ['EUSDT', 50],
  ['FUSDT', 40],
].map(([symbol, volume]) => listing(String(symbol), Number(volume)));
const untraded = [
  listing('SOONUSDT', 99, 'PENDING'),
  listing('OVERUSDT', 99, 'ENDED'),
  listing('IDLEUSDT', 0),
];

/** Opens a universe of one market by default over an archive that keeps nothing, at a time that stands still. */
const openOver = (more: Partial<Parameters<typeof openUniverse>[0]> = {}) =>
  openUniverse({
    archive: { get: async () => undefined, put: async () => {} } as Partial<Archive> as Archive,
    markets: { serverTime: async () => 0, listings: async () => market },
    clock: realTime({ now: () => 0 }),
    wanted: 1,
    log: pino({ level: 'silent' }),
    ...more,
  });

describe('the universe', () => {
  it.each<[string, number, string[], string[]]>([
    ['the largest by volume, BTC always', 3, [], ['AUSDT', 'BUSDT', 'BTCUSDT']],
    ['one tracked stays while near the top', 5, ['EUSDT'], ['AUSDT', 'BUSDT', 'CUSDT', 'EUSDT', 'BTCUSDT']],
    ['one tracked that fell far behind goes', 3, ['FUSDT'], ['AUSDT', 'BUSDT', 'BTCUSDT']],
    [
      'one that comes far to the top enters',
      4,
      ['BUSDT', 'CUSDT', 'DUSDT'],
      ['AUSDT', 'BUSDT', 'CUSDT', 'BTCUSDT'],
    ],
    ['one no longer listed goes', 3, ['ZUSDT'], ['AUSDT', 'BUSDT', 'BTCUSDT']],
    [
      'all where fewer are listed than wanted',
      20,
      [],
      ['AUSDT', 'BUSDT', 'CUSDT', 'DUSDT', 'EUSDT', 'FUSDT', 'BTCUSDT'],
    ],
  ])('%s', (_, wanted, tracked, expected) => {
    expect(chooseUniverse([...untraded, ...market], wanted, tracked).map(({ symbol }) => symbol)).toEqual(
      expected,
    );
  });
});

it('a choice made while the clock was a year ahead is stale when the clock is right again', async () => {
  let now = Date.UTC(2027, 8, 5);
  const universe = await openOver({ clock: realTime({ now: () => now }) });
  await universe.renew();
  expect(universe.isStale()).toBe(false);
  now = Date.UTC(2026, 8, 5);
  expect(universe.isStale()).toBe(true);
});

it('a clock put back right after it was measured is not taken for hours ahead any longer', async () => {
  const exchange = Date.UTC(2026, 8, 5);
  let [passed, ahead] = [0, 8 * hour];
  const universe = await openOver({
    markets: { serverTime: async () => exchange + passed, listings: async () => market },
    clock: realTime({ now: () => exchange + passed + ahead }),
    steady: { now: () => passed },
  });
  await universe.measureClock();
  expect(universe.aheadBy()).toBe(8 * hour);
  passed = 10 * minute;
  expect(universe.aheadBy()).toBe(8 * hour);
  ahead = hour;
  expect(universe.aheadBy()).toBe(hour);
  ahead = 0;
  expect(universe.aheadBy()).toBe(0);
});

it('a choice that could not be stored is made again', async () => {
  let away = true;
  const archive = {
    get: async () => undefined,
    async put() {
      if (away) throw new Error('the database is away');
    },
  } as Partial<Archive> as Archive;
  const universe = await openOver({ archive });
  await expect(universe.renew()).rejects.toThrow('away');
  expect([universe.symbols(), universe.isUsable(), universe.isStale()]).toEqual([[], false, true]);
  away = false;
  await universe.renew();
  expect([universe.symbols(), universe.isUsable(), universe.isStale()]).toEqual([['BTCUSDT'], true, false]);
});

describe('bounded work', () => {
  it('runs at most so many items at a time, each once, and a failure stops no other', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const failures = await eachBounded([1, 2, 3, 4, 5, 6, 7], {
      limit: 3,
      work: async (item) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (item === 2) throw new Error('two');
        done.push(item);
      },
    });
    expect([most, done.sort()]).toEqual([3, [1, 3, 4, 5, 6, 7]]);
    expect(failures).toEqual([{ item: 2, error: new Error('two') }]);
  });
});

describe('the pause after a failure', () => {
  it('doubles up to its bound, with jitter of up to half', () => {
    expect([0, 1, 2, 3].map((failures) => pauseAfter(new Error('x'), failures, 1))).toEqual([
      250, 500, 1_000, 2_000,
    ]);
    expect(pauseAfter(new Error('x'), 2, 0)).toBe(500);
    expect(pauseAfter(new Error('x'), 1_000, 1)).toBe(30_000);
  });

  it('is at least what the exchange asks for', () => {
    expect(pauseAfter(new ApiError('x', 'rate_limited', 'x', { retryAfter: 90_000 }), 0, 1)).toBe(90_000);
  });
});

describe('listed and followed markets', () => {
  const opened = async (listings: readonly Listing[], wanted: FollowedCount) => {
    const archive = await openArchive('file::memory:');
    onTestFinished(() => archive.close());
    let now = 0;
    const markets = { serverTime: async () => now, listings: async () => [...listings] };
    const open = () => openOver({ archive, markets, clock: realTime({ now: () => now }), wanted });
    const pass = (ms: number) => {
      now += ms;
    };
    return { archive, open, pass, universe: await open() };
  };
  const symbolsOf = ({ symbols, listed }: Universe) => ({
    followed: symbols(),
    listed: [...listed().keys()],
  });

  it('lists every market that is traded, and follows the largest, of a coin not both against USDT and USDC', async () => {
    const rows = [listing('BTCUSDC', 95), listing('TSLAUSDT', 85), ...market, ...untraded];
    const { universe } = await opened(rows, 3);
    await universe.renew();
    expect(symbolsOf(universe)).toEqual({
      followed: ['AUSDT', 'TSLAUSDT', 'BTCUSDT'],
      listed: [
        'BTCUSDC',
        'AUSDT',
        'TSLAUSDT',
        'BUSDT',
        'CUSDT',
        'DUSDT',
        'EUSDT',
        'FUSDT',
        'BTCUSDT',
        'IDLEUSDT',
      ],
    });
  });

  it('follows all with “all”', async () => {
    const { universe } = await opened([...market, ...untraded], 'all');
    await universe.renew();
    expect(universe.symbols()).toEqual(
      [...market.slice(1), ...market.slice(0, 1)].map(({ symbol }) => symbol),
    );
  });

  it('follows a market for a day after somebody asked about it, over a restart, and one that is not listed never', async () => {
    const { universe, open, pass } = await opened(market, 1);
    await universe.renew();
    await universe.ask('FUSDT');
    await universe.ask('NOSUCHUSDT');
    expect(universe.symbols()).toEqual(['FUSDT', 'BTCUSDT']);
    pass(20 * hour);
    const restarted = await open();
    expect(restarted.symbols()).toEqual(['FUSDT', 'BTCUSDT']);
    await restarted.ask('FUSDT');
    pass(20 * hour);
    await restarted.applyList(market, new Set());
    expect(restarted.symbols()).toEqual(['FUSDT', 'BTCUSDT']);
    pass(5 * hour);
    await restarted.applyList(market, new Set());
    expect(restarted.symbols()).toEqual(['BTCUSDT']);
  });

  it('keeps what was learned of a listed market while lists lack it, and drops it once it has ended', async () => {
    const { universe } = await opened(market, 1);
    await universe.renew();
    const mark = { symbol: 'FUSDT', time: 5, markPrice: 2, indexPrice: 2, estFunding: 0 };
    universe.learn({ marks: [mark, { ...mark, symbol: 'NOSUCHUSDT' }] });
    await universe.applyList(market.slice(0, -1), new Set());
    expect(universe.listed().get('FUSDT')?.mark).toEqual(mark);
    expect(universe.listed().has('NOSUCHUSDT')).toBe(false);
    await universe.applyList(market.slice(0, -1), new Set(['FUSDT']));
    expect(universe.listed().has('FUSDT')).toBe(false);
  });
});

describe('the universe follows each list', () => {
  const opened = async () => {
    const universe = await openOver({ wanted: 4 });
    await universe.renew();
    expect(universe.symbols()).toEqual(['AUSDT', 'BUSDT', 'CUSDT', 'BTCUSDT']);
    return universe;
  };
  const without = (symbol: string) => market.filter((row) => row.symbol !== symbol);

  it('whose trading ends leaves at once, and the next takes the place', async () => {
    const universe = await opened();
    await universe.applyList([...without('BUSDT'), listing('BUSDT', 80, 'ENDED')], new Set());
    expect(universe.symbols()).toEqual(['AUSDT', 'CUSDT', 'DUSDT', 'BTCUSDT']);
  });

  it('a new listing of much volume enters', async () => {
    const universe = await opened();
    await universe.applyList([...market, listing('NEWUSDT', 500)], new Set());
    expect(universe.symbols()).toEqual(['NEWUSDT', 'AUSDT', 'BUSDT', 'BTCUSDT']);
  });

  it('whom a list merely lacks stays, until it is known to have ended', async () => {
    const universe = await opened();
    await universe.applyList([...without('BUSDT'), listing('NEWUSDT', 500)], new Set());
    expect(universe.symbols()).toEqual(['AUSDT', 'BUSDT', 'CUSDT', 'BTCUSDT']);
    for (const odd of [listing('BUSDT', 0), listing('BUSDT', 80, 'PENDING')]) {
      await universe.applyList([...without('BUSDT'), odd], new Set());
      expect(universe.symbols()).toEqual(['AUSDT', 'BUSDT', 'CUSDT', 'BTCUSDT']);
    }
    await universe.applyList(without('BUSDT'), new Set(['BUSDT']));
    expect(universe.symbols()).toEqual(['AUSDT', 'CUSDT', 'DUSDT', 'BTCUSDT']);
  });
});
