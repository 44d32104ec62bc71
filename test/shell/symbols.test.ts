import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distance, rank } from '#src/language/closest.ts';
import { UserError } from '#src/language/errors.ts';
import { rankSymbols, resolveSymbol } from '#src/shell/symbols.ts';
import { codePoint } from '#test/support/code-point.ts';
import { universe } from '#test/support/data.ts';

describe('a market is understood as people type it', () => {
  test.each([
    ['lower case', 'btc', 'BTCUSDT'],
    ['the pair itself', ' btcusdt ', 'BTCUSDT'],
    ['a slash', 'BTC/USDT', 'BTCUSDT'],
    ['a slash and what it settles in', 'BTC/USDT:USDT', 'BTCUSDT'],
    ['a dash', 'eth-usdt', 'ETHUSDT'],
    ['a cashtag', '$eth', 'ETHUSDT'],
    ['another venue’s name', 'xbt', 'BTCUSDT'],
    ['another venue’s pair', 'XBTUSD', 'BTCUSDT'],
    ['a perpetual', 'SOL-PERP', 'SOLUSDT'],
    ['a chart’s perpetual', 'BTCUSDT.P', 'BTCUSDT'],
    ['a full name', 'bitcoin', 'BTCUSDT'],
    ['a chart’s perpetual with its exchange', 'BINANCE:BTCUSDT.P', 'BTCUSDT'],
    ['an inverse contract', 'ETH/USD:ETH', 'ETHUSDT'],
    ['full-width letters', 'ＢＴＣ', 'BTCUSDT'],
    ['Cyrillic letters that look Latin', 'ВТС', 'BTCUSDT'],
    ['a name in another language', 'биткоин', 'BTCUSDT'],
    ['what a perpetual is on', 'gold', 'XAUUSDT'],
    ['a coin quoted by the thousand', 'pepe', '1000PEPEUSDT'],
    ['a coin with another venue’s mark of the thousand', 'kPEPE', '1000PEPEUSDT'],
    ['a coin that has another one’s nickname', 'silver', 'SILVERUSDT'],
  ])('%s: %s', (_, typed, symbol) =>
    expect(resolveSymbol(typed, [...universe, 'XAUUSDT', 'XAGUSDT', 'SILVERUSDT'])).toBe(symbol),
  );

  test.each([
    ['by its name', '牛来', '牛来USDT'],
    ['in full', ' 牛来usdt ', '牛来USDT'],
    ['as a cashtag', '$牛来', '牛来USDT'],
    ['composed of parts (NFC)', 'E\u0301TEUSDT', 'ÉTEUSDT'],
  ])('a market with a non-ASCII name is found %s', (_, typed, symbol) => {
    expect(resolveSymbol(typed, [...universe, '牛来USDT', 'ÉTEUSDT'])).toBe(symbol);
    expect(resolveSymbol(symbol, [])).toBe(symbol);
  });

  test('a part of a non-ASCII name suggests the market', () => {
    expect(rankSymbols('踏马', ['BTCUSDT', '我踏马来了USDT'], 3)).toEqual(['我踏马来了USDT']);
  });

  test.each([
    ['misspelt', 'btcc', /Did you mean BTC\?/],
    ['swapped', 'slo', /Did you mean SOL/],
    ['a full name misspelt', 'etherium', /Did you mean ETH\?/],
    ['a full name with letters swapped', 'sloana', /Did you mean SOL\?/],
    ['a full name with one letter wrong', 'bitcon', /Did you mean BTC\?/],
    ['nothing like it', 'zzzzzz', /Unknown market "zzzzzz"\nTry BTC, ETH, SOL\.$/],
    ['no letters', '$$$', /Unknown market/],
    ['too long to repeat', 'x'.repeat(5_000), /Unknown market "x{40}…"/],
  ])('%s: it is refused with a suggestion', (_, typed, message) => {
    expect(() => resolveSymbol(typed, universe)).toThrow(UserError);
    expect(() => resolveSymbol(typed, universe)).toThrow(message);
  });

  test('only a full pair is accepted while the list of markets is unknown', () => {
    expect(resolveSymbol('btcusdt', [])).toBe('BTCUSDT');
    expect(() => resolveSymbol('4h', [])).toThrow(/Give the full pair/);
  });

  test('any input gives a tracked market or a UserError', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (typed) => {
        try {
          expect(universe).toContain(resolveSymbol(typed, universe));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test('the best match comes first, then the order of the universe', () => {
  expect(rankSymbols('', universe, 2)).toEqual(['BTCUSDT', 'ETHUSDT']);
  expect(rankSymbols('$e', universe, 1)).toEqual(['ETHUSDT']);
  const both = ['BTCUSDT', 'ETHUSDT', 'BTCUSDC'];
  expect(rankSymbols('b', both, 2)).toEqual(['BTCUSDT']);
  expect(rankSymbols('btcusdc', both, 1)).toEqual(['BTCUSDC']);
  expect(rank('sub', ['unsubscribe', 'subscribe'])).toEqual(['subscribe', 'unsubscribe']);
});

test('the distance of words is a metric as far as corrections need it', () => {
  expect(distance('funding', 'fundnig')).toBe(1);
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(distance(a, b)).toBe(distance(b, a));
      expect(distance(a, b) === 0).toBe(a === b);
      expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
