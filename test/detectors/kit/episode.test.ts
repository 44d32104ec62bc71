import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Episode,
  type EpisodeRules,
  episodeSchema,
  follow,
  openNames,
  remembered,
  type Sample,
} from '#src/detectors/kit/episode.ts';

const schema = episodeSchema(z.number());

/** The sample of each letter in the tables. A dot is on no side. × is over by the calendar. */
const letters: Readonly<Record<string, Omit<Sample<number>, 'at'>>> = {
  // Capital letters are strong on the high or low side; small letters are on it but not strong.
  H: { side: 'H', strong: true },
  h: { side: 'H', strong: false },
  L: { side: 'L', strong: true },
  l: { side: 'L', strong: false },
  // W and C are worse and worst; w is as bad as W but no longer strong.
  W: { side: 'H', strong: true, severity: 'warning' },
  C: { side: 'H', strong: true, severity: 'critical' },
  w: { side: 'H', strong: false, severity: 'warning' },
  r: { side: 'H', strong: false, renew: true },
  // A turn to a side that people already know of.
  k: { side: 'H', strong: true, alreadyReported: true },
  '.': { side: null, strong: false },
  '×': { side: null, strong: false, ends: true },
};
const sample = (letter: string, at: number): Sample<number> => ({
  at,
  note: at,
  ...(letters[letter] ?? { side: null, strong: false }),
});

/**
 * Returns the transitions at each letter, one data time apart: + and the side for a beginning, − and the side for an end, ~ and
 * the severity for another change.
 */
function run(written: string, given: EpisodeRules, news = false): string {
  let state: Episode<number> | undefined;
  return [...written]
    .map((letter, at) => {
      const { next, transitions } = follow(state, {
        samples: [sample(letter, at)],
        rules: given,
        baseline: news ? at === 0 : undefined,
      });
      state = next;
      const said = transitions.map(({ status, side, severity }) =>
        status === 'updated' ? `~${severity.at(0)}` : `${status === 'firing' ? '+' : '-'}${side}`,
      );
      return said.join('') || '.';
    })
    .join(' ');
}

const rules: EpisodeRules = { confirm: 2, calm: 2, cooldown: 5 };
const graded: EpisodeRules = { calm: 2, cooldown: 5 };

describe('an alert on a value that stands out', () => {
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
    ['what is over by the calendar waits for no calm', '.HH×', '. . +H -H'],
  ])('%s', (_rule, written, expected) => {
    expect(run(written, rules)).toBe(expected);
  });

  test.each<[string, string, EpisodeRules, string]>([
    ['confirmed on the other side it ends at once, however calm it must be', '.HL', { calm: 9 }, '. +H -H+L'],
    ['it gets worse by steps, and is told so', '.HWCC', graded, '. +H ~w ~c .'],
    ['it does not ease unless the rules say so', '.CHH', graded, '. +H . .'],
    ['it eases where they do', '.CWH', { ...graded, eases: (from) => from === 'critical' }, '. +H ~w .'],
    ['quiet at the baseline it is told once it is worse', 'HHW..', graded, '. . +H . -H'],
    [
      'the cooldown does not hold back what is bad enough',
      '.W..WC',
      { ...graded, breaks: 'critical' },
      '. +H . -H . +H',
    ],
    ['nor what is worse than the last one was', '.H..HW', { ...graded, breaks: 'worse' }, '. +H . -H . +H'],
    ['but what is only as bad', '.W..WW', { ...graded, breaks: 'worse' }, '. +H . -H . .'],
    [
      'every side waits for a cooldown where the rules say so',
      '.H..LLLL',
      { calm: 1, cooldown: 4, coolsAll: true },
      '. +H -H . . . +L .',
    ],
    ['it is told as it is now where that is asked for', '.Hrhr', graded, '. +H ~i . ~i'],
  ])('%s', (_rule, written, given, expected) => {
    expect(run(written, given)).toBe(expected);
  });

  test('fires for a value first seen after the baseline, if baselines are kept for the whole market', () => {
    const all = { calm: 1 };
    const given = { samples: [sample('H', 5)], rules: all };
    expect(follow<number>(undefined, { ...given, baseline: false }).transitions).toHaveLength(1);
    expect(follow<number>(undefined, given).transitions).toEqual([]);
  });

  test('may begin with partial rows of one data time, which count once', () => {
    const partial: EpisodeRules = { calm: 2, partial: true };
    const step = (past: Episode<number> | undefined, letter: string, at: number) =>
      follow(past, { samples: [sample(letter, at)], rules: partial });
    const baseline = step(undefined, '.', 0).next;
    const begun = step(step(baseline, '.', 1).next, 'H', 1);
    expect(begun.transitions.map(({ status }) => status)).toEqual(['firing']);
    const off = step(step(step(begun.next, '.', 2).next, '.', 2).next, '.', 2);
    expect(off.transitions).toEqual([]);
    expect(step(off.next, '.', 3).transitions.map(({ status }) => status)).toEqual(['resolved']);
  });

  test('ends with its beginning, its peak and the last note on its side', () => {
    let state: Episode<number> | undefined;
    const transitions = [...'.WCh..'].flatMap((letter, at) => {
      const stepped = follow(state, { samples: [sample(letter, at)], rules: graded });
      state = stepped.next;
      return stepped.transitions;
    });
    expect(transitions.at(-1)).toMatchObject({
      status: 'resolved',
      side: 'H',
      since: 1,
      severity: 'critical',
      peak: 'critical',
      note: 3,
    });
  });

  test('begins once if the value swings around its level', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('H', 'h'), { maxLength: 60 }), (all) => {
        expect(run(`.${all.join('')}`, rules).split('+').length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('is not raised if it began and ended between two calls', () => {
    const first = follow(undefined, { samples: [sample('.', 0)], rules }).next;
    const between = [...'HH..'].map((letter, index) => sample(letter, index + 1));
    expect(follow(first, { samples: between, rules }).transitions).toEqual([]);
  });

  test('is raised anew if it ended and began again between two calls', () => {
    let state: Episode<number> | undefined;
    for (const [at, letter] of [...'.W'].entries())
      state = follow(state, { samples: [sample(letter, at)], rules: graded }).next;
    // For example after a stop of the bot: calm twice, and worse after the cooldown.
    const between = [...'......C'].map((letter, index) => sample(letter, index + 2));
    const { next, transitions } = follow(state, { samples: between, rules: graded });
    expect(transitions.map(({ status, severity, since }) => [status, severity, since])).toEqual([
      ['resolved', 'warning', 1],
      ['firing', 'critical', 8],
    ]);
    expect(next?.open?.since).toBe(8);
  });

  test('does not exist without samples', () => {
    expect(follow(undefined, { samples: [], rules })).toEqual({ next: undefined, transitions: [] });
  });
});

const turns: EpisodeRules = { confirm: 2, settle: 4, cooldown: 6 };

describe('an alert on a value that turns from one side to the other', () => {
  test.each([
    ['the side at the baseline is not told', 'HHH', '. . .'],
    ['nor the first side there is', '..HHH', '. . . . .'],
    ['the other side twice is a turn, and it settles', 'HLLLLLL', '. . +L . . . -L'],
    ['the other side once is none', 'HLHLHLH', '. . . . . . .'],
    ['between the sides decides nothing, and is not in a row', 'H...L.L.H', '. . . . . . . . .'],
    ['a turn back ends it, and the cooldown holds the next one back', 'HLLHHH', '. . +L . -L .'],
    ['after the cooldown a turn is told again', 'HLLHHHHHLL', '. . +L . -L . . . . +L'],
    ['what is over by the calendar ends before it settles', 'HLL×L', '. . +L -L .'],
    ['a turn that is known ends the one before and is not told', 'HLLkk', '. . +L . -L'],
  ])('%s', (_rule, written, expected) => {
    expect(run(written, turns)).toBe(expected);
  });

  test('is raised before the last turn has settled if there is no cooldown', () => {
    expect(run('HLLHH', { ...turns, cooldown: 0 })).toBe('. . +L . -L+H');
  });

  test('comes at least a cooldown after the one before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('H', 'L', '.'), { minLength: 1, maxLength: 40 }), (all) => {
        let last = Number.NEGATIVE_INFINITY;
        for (const [at, each] of run(all.join(''), turns).split(' ').entries()) {
          if (!each.includes('+')) continue;
          expect(at - last).toBeGreaterThanOrEqual(6);
          last = at;
        }
      }),
    );
  });
});

describe('with any rules', () => {
  const written = fc.array(fc.constantFrom(...Object.keys(letters)), { minLength: 1, maxLength: 40 });
  const anyRules: fc.Arbitrary<EpisodeRules> = fc.record(
    {
      confirm: fc.integer({ min: 1, max: 4 }),
      calm: fc.integer({ min: 1, max: 4 }),
      cooldown: fc.integer({ min: 0, max: 10 }),
      coolsAll: fc.boolean(),
      breaks: fc.constantFrom('worse', 'critical'),
      eases: fc.constant(() => true),
      settle: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: [] },
  );

  test('beginnings and ends alternate, and only an open episode ends or changes', () => {
    fc.assert(
      fc.property(written, anyRules, fc.boolean(), (all, given, news) => {
        let open: string | null = null;
        for (const [sign, side = ''] of run(all.join(''), given, news).match(/[-+~]./g) ?? []) {
          if (sign === '+') {
            expect(open).toBeNull();
            open = side;
          } else if (sign === '-') {
            expect(open).toBe(side);
            open = null;
          } else expect(open).not.toBeNull();
        }
      }),
    );
  });

  test('the state is the same however the samples are divided into polls, ordered and repeated', () => {
    fc.assert(
      fc.property(written, anyRules, fc.array(fc.nat(8)), (all, given, cuts) => {
        const samples = all.map(sample);
        let state: Episode<number> | undefined;
        for (const one of samples) state = follow(state, { samples: [one], rules: given }).next;
        // The first poll is the baseline, so it is the same one here.
        let other = follow(undefined, { samples: samples.slice(0, 1), rules: given }).next;
        let at = 0;
        for (const size of [...cuts, samples.length]) {
          other = follow(other, {
            samples: samples.slice(Math.max(0, at - 2), at + size).reverse(),
            rules: given,
          }).next;
          at += size;
        }
        expect(other).toEqual(state);
        expect(follow(other, { samples, rules: given })).toEqual({ next: other, transitions: [] });
        expect(schema.parse(JSON.parse(JSON.stringify(other)))).toEqual(other);
      }),
    );
  });
});

test('the state keeps open episodes, those in their cooldown, and others for a while after they were seen', () => {
  const closed = (seen: number): Episode => ({ seen, stands: null, open: null, pending: null, last: null });
  const begun = {
    side: 'H',
    since: 0,
    saidAt: 0,
    quiet: false,
    off: 0,
    severity: 'info',
    peak: 'info',
  } as const;
  const all = {
    open: { ...closed(0), open: begun },
    cooling: { ...closed(0), last: { side: 'H', at: 20, peak: 'info' } as const },
    lately: closed(80),
    long: closed(20),
  };
  expect(Object.keys(remembered(all, { now: 100, keep: 50, cooldown: 90 }))).toEqual([
    'open',
    'cooling',
    'lately',
  ]);
  expect(openNames(all)).toEqual(['open']);
  expect(openNames()).toEqual([]);
});
