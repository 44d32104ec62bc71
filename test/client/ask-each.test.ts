import { describe, expect, test } from 'vitest';
import { askEach, chooseSymbols } from '#src/client/ask-each.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { answers, dataClient, universe } from '#test/support/data.ts';

const signal = new AbortController().signal;
const refusal = (reason: ApiErrorReason) => new ApiError('/any', reason, 'no');

describe('symbols within a number of requests', () => {
  const within = (max: number, first: string[], data = dataClient()) =>
    chooseSymbols(max, { first, data, signal });

  test('are the named ones first, each once, then the majors, then the movers', async () => {
    expect(await within(5, ['LINKUSDT', 'SOLUSDT', 'LINKUSDT'])).toEqual([
      'LINKUSDT',
      'SOLUSDT',
      'BTCUSDT',
      'ETHUSDT',
      '1000PEPEUSDT',
    ]);
    const strength = (symbol: string) =>
      Math.abs(answers.marketOverview.coins.find((coin) => coin.symbol === symbol)?.signal ?? 0);
    const all = await within(100, []);
    expect(all.toSorted()).toEqual(universe.toSorted());
    expect(all.slice(2).map(strength)).toEqual(
      all
        .slice(2)
        .map(strength)
        .toSorted((a, b) => b - a),
    );
  });

  const blind = dataClient({ marketOverview: refusal('unreachable') });

  test('need no request for the movers if the named ones are enough', async () => {
    expect(await within(2, ['A', 'B', 'C'], blind)).toEqual(['A', 'B']);
  });

  test('are only the named ones without the movers, and an error if there are none', async () => {
    expect(await within(5, ['A'], blind)).toEqual(['A']);
    await expect(within(5, [], blind)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('do not include a major that the service does not have', async () => {
    const data = dataClient({
      marketOverview: { coins: [], regime: 'MARKUP', timestamp: '2026-01-01T00:00:00.000Z' },
    });
    expect(await within(5, [], data)).toEqual([]);
  });
});

describe('a request for each symbol', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const ask = (failing: Readonly<Record<string, Error>>, asked: string[] = []) =>
    askEach(names, async (name) => {
      asked.push(name);
      await Promise.resolve();
      const failure = failing[name];
      if (failure !== undefined) throw failure;
      return name.toUpperCase();
    });

  test('is sent for all, in order', async () => {
    const asked: string[] = [];
    expect((await ask({}, asked)).get('h')).toBe('H');
    expect(asked).toEqual(names);
  });

  test.each<ApiErrorReason>(['invalid_request', 'malformed'])(
    'that fails with "%s" does not affect other symbols',
    async (reason) => {
      const answers = await ask({ b: refusal(reason) });
      expect([...answers.keys()].sort()).toEqual(names.filter((name) => name !== 'b'));
    },
  );

  test('that fails for a general reason ends the series', async () => {
    const asked: string[] = [];
    const answers = await ask({ b: refusal('rate_limited') }, asked);
    expect(answers.get('a')).toBe('A');
    expect(asked.length).toBeLessThan(names.length);
  });

  test('fails with the reason if not a single one succeeded', async () => {
    const all = Object.fromEntries(names.map((name) => [name, refusal('malformed')]));
    await expect(ask(all)).rejects.toMatchObject({ reason: 'malformed' });
    expect(await askEach([], async () => 1)).toEqual(new Map());
  });
});
