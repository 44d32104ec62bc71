import { describe, expect, it } from 'vitest';
import { pair } from '#src/contract/endpoint.ts';
import { listings } from '#src/service/simulation/listings.ts';

describe('a trading pair', () => {
  it.each([
    ['ASCII', ' btcusdt ', 'BTCUSDT'],
    ['Han', '牛来USDT', '牛来USDT'],
    ['Han and lower case', '我踏马来了usdt', '我踏马来了USDT'],
    ['composed of parts (NFC)', 'e\u0301usdt', 'ÉUSDT'],
  ])('may have a non-ASCII name: %s', (_, given, symbol) => {
    expect(pair.parse(given)).toBe(symbol);
  });

  it.each(['', 'A', '牛', '<script>', 'BTC USDT', 'BTC_USDT', '₿₿₿', '🐂USDT', 'X'.repeat(31)])(
    'needs letters or digits: %j',
    (given) => expect(pair.safeParse(given).success).toBe(false),
  );

  it('is every name of the simulator, which has a non-ASCII one among its first 30', () => {
    const names = listings.map(({ symbol }) => symbol);
    expect(names.slice(0, 30).filter((name) => !/^[A-Z0-9]+$/.test(name))).toEqual(['牛来USDT']);
    for (const name of names) expect(pair.parse(name)).toBe(name);
  });
});
