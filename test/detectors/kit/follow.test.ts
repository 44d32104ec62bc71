import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Followed,
  type FollowRules,
  follow,
  followed,
  opened,
  remembered,
} from '#src/detectors/kit/follow.ts';

const rules: FollowRules = { confirm: 2, calm: 2, cooldown: 5 };

/** H and L: strong on the high or low side; h and l: on it, and no longer strong; a dot: on none. */
const sighting = (letter: string, at: number) => ({
  at,
  side: letter === '.' ? null : letter.toUpperCase() === 'H' ? 'HIGH' : 'LOW',
  strong: letter === 'H' || letter === 'L',
});

/** What is told at each letter, one data time apart: + and the letter for a beginning, − for an end. */
function run(letters: string, given: FollowRules = rules): string {
  let state: Followed | undefined;
  return [...letters]
    .map((letter, at) => {
      const { next, told } = follow(state, [sighting(letter, at)], given);
      state = next;
      return told.map(([status, side]) => `${status === 'firing' ? '+' : '-'}${side.at(0)}`).join('') || '.';
    })
    .join(' ');
}

describe('what is followed', () => {
  test.each([
    ['strong at the baseline is told neither then nor at its end', 'HHH...', '. . . . . .'],
    ['weak at the baseline is told once it is strong', 'hHH', '. . +H'],
    ['strong once is not confirmed', '.H.H.', '. . . . .'],
    ['strong twice begins, weak goes on, off twice ends', '.HHhh..', '. . +H . . . -H'],
    ['weak never begins', '.hhhh', '. . . . .'],
    ['off once is not off', '.HH.H.H', '. . +H . . . .'],
    ['the other side ends one and begins the other', '.HHLL', '. . +H . -H+L'],
    ['weak on the other side ends it', '.HHll', '. . +H . -H'],
    ['after its end the cooldown holds the same side back', '.HH..HHHH', '. . +H . -H . . . .'],
    ['what lasts longer than the cooldown is told then', '.HH..HHHHH', '. . +H . -H . . . . +H'],
    ['the cooldown of one side is not the other’s', '.HH..LL', '. . +H . -H . +L'],
  ])('%s', (_rule, letters, expected) => {
    expect(run(letters)).toBe(expected);
  });

  const letters = fc.array(fc.constantFrom('H', 'h', 'L', 'l', '.'), { minLength: 1, maxLength: 40 });
  const anyRules = fc.record({
    confirm: fc.integer({ min: 1, max: 4 }),
    calm: fc.integer({ min: 1, max: 4 }),
    cooldown: fc.integer({ min: 0, max: 10 }),
  });

  test('beginnings and ends alternate, and only what began ends', () => {
    fc.assert(
      fc.property(letters, anyRules, (all, given) => {
        let open: string | null = null;
        for (const each of run(all.join(''), given)
          .split(/[ .]+|(?=[-+])/)
          .filter(Boolean)) {
          const [status, side = ''] = each;
          if (status === '+') {
            expect(open).toBeNull();
            open = side;
          } else {
            expect(open).toBe(side);
            open = null;
          }
        }
      }),
    );
  });

  test('however the data times are cut into polls, in whatever order and how often, the state is the same', () => {
    fc.assert(
      fc.property(letters, anyRules, fc.array(fc.nat(8)), (all, given, cuts) => {
        const sightings = all.map(sighting);
        let state: Followed | undefined;
        for (const one of sightings) state = follow(state, [one], given).next;
        // A baseline is what the first poll shows: the same one here.
        let other = follow(undefined, sightings.slice(0, 1), given).next;
        let at = 0;
        for (const size of [...cuts, sightings.length]) {
          other = follow(other, sightings.slice(Math.max(0, at - 2), at + size).reverse(), given).next;
          at += size;
        }
        expect(other).toEqual(state);
        expect(follow(other, sightings, given)).toEqual({ next: other, told: [] });
        expect(followed.parse(JSON.parse(JSON.stringify(other)))).toEqual(other);
      }),
    );
  });

  test('a value that swings around its level begins once', () => {
    const swings = fc.array(fc.constantFrom('H', 'h'), { maxLength: 60 });
    fc.assert(
      fc.property(swings, (all) => {
        expect(run(`.${all.join('')}`).split('+').length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('what began and ended between two calls is not told', () => {
    const first = follow(undefined, [sighting('.', 0)], rules).next;
    expect(
      follow(
        first,
        [...'HH..'].map((letter, index) => sighting(letter, index + 1)),
        rules,
      ).told,
    ).toEqual([]);
  });

  test('nothing seen is nothing known', () => {
    expect(follow(undefined, [], rules)).toEqual({ next: undefined, told: [] });
  });
});

test('what is open is remembered, the rest while it was seen lately', () => {
  const closed = (seen: number): Followed => ({ seen, open: null, pending: null, ended: null });
  const open: Followed = { ...closed(0), open: { side: 'HIGH', quiet: false, off: 0 } };
  const all = { open, lately: closed(80), long: closed(20) };
  expect(Object.keys(remembered(all, 100, 50))).toEqual(['open', 'lately']);
  expect(opened(all)).toEqual(['open']);
  expect(opened()).toEqual([]);
});
