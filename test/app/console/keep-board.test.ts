import { expect, it } from 'vitest';
import { createBoard } from '#src/app/console/board/board.ts';
import { keepBoard } from '#src/app/console/board/keep-board.ts';
import { contract } from '#src/contract/index.ts';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { answers, dataClient, universe } from '#test/support/data.ts';

const perMarket = ['candles', 'fundingHistory', 'oiMomentum'] as const;

it('a market is asked about while the overview lists it, and from the beginning when it returns', async () => {
  const wall = fakeClock(Date.UTC(2026, 2, 14, 9, 30));
  const board = createBoard(() => {});
  const data = dataClient();
  let asked: string[] = [];
  const loop = keepBoard(board, {
    data: {
      ...data,
      ...Object.fromEntries(
        perMarket.map((name) => [
          name,
          async (query: { symbol: string }) => {
            asked.push(`${name} ${query.symbol}`);
            return answers[name];
          },
        ]),
      ),
    },
    market: () => realTime(wall),
    tracked: () => universe,
    wall,
    log: { error: () => expect.unreachable() },
  });
  const askedWith = async (symbols: readonly string[], time: number) => {
    asked = [];
    const coins = answers.marketOverview.coins.filter(({ symbol }) => symbols.includes(symbol));
    const answer = { ...answers.marketOverview, coins, timestamp: iso(wall.now()) };
    board.applyAnswer({ endpoint: contract.marketOverview, query: {}, answer, at: wall.now() });
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
  const wall = fakeClock(Date.UTC(2026, 2, 14, 9, 30));
  const speed = 240;
  const market = { ...realTime(wall), speed, now: () => wall.now() * speed };
  const board = createBoard(() => {});
  const coins = Array.from({ length: 100 }, (_, n) => ({
    ...answers.marketOverview.coins[0],
    symbol: `M${n}USDT`,
  }));
  board.applyAnswer({
    endpoint: contract.marketOverview,
    query: {},
    answer: { ...answers.marketOverview, coins, timestamp: iso(market.now()) } as never,
    at: market.now(),
  });
  const asked: number[] = [];
  const ofMarkets = new Set<string>();
  const loop = keepBoard(board, {
    data: {
      ...dataClient(),
      async regimeMarkets() {
        asked.push(wall.now());
        return answers.regimeMarkets;
      },
      async candles({ symbol = '' } = {}) {
        ofMarkets.add(symbol);
        return answers.candles;
      },
    },
    market: () => market,
    tracked: () => universe,
    wall,
    log: { error: () => expect.unreachable() },
  });
  await wall.advance(4 * minute);
  await loop.stop();
  const pauses = asked.slice(1).map((at, n) => at - (asked[n] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(20_000);
  expect([...ofMarkets].filter((symbol) => symbol !== 'BTCUSDT')).toHaveLength(100);
});

it('of a service without candles, the closes are those of the market’s answer', async () => {
  const wall = fakeClock(Date.UTC(2026, 2, 14, 9, 30));
  const board = createBoard(() => {});
  const answer = { ...answers.marketOverview, timestamp: iso(wall.now()) };
  board.applyAnswer({ endpoint: contract.marketOverview, query: {}, answer, at: wall.now() });
  const asked = new Set<string>();
  const loop = keepBoard(board, {
    data: {
      ...dataClient(),
      async candles() {
        throw new ApiError('/candles', 'not_offered', 'there is none');
      },
      async intelligence({ symbol = '' } = {}) {
        asked.add(symbol);
        return answers.intelligence;
      },
    },
    market: () => realTime(wall),
    tracked: () => universe,
    wall,
    log: { error: () => expect.unreachable() },
  });
  await wall.advance(5 * minute);
  expect(asked).toEqual(new Set(board.symbols()));
  await loop.stop();
});
