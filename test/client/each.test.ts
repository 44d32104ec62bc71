import { describe, expect, test } from 'vitest';
import { askEach, symbolsWithin } from '#src/client/each.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { dataClient, universe } from '#test/support/data.ts';

const signal = new AbortController().signal;
const refusal = (reason: ApiErrorReason) => new ApiError('/any', reason, 'no');

describe('symbols within a number of requests', () => {
  const within = (max: number, first: string[], data = dataClient()) =>
    symbolsWithin(max, { first, data, signal });

  test('those named first, each once, then the majors, then the movers', async () => {
    expect(await within(5, ['LINKUSDT', 'SOLUSDT', 'LINKUSDT'])).toEqual([
      'LINKUSDT',
      'SOLUSDT',
      'BTCUSDT',
      'ETHUSDT',
      'XRPUSDT',
    ]);
    expect(await within(100, [])).toEqual(universe);
  });

  const blind = dataClient({ marketOverview: refusal('unreachable') });

  test('where the named ones fill it, nobody asks for the movers', async () => {
    expect(await within(2, ['A', 'B', 'C'], blind)).toEqual(['A', 'B']);
  });

  test('without the movers there are still the named ones, and without either nothing', async () => {
    expect(await within(5, ['A'], blind)).toEqual(['A']);
    await expect(within(5, [], blind)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('a service without a major has none', async () => {
    const data = dataClient({
      marketOverview: { coins: [], regime: 'MARKUP', timestamp: '2026-01-01T00:00:00.000Z' },
    });
    expect(await within(5, [], data)).toEqual([]);
  });
});

describe('a question for each', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const ask = (failing: Readonly<Record<string, Error>>, asked: string[] = []) =>
    askEach(names, async (name) => {
      asked.push(name);
      await Promise.resolve();
      const failure = failing[name];
      if (failure !== undefined) throw failure;
      return name.toUpperCase();
    });

  test('all are asked, in order', async () => {
    const asked: string[] = [];
    expect((await ask({}, asked)).get('h')).toBe('H');
    expect(asked).toEqual(names);
  });

  test.each<ApiErrorReason>(['invalid_request', 'malformed'])(
    '"%s" is one name’s own matter',
    async (reason) => {
      const answers = await ask({ b: refusal(reason) });
      expect([...answers.keys()].sort()).toEqual(names.filter((name) => name !== 'b'));
    },
  );

  test('what stands in the way of one stands in the way of those after it', async () => {
    const asked: string[] = [];
    const answers = await ask({ b: refusal('rate_limited') }, asked);
    expect(answers.get('a')).toBe('A');
    expect(asked.length).toBeLessThan(names.length);
  });

  test('where nothing was had it fails with the reason', async () => {
    const all = Object.fromEntries(names.map((name) => [name, refusal('malformed')]));
    await expect(ask(all)).rejects.toMatchObject({ reason: 'malformed' });
    expect(await askEach([], async () => 1)).toEqual(new Map());
  });
});
