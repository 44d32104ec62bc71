import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampleSymbols } from '#src/service/checking/sample.ts';

const universe = Array.from({ length: 30 }, (_, index) => `COIN${index}USDT`);

it('every symbol is checked once before any is checked again, for any number and seed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(),
      (length, count, seed) => {
        const symbols = universe.slice(0, length);
        const rounds = Math.ceil(length / count);
        const asked = Array.from({ length: rounds }, (_, round) =>
          sampleSymbols(symbols, { count, round, seed }),
        ).flat();
        expect(asked.slice(0, length).toSorted()).toEqual(symbols.toSorted());
      },
    ),
  );
});

it('a round has no symbol twice, and depends only on the seed, not on the order of symbols', () => {
  const of = (seed: number, symbols: readonly string[]) =>
    Array.from({ length: 25 }, (_, round) => sampleSymbols(symbols, { count: 7, round, seed }));
  const rounds = of(3, universe);
  for (const round of rounds) expect(new Set(round).size).toBe(round.length);
  expect(of(3, universe.toReversed())).toEqual(rounds);
  expect(of(4, universe)).not.toEqual(rounds);
});

it('with few symbols each round has all of them', () => {
  expect(sampleSymbols(['A', 'B'], { count: 3, round: 9, seed: 1 })).toEqual(['A', 'B']);
  expect(sampleSymbols([], { count: 3, round: 9, seed: 1 })).toEqual([]);
});
