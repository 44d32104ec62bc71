import { expect, it } from 'vitest';
import { createBoard } from '#src/app/console/board/board.ts';
import { stretchesOf, thinOut } from '#src/app/console/board/past.ts';
import { createTape } from '#src/app/console/board/tape.ts';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import type { BoardPatch } from '#src/platforms/web/ports/board.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';

const now = Date.UTC(2026, 2, 14, 9, 30);

/** Creates a board and records its patches while they are wanted; `settle` ends the pause between two patches. */
function filled(isWanted = () => true) {
  const waiting: (() => void)[] = [];
  const board = createBoard((work) => void waiting.push(work));
  const patches: BoardPatch[] = [];
  board.onPatch((patch) => void patches.push(patch), isWanted);
  return {
    board,
    patches,
    waiting,
    settle() {
      for (const work of waiting.splice(0)) work();
    },
    hear<Name extends EndpointName>(
      name: Name,
      answer: Partial<EndpointAnswer<Name>>,
      { at = now, query = {} }: { readonly at?: number; readonly query?: object } = {},
    ) {
      board.applyAnswer({ endpoint: contract[name], query, answer, at });
    },
  };
}

const coin = (symbol: string, price: number) => ({ symbol, price, signal: 0.4, funding: 0.0001, master: 60 });
const overview = (at: number, ...coins: ReturnType<typeof coin>[]) => ({ coins, timestamp: iso(at) });

it('the board shows what was fetched, and nothing that was not requested', () => {
  const { board, hear } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 61_204.5)));
  expect(board.read()['market/BTCUSDT']).toEqual({
    symbol: 'BTCUSDT',
    price: 61_204.5,
    at: now,
    longsLiquidated: 0,
    shortsLiquidated: 0,
  });
  hear('fundingCurrent', {
    data: [{ symbol: 'BTCUSDT', rate: '0.00010000', annualized: '10.95', timestamp: iso(now - hour) }],
  });
  hear('basis', { symbol: 'BTCUSDT', current: { basisPct: 0.051 } as never });
  hear('lsRatioHistory', {
    symbol: 'BTCUSDT',
    type: 'top_position',
    data: [{ timestamp: iso(now), longRatio: 0.62, shortRatio: 0.38 }],
  });
  expect(board.read()['market/BTCUSDT']).toMatchObject({
    funding: 0.0001,
    fundingAt: now - hour,
    basis: 0.051,
    longShare: 0.62,
  });
});

it('changes compare with the price an hour ago, interpolated, and with the last close of at least a day ago', () => {
  const { board, hear } = filled();
  for (const [ago, price] of [
    [70, 100],
    [50, 102],
    [0, 103.02],
  ] as const)
    hear('marketOverview', overview(now - ago * minute, coin('BTCUSDT', price)));
  const lastClose = Math.floor(now / hour) * hour;
  const closing = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      open_time: iso(lastClose - (n + 1) * hour),
      c: String(n === 24 ? 98.5 : 100),
    })).reverse();
  // The oldest of 24 closes is less than a day old.
  hear('intelligence', { symbol: 'BTCUSDT', candles24h: closing(24), fundingHistory: [] });
  expect(board.read()['market/BTCUSDT']?.change24h).toBeUndefined();
  hear('candles', { symbol: 'BTCUSDT', interval: '1h', data: closing(26) as never });
  const row = board.read()['market/BTCUSDT'];
  expect(row?.change1h).toBeCloseTo((103.02 / 101 - 1) * 100, 9);
  expect(row?.change24h).toBeCloseTo((103.02 / 98.5 - 1) * 100, 9);
  expect(board.read()['trail/BTCUSDT']?.at(-1)).toBe(103.02);
});

it('one answer about all markets fills 1 h, 24 h, basis and longs, which then move with the price', () => {
  const { board, hear } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 100), coin('ETHUSDT', 10)));
  const rest = { timestamp: iso(now), price: 100 };
  hear('prices', {
    data: [
      { symbol: 'BTCUSDT', ...rest, change1hPct: 25, change24hPct: -20, basisPct: 0.02, longRatio: 0.6 },
      { symbol: 'ETHUSDT', ...rest },
    ],
  });
  const row = board.read()['market/BTCUSDT'];
  expect(row).toMatchObject({ basis: 0.02, longShare: 0.6 });
  expect([row?.change1h, row?.change24h]).toEqual([expect.closeTo(25), expect.closeTo(-20)]);
  expect(board.read()['market/ETHUSDT']?.change1h).toBeUndefined();
  expect([board.updatedAt('basis', 'BTCUSDT'), board.updatedAt('basis', 'ETHUSDT')]).toEqual([
    now,
    undefined,
  ]);
  hear('marketOverview', overview(now + minute, coin('BTCUSDT', 120)));
  expect(board.read()['market/BTCUSDT']?.change24h).toBeCloseTo(-4);
});

it('the hours of a day go on from the prices, so that no cell empties while its closes are not asked for', () => {
  const { board, hear } = filled();
  const begin = Math.floor(now / hour) * hour;
  for (let minutes = 0; minutes <= 30 * 60; minutes += 10)
    hear('marketOverview', overview(begin + minutes * minute, coin('BTCUSDT', 100 + minutes)));
  const entries = board.read();
  expect(entries['trail/BTCUSDT']).toEqual(Array.from({ length: 25 }, (_, n) => 100 + (n + 6) * 60));
  expect(entries['market/BTCUSDT']?.change24h).toBeCloseTo((1_900 / 460 - 1) * 100);
  hear('prices', {
    data: [{ symbol: 'BTCUSDT', timestamp: iso(begin + 30 * hour), price: 1_900, change24hPct: 300 }],
  });
  expect(board.read()['market/BTCUSDT']?.change24h).toBeCloseTo(300);
});

it('the change over an hour is unknown if there is a gap around that time', () => {
  const { board, hear } = filled();
  for (const [ago, price] of [
    [85, 100],
    [50, 102],
    [0, 103],
  ] as const)
    hear('marketOverview', overview(now - ago * minute, coin('BTCUSDT', price)));
  expect(board.read()['market/BTCUSDT']?.change1h).toBeUndefined();
});

it('open interest is compared in contracts with the snapshot of an hour ago', () => {
  const { board, hear } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 1)));
  const row = (ago: number, oi: number) => ({
    timestamp: iso(now - ago * minute),
    oi,
    ratePct: 0,
    accelerationPct: 0,
  });
  hear('oiMomentum', { symbol: 'BTCUSDT', data: [row(65, 90), row(60, 100), row(5, 120), row(0, 103)] });
  expect(board.read()['market/BTCUSDT']?.interest1h).toBeCloseTo(3, 9);
});

it('settlements come from past and present responses, each once, the last thirty', () => {
  const { board, hear } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 1)));
  const data = Array.from({ length: 40 }, (_, n) => ({
    timestamp: iso(now - (40 - n) * 8 * hour),
    rate: String(n / 1e5),
    annualized: '0',
  }));
  hear('fundingHistory', { symbol: 'BTCUSDT', data });
  for (let times = 0; times < 2; times += 1)
    hear('fundingCurrent', {
      data: [{ symbol: 'BTCUSDT', rate: '-0.0002', annualized: '0', timestamp: iso(now) }],
    });
  const settlements = board.read()['settlements/BTCUSDT'] ?? [];
  expect(settlements).toHaveLength(30);
  expect(settlements.at(-1)).toEqual([now, -0.0002]);
  expect(settlements[0]?.[1]).toBeCloseTo(11 / 1e5, 9);
});

it('the board sends only changes, the latest of each entry, once per pause', () => {
  const { hear, settle, patches } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 1), coin('ETHUSDT', 5)));
  hear('marketOverview', overview(now + minute, coin('BTCUSDT', 2), coin('ETHUSDT', 5)));
  settle();
  expect(patches).toHaveLength(1);
  expect(patches[0]?.['market/BTCUSDT']?.price).toBe(2);
  hear('marketOverview', overview(now + minute, coin('BTCUSDT', 3), coin('ETHUSDT', 5)));
  settle();
  expect(Object.keys(patches[1] ?? {}).sort()).toEqual(['market/BTCUSDT', 'trail/BTCUSDT']);
  hear('marketOverview', overview(now + minute, coin('BTCUSDT', 3), coin('ETHUSDT', 5)));
  settle();
  expect(patches).toHaveLength(2);
});

it('a market that the overview no longer lists leaves the board with all its figures', () => {
  const { board, hear, settle, patches } = filled();
  const [btc, eth] = [coin('BTCUSDT', 1), coin('ETHUSDT', 5)];
  hear('marketOverview', overview(now, btc, eth));
  hear('basis', { symbol: 'ETHUSDT', current: { basisPct: 0.051 } as never });
  settle();
  hear('marketOverview', overview(now + minute, btc));
  settle();
  expect(board.symbols()).toEqual(['BTCUSDT']);
  expect(board.updatedAt('basis', 'ETHUSDT')).toBeUndefined();
  expect(Object.keys(board.read()).filter((key) => key.includes('ETHUSDT'))).toEqual([]);
  expect(patches[1]).toMatchObject({
    'market/ETHUSDT': null,
    'trail/ETHUSDT': null,
    'settlements/ETHUSDT': null,
  });
  hear('marketOverview', overview(now + 2 * minute, btc, eth));
  settle();
  expect(patches[2]?.['market/ETHUSDT']).toMatchObject({ price: 5 });
  expect(patches[2]?.['market/ETHUSDT']).not.toHaveProperty('basis');
});

it('an overview without markets, or older than the newest, removes no market', () => {
  const { board, hear } = filled();
  hear('marketOverview', overview(now, coin('BTCUSDT', 1), coin('ETHUSDT', 5)));
  hear('marketOverview', overview(now + minute));
  hear('marketOverview', overview(now - minute, coin('BTCUSDT', 1)));
  expect(board.symbols()).toEqual(['BTCUSDT', 'ETHUSDT']);
});

it('a regime lasts since its last change in the history', () => {
  const { board, hear } = filled();
  const row = (ago: number, state: string) => ({
    timestamp: iso(now - ago * hour),
    regime: 'MARKUP',
    hmm_state: state,
    confidence: 0.8,
    score: 1,
  });
  const said = {
    current: { state: 'RISK_ON', legacyRegime: 'MARKUP', confidence: 0.8, score: 1 },
    probabilities: { RISK_ON: 0.8, RISK_OFF: 0.1, TRANSITION: 0.1 },
    transition: null,
    timestamp: iso(now),
  };
  hear('regimeProbabilities', said as never);
  expect(board.read().regime).toEqual({ state: 'RISK_ON', probabilities: said.probabilities, at: now });
  hear(
    'regimeHistory',
    { data: [row(1, 'RISK_ON'), row(2, 'RISK_ON'), row(3, 'RISK_OFF')] },
    { query: { days: 30 } },
  );
  expect(board.read().regime?.since).toBe(now - 2 * hour);
  expect(board.read().past?.stretches.map(([, , state]) => state)).toEqual(['RISK_OFF', 'RISK_ON']);
  hear('regimeProbabilities', {
    ...said,
    current: { ...said.current, state: 'TRANSITION' },
    timestamp: iso(now + hour),
  } as never);
  expect(board.read().regime).toMatchObject({ state: 'TRANSITION', since: now + hour });
  const reversal = { from: 'TRANSITION', to: 'RISK_OFF', type: 'START', magnitude: 0.2 };
  hear('regimeProbabilities', { ...said, transition: reversal } as never);
  expect(board.read().regime).toMatchObject({ likelier: 'RISK_OFF' });
  hear('regimeProbabilities', { ...said, symbol: 'ETHUSDT' } as never);
  expect(board.read().regime).toMatchObject({ likelier: 'RISK_OFF' });
});

it('each market has its regime, and the likelier state where there is one', () => {
  const { board, hear } = filled();
  hear('regimeMarkets', answers.regimeMarkets);
  hear('marketOverview', answers.marketOverview);
  const { breadth, ...entries } = board.read();
  expect(breadth).toEqual({ shares: answers.regimeMarkets.breadth, count: answers.regimeMarkets.count });
  expect(entries['market/ETHUSDT']).toMatchObject({ regime: 'RISK_ON', likelierRegime: 'RISK_OFF' });
  expect(entries['market/BTCUSDT']).toMatchObject({ regime: 'RISK_ON' });
  expect(entries['market/BTCUSDT']?.likelierRegime).toBeUndefined();
});

it('the tape has each liquidation once, newest first, and sums of one hour by side and market', () => {
  const tape = createTape();
  const event = (ago: number, usd: number, side = 'LONG', symbol = 'BTCUSDT') => ({
    symbol,
    side,
    usd,
    price: 1,
    at: now - ago * minute,
  });
  tape.addEvents([event(1, 10), event(2, 20, 'SHORT', 'ETHUSDT')], now);
  tape.addEvents([event(0.5, 5), event(1, 10), event(70, 1_000)], now);
  expect(tape.read()).toMatchObject({ longs: 15, shorts: 20 });
  expect(tape.read().events.map(({ usd }) => usd)).toEqual([5, 10, 20]);
  expect(tape.sumsOf('BTCUSDT')).toEqual({ longs: 15, shorts: 0 });
  tape.addEvents([], now + 59 * minute);
  expect(tape.read()).toMatchObject({ longs: 5, shorts: 0 });
});

it('the tape shows the 40 newest liquidations, and sums at most 5,000', () => {
  const tape = createTape();
  const events = Array.from({ length: 5_001 }, (_, n) => ({
    ...{ symbol: 'BTCUSDT', side: 'LONG', usd: 1, price: 1 },
    at: now - n,
  }));
  tape.addEvents(events, now);
  expect([tape.read().events.length, tape.read().longs]).toEqual([40, 5_000]);
});

it('the tape is of all exchanges that publish their liquidations, and says which and how much of theirs', () => {
  const { board, hear } = filled();
  const coverage = [{ venue: 'bybit', title: 'Bybit', publishes: 'ALL' as const }];
  const event = { symbol: 'BTCUSDT', side: 'LONG' as const, price: '1', quantity: '5', usd_value: 5 };
  hear('venueLiquidations', { data: [{ ...event, venue: 'bybit', event_time: iso(now) }], coverage });
  expect(board.read().tape).toMatchObject({ coverage, longs: 5, events: [{ symbol: 'BTCUSDT' }] });
});

it.each([
  ['as many as may be', 3, 5, [0, 1, 2]],
  ['fewer, the newest among them', 7, 3, [0, 3, 6]],
])('thinning a series keeps %s', (_, length, most, kept) => {
  expect(
    thinOut(
      Array.from({ length }, (_, n) => n),
      most,
    ),
  ).toEqual(kept);
});

it('stretches have the mean confidence of their hours, and end two hours after what is known of them', () => {
  const at = (n: number, state: string, confidence: number) => ({ at: n * hour, state, confidence });
  const hours = [at(2, 'b', 0.6), at(0, 'a', 0.5), at(1, 'a', 0.7), at(30, 'b', 0.4)];
  expect(stretchesOf(hours)).toEqual([
    [0, 2 * hour, 'a', 0.6],
    [2 * hour, 4 * hour, 'b', 0.6],
    [30 * hour, 32 * hour, 'b', 0.4],
  ]);
});

it('changes are not looked for while nobody wants them, and come with the next that is wanted', () => {
  let isWanted = false;
  const { board, hear, patches, settle, waiting } = filled(() => isWanted);
  hear('marketOverview', overview(now, coin('BTCUSDT', 61_204.5)));
  expect(waiting).toEqual([]);
  expect(board.read()['market/BTCUSDT']).toMatchObject({ price: 61_204.5 });
  isWanted = true;
  hear('marketOverview', overview(now, coin('BTCUSDT', 61_204.5), coin('ETHUSDT', 3_210)));
  settle();
  expect(patches).toHaveLength(1);
  expect(patches[0]).toMatchObject({
    'market/BTCUSDT': { price: 61_204.5 },
    'market/ETHUSDT': { price: 3_210 },
  });
});
