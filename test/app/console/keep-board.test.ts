import { expect, it } from 'vitest';
import { createBoard } from '#src/app/console/board/board.ts';
import { keepBoard } from '#src/app/console/board/keep-board.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract } from '#src/contract/index.ts';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { answers, dataClient, universe } from '#test/support/data.ts';

const perMarket = ['candles', 'fundingHistory', 'oiMomentum'] as const;

/** Keeps a board in a market whose time runs `speed` times as fast; `over` answers in place of the fixture. */
function keeping(over: Partial<DataClient>, speed = 1) {
  const wall = fakeClock(Date.UTC(2026, 2, 14, 9, 30));
  const market = { ...realTime(wall), speed, now: () => wall.now() * speed };
  const board = createBoard(() => {});
  const loop = keepBoard(board, {
    data: { ...dataClient(), ...over },
    market: () => market,
    tracked: () => universe,
    wall,
    log: { error: () => expect.unreachable() },
  });
  const { coins: listed } = answers.marketOverview;
  return {
    board,
    wall,
    loop,
    /** Has the overview list these coins from now on. */
    list(coins: typeof listed = listed) {
      const answer = { ...answers.marketOverview, coins, timestamp: iso(market.now()) };
      board.applyAnswer({ endpoint: contract.marketOverview, query: {}, answer, at: market.now() });
    },
  };
}

it('a market is asked about while the overview lists it, and from the beginning when it returns', async () => {
  let asked: string[] = [];
  const recorded = perMarket.map((name) => [
    name,
    async (query: { symbol: string }) => {
      asked.push(`${name} ${query.symbol}`);
      return answers[name];
    },
  ]);
  const { list, loop, wall } = keeping(Object.fromEntries(recorded));
  const askedWith = async (symbols: readonly string[], time: number) => {
    asked = [];
    list(answers.marketOverview.coins.filter(({ symbol }) => symbols.includes(symbol)));
    await wall.advance(time);
    return [...new Set(asked)].sort();
  };
  const questionsOf = (...symbols: string[]) =>
    perMarket.flatMap((name) => symbols.map((symbol) => `${name} ${symbol}`));

  expect(await askedWith(['BTCUSDT', 'ETHUSDT'], minute)).toEqual(questionsOf('BTCUSDT', 'ETHUSDT'));
  expect(await askedWith(['BTCUSDT'], 1.5 * hour)).toEqual(['candles BTCUSDT', 'oiMomentum BTCUSDT']);
  expect(await askedWith(['BTCUSDT', 'ETHUSDT'], minute)).toEqual(questionsOf('ETHUSDT'));
  await loop.stop();
});

it('what is shown of all markets stays new, however many markets wait and however fast their time runs', async () => {
  const asked: number[] = [];
  const ofMarkets = new Set<string>();
  const over: Partial<DataClient> = {
    async regimeMarkets() {
      asked.push(wall.now());
      return answers.regimeMarkets;
    },
    async candles({ symbol = '' } = {}) {
      ofMarkets.add(symbol);
      return answers.candles;
    },
  };
  const { list, loop, wall } = keeping(over, 240);
  const [coin] = answers.marketOverview.coins;
  list(Array.from({ length: 100 }, (_, n) => ({ ...coin, symbol: `M${n}USDT` })) as never);
  await wall.advance(4 * minute);
  await loop.stop();
  const pauses = asked.slice(1).map((at, n) => at - (asked[n] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(20_000);
  expect([...ofMarkets].filter((symbol) => symbol !== 'BTCUSDT')).toHaveLength(100);
});

it('of a service without candles, the closes are those of the market’s answer', async () => {
  const asked = new Set<string>();
  const { board, list, loop, wall } = keeping({
    async candles() {
      throw new ApiError('/candles', 'not_offered', 'there is none');
    },
    async intelligence({ symbol = '' } = {}) {
      asked.add(symbol);
      return answers.intelligence;
    },
  });
  list();
  await wall.advance(5 * minute);
  expect(asked).toEqual(new Set(board.symbols()));
  await loop.stop();
});

it('a market’s closes are asked for every six hours, and after a quarter of an hour if that failed', async () => {
  const asked: number[] = [];
  const { list, loop, wall } = keeping({
    async candles({ symbol } = {}) {
      if (symbol === 'ETHUSDT') asked.push(wall.now());
      if (asked.length === 1) throw new ApiError('/candles', 'server_error', 'not now');
      return answers.candles;
    },
  });
  list(answers.marketOverview.coins.filter(({ symbol }) => symbol === 'ETHUSDT'));
  await wall.advance(7 * hour);
  await loop.stop();
  const pauses = asked.slice(1).map((at, n) => Math.round((at - (asked[n] ?? 0)) / (15 * minute)));
  expect(pauses).toEqual([1, 4 * 6]);
});
