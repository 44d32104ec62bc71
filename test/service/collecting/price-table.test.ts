import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minute, second } from '#src/runtime/units.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';

const begin = Date.UTC(2025, 5, 3);

/** A table that knows a price of 100, and takes prints a second apart. */
function knownAt100() {
  const table = createPriceTable();
  let now = begin;
  const print = (price: number, time = now) => {
    now += second;
    table.take([{ symbol: 'BTCUSDT', price, time: time + second }], now);
    return table.of('BTCUSDT')?.price;
  };
  const wait = (ms: number) => {
    now += ms;
  };
  print(100);
  return { table, print, wait, now: () => now };
}

describe('what is believed of prices', () => {
  it.each([10, 100, 0.1, 0.001, 1.2, 0.8])('a single print × %d changes nothing', (factor) => {
    const { table, print } = knownAt100();
    const before = table.revision();
    expect(print(100 * factor)).toBe(100);
    expect(table.revision()).toBe(before);
    expect(print(100.1)).toBe(100.1);
  });

  it('a price beyond a plausible step is believed once the next seconds confirm it', () => {
    const { print } = knownAt100();
    expect([150, 152, 149, 151].map((price) => print(price))).toEqual([100, 100, 149, 151]);
  });

  it('a price and its mark that step together are believed together', () => {
    const { table, now } = knownAt100();
    const told = [100, 150, 150, 150].map((price, index) => {
      const at = now() + index * second;
      table.take([{ symbol: 'BTCUSDT', price, markPrice: price, time: at }], at);
      const { markPrice, price: last } = table.of('BTCUSDT') ?? {};
      return [last, markPrice];
    });
    expect(told).toEqual([100, 100, 100, 150].map((price) => [price, price]));
  });

  it('wrong prints that differ from each other confirm nothing, nor does one that is repeated with its time', () => {
    const { print, now } = knownAt100();
    expect([1_000, 10_000, 0.1, 1_000].map((price) => print(price))).toEqual([100, 100, 100, 100]);
    const time = now();
    expect([1_000, 1_000, 1_000, 1_000].map((price) => print(price, time))).toEqual([100, 100, 100, 100]);
  });

  it('a fall by plausible steps is followed print by print', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.92, max: 1.08, noNaN: true }), { maxLength: 60 }), (steps) => {
        const { print } = knownAt100();
        let price = 100;
        for (const step of steps) {
          price *= step;
          expect(print(price)).toBe(price);
        }
      }),
    );
  });

  it.each([100, 1_000, 0.01])('a redenomination × %d after a gap is no change of the price', (factor) => {
    const { table, print, wait } = knownAt100();
    for (let index = 0; index < 20; index += 1) print(100 + index / 100);
    wait(5 * minute);
    for (let index = 0; index < 120; index += 1) {
      print((100 + index / 1_000) * factor);
      for (const change of Object.values(table.changes('BTCUSDT'))) expect(Math.abs(change)).toBeLessThan(1);
    }
    expect(table.of('BTCUSDT')?.price).toBeCloseTo(100.119 * factor);
    expect(table.changes('BTCUSDT').change1mPct).toBeCloseTo(0.06, 1);
  });
});

it.each([
  ['known', -second],
  ['not known', second],
])(
  'a change is %s where its first price is older than its window by a quarter and %d ms',
  (known, beyond) => {
    const { table, print, wait } = knownAt100();
    wait(5 * minute * 1.25 + beyond - second);
    print(101);
    expect(table.changes('BTCUSDT').change5mPct).toEqual(known === 'known' ? 1 : undefined);
  },
);

it('prices that are repeated, with their times or new ones, are no news', () => {
  const { table, print, now } = knownAt100();
  const at = now();
  for (const time of [at, at - minute, at + second])
    expect(table.take([{ symbol: 'BTCUSDT', price: 100, time }], at + 2 * second)).toBe(false);
  expect(table.take([{ symbol: 'BTCUSDT', price: 99, time: at - minute }], at + 3 * second)).toBe(false);
  table.setStale(true);
  expect(table.of('BTCUSDT')?.time).toBe(at);
  expect(print(101)).toBe(101);
});
