import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Turning, type TurnRules, turn, turning } from '#src/detectors/kit/turn.ts';

const rules: TurnRules = { confirm: 2, settle: 4, cooldown: 6 };
const stance = (letter: string, at: number) => ({ at, side: letter === '.' ? null : letter });

/** What is told at each letter, one data time apart. A dot is between the sides. */
function run(letters: string, given: TurnRules = rules): string {
  let state: Turning | undefined;
  return [...letters]
    .map((letter, at) => {
      const { next, told } = turn(state, [stance(letter, at)], given);
      state = next;
      return told.map(([status, side]) => `${status === 'firing' ? '+' : '-'}${side}`).join('') || '.';
    })
    .join(' ');
}

describe('a turn', () => {
  test.each([
    ['the side at the baseline is not told', 'PPP', '. . .'],
    ['nor the first side there is', '..PPP', '. . . . .'],
    ['the other side twice is a turn, and it settles', 'PNNNNNN', '. . +N . . . -N'],
    ['the other side once is none', 'PNPNPNP', '. . . . . . .'],
    ['between the sides decides nothing, and is not in a row', 'P...N.N.P', '. . . . . . . . .'],
    ['a turn back ends it, and the cooldown holds the next one back', 'PNNPPP', '. . +N . -N .'],
    ['after the cooldown a turn is told again', 'PNNPPPPPNN', '. . +N . -N . . . . +N'],
  ])('%s', (_rule, letters, expected) => {
    expect(run(letters)).toBe(expected);
  });

  test('a turn before the last has settled is told at once where there is no cooldown', () => {
    expect(run('PNNPP', { ...rules, cooldown: 0 })).toBe('. . +N . -N+P');
  });

  const letters = fc.array(fc.constantFrom('P', 'N', '.'), { minLength: 1, maxLength: 40 });

  test('polls do not count: cut, repeated or in disorder, the state is the same', () => {
    fc.assert(
      fc.property(letters, fc.array(fc.nat(8)), (all, cuts) => {
        const stances = all.map(stance);
        let state: Turning | undefined;
        for (const one of stances) state = turn(state, [one], rules).next;
        let other = turn(undefined, stances.slice(0, 1), rules).next;
        let at = 0;
        for (const size of [...cuts, stances.length]) {
          other = turn(other, stances.slice(Math.max(0, at - 2), at + size).reverse(), rules).next;
          at += size;
        }
        expect(other).toEqual(state);
        expect(turn(other, stances, rules)).toEqual({ next: other, told: [] });
        expect(turning.parse(JSON.parse(JSON.stringify(other)))).toEqual(other);
      }),
    );
  });

  test('told turns are a cooldown apart, and alternate with their ends', () => {
    fc.assert(
      fc.property(letters, (all) => {
        let open: string | undefined;
        let last = Number.NEGATIVE_INFINITY;
        for (const [at, each] of run(all.join('')).split(' ').entries()) {
          for (const [sign, side] of each.match(/[-+]./g) ?? []) {
            if (sign === '-') expect(side).toBe(open);
            else {
              expect(open).toBeUndefined();
              expect(at - last).toBeGreaterThanOrEqual(rules.cooldown);
              last = at;
            }
            open = sign === '-' ? undefined : side;
          }
        }
      }),
    );
  });
});
