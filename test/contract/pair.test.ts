import { describe, expect, it } from 'vitest';
import { pair } from '#src/contract/endpoint.ts';
import { listings } from '#src/service/simulator/listings.ts';

describe('a trading pair', () => {
  it.each([
    ['ASCII', ' btcusdt ', 'BTCUSDT'],
    ['Han', '牛来USDT', '牛来USDT'],
    ['Han and lower case', '我踏马来了usdt', '我踏马来了USDT'],
    ['composed of parts (NFC)', 'e\u0301usdt', 'ÉUSDT'],
  ])('markets with non-ASCII names are accepted: %s', (_, given, symbol) => {
    expect(pair.parse(given)).toBe(symbol);
  });

  it.each(['', 'A', '牛', '<script>', 'BTC USDT', 'BTC_USDT', '₿₿₿', '🐂USDT', 'X'.repeat(31)])(
    'no letters and digits, no pair: %j',
    (given) => expect(pair.safeParse(given).success).toBe(false),
  );

  it('the simulator has one among its first 30, and each of its names is a pair', () => {
    const names = listings.map(({ symbol }) => symbol);
    expect(names.slice(0, 30).filter((name) => !/^[A-Z0-9]+$/.test(name))).toEqual(['牛来USDT']);
    for (const name of names) expect(pair.parse(name)).toBe(name);
  });
});
