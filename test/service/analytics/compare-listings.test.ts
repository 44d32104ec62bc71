import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import {
  compareListings,
  type KnownListings,
  type ListingChange,
} from '#src/service/analytics/compare-listings.ts';
import type { Listing } from '#src/service/venues/venue.ts';

const start = Date.UTC(2026, 0, 5, 12);
const one = (symbol: string, more: Partial<Listing> = {}): Listing => ({
  symbol: `${symbol}USDT`,
  listed: start - 400 * day,
  volume: 1_000_000,
  price: 2,
  fundingHours: 8,
  ...more,
});
const many = Array.from({ length: 40 }, (_, index) => one(`C${index}`));
const without = (count: number) => many.slice(count);

/** Returns the changes of each look, a quarter of an hour apart or at the given time. */
function looks(lists: readonly (readonly Listing[] | { at: number; list: readonly Listing[] })[]) {
  let known: KnownListings | undefined;
  return lists.map((entry, index) => {
    const { at, list } = 'list' in entry ? entry : { at: index * 15 * minute, list: entry };
    const looked = compareListings(known, { listings: list, now: start + at });
    if ('rejectReason' in looked) return [`odd: ${looked.rejectReason}`];
    known = JSON.parse(JSON.stringify(looked.known));
    return looked.changes.map(({ change, symbol }) => `${symbol.replace('USDT', '')} ${change}`);
  });
}
const changeOf = (before: Listing | undefined, after: Listing): ListingChange | undefined => {
  const first = compareListings(undefined, { listings: before ? [...many, before] : many, now: start });
  if ('rejectReason' in first) throw new Error(first.rejectReason);
  const now = start + 15 * minute;
  const second = compareListings(first.known, { listings: [...many, after], now });
  return 'rejectReason' in second ? undefined : second.changes[0];
};

describe('changes in an exchange’s list', () => {
  const soon = { state: 'PENDING', listed: start + day, volume: 0 } as const;
  const fresh = { listed: start - hour };
  const plus = (more: Partial<Listing> = {}) => [...many, one('X', more)];
  const first = (more: Partial<Listing>) => [one('C0', more), ...without(1)];
  const unsaid = without(1).concat({ symbol: 'C0USDT', listed: start - 400 * day, volume: 1 });
  const [end, later] = [{ ends: start + day }, { ends: start + 2 * day }];
  const renamed = [...many, one('POL', { number: 7 })];
  const anew = [...many, one('POL', fresh)];

  it.each<[string, (readonly Listing[])[], string[]]>([
    ['the first look is silent', [many], ['']],
    ['the same list again says nothing', [many, many], ['', '']],
    ['a new one is told once', [many, plus(fresh), plus(fresh)], ['', 'X LISTED', '']],
    [
      'one that is announced is told, and again when it is traded',
      [many, plus(soon), plus({ listed: start })],
      ['', 'X ANNOUNCED', 'X LISTED'],
    ],
    ['one that was listed long ago is no news', [many, plus()], ['', '']],
    ['where no date is said, whatever was not there is new', [many, plus({ listed: 0 })], ['', 'X LISTED']],
    [
      'one that is delisted already when it is met is none',
      [many, plus({ ...fresh, state: 'ENDED' })],
      ['', ''],
    ],
    [
      'a planned end is told, and the end',
      [plus(), plus(end), plus(end), plus({ ...end, state: 'ENDED' })],
      ['', 'X DELISTING', '', 'X DELISTED'],
    ],
    [
      'an end that is planned for another time is told again, and one that is called off',
      [plus(end), plus(later), plus()],
      ['', 'X DELISTING', 'X RETAINED'],
    ],
    [
      'another interval is told; one that is not said is none',
      [many, first({ fundingHours: 4 }), unsaid, first({ fundingHours: 4 })],
      ['', 'C0 INTERVAL', '', ''],
    ],
    ['a pause of its trading is no change', [many, first({ state: 'PENDING' }), many], ['', '', '']],
    [
      'another name under the number that the exchange keeps is a rename, and no delisting',
      [[...many, one('MATIC', { number: 7 })], ...Array(13).fill(renamed)],
      ['', 'POL RENAMED', ...Array(12).fill('')],
    ],
    [
      'without such a number a new name is a new one, and the old one is missed',
      [[...many, one('MATIC')], ...Array(9).fill(anew)],
      ['', 'POL LISTED', ...Array(7).fill(''), 'MATIC DELISTED'],
    ],
  ])('%s', (_, lists, expected) => {
    expect(looks(lists).map((changes) => changes.join())).toEqual(expected);
  });

  it('a new market comes with its first price, volume and interval, and its start', () => {
    expect(changeOf(undefined, one('X', fresh))).toMatchObject({
      effective: start - hour,
      price: 2,
      volume: 1_000_000,
      hours: 8,
    });
  });

  it('a changed interval comes with the previous one', () => {
    expect(changeOf(one('X'), one('X', { fundingHours: 4 }))).toMatchObject({ hours: 4, hoursBefore: 8 });
  });
});

describe('implausible lists', () => {
  const lacking = without(1);
  it('a missing market is delisted if all lists of two hours lack it, and reported if it returns', () => {
    const told = looks([many, ...Array.from({ length: 9 }, () => lacking), many]);
    expect(told.map((each) => each.join())).toEqual(['', ...Array(8).fill(''), 'C0 DELISTED', 'C0 LISTED']);
  });

  it('a market that is missing now and then is not delisted', () => {
    const told = looks(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? many : lacking)));
    expect(told.flat()).toEqual([]);
  });

  it.each<[string, readonly Listing[]]>([
    ['half of it is missing', without(20)],
    ['all of it is', []],
    ['all of it is delisted', many.map((each) => ({ ...each, state: 'ENDED' as const }))],
    ['a third of it settles otherwise', many.map((each, i) => (i % 3 ? each : { ...each, fundingHours: 4 }))],
    [
      'it is twice as long',
      [...many, ...many.map((each) => ({ ...each, listed: 0, symbol: `Z${each.symbol}` }))],
    ],
  ])('%s: the list is not believed and has no effect', (_, odd) => {
    const told = looks([many, ...Array.from({ length: 20 }, () => odd), many]);
    expect(told[0]).toEqual([]);
    for (const each of told.slice(1, -1)) expect(each.join()).toMatch(/^odd: its list /);
    expect(told.at(-1)).toEqual([]);
  });

  it('after a week of implausible lists the next one is taken as the first', () => {
    const other = many.map((each) => ({ ...each, symbol: `Z${each.symbol}` }));
    expect(looks([many, { at: 6 * day, list: other }, { at: 8 * day, list: other }])).toEqual([
      [],
      [expect.stringMatching(/^odd/)],
      [],
    ]);
  });

  it('changes during an outage of days are reported afterwards', () => {
    const list = [...without(1), one('X', { listed: start + 2 * day }), one('C0', { state: 'ENDED' })];
    expect(looks([many, { at: 5 * day, list }])[1]?.sort()).toEqual(['C0 DELISTED', 'X LISTED']);
  });
});

it('the same list twice gives no further change', () => {
  const listing = fc.record(
    {
      symbol: fc.constantFrom(...many.slice(0, 8).map(({ symbol }) => symbol)),
      listed: fc.constantFrom(0, start - hour, start - 400 * day, start + day),
      volume: fc.constantFrom(0, 1),
      price: fc.constantFrom(0.5, 2),
      state: fc.constantFrom('PENDING' as const, 'ENDED' as const),
      ends: fc.constantFrom(start + day, start + 2 * day),
      fundingHours: fc.constantFrom(1, 4, 8),
      number: fc.nat(8),
    },
    { requiredKeys: ['symbol', 'listed', 'volume'] },
  );
  const list = fc.uniqueArray(listing, { selector: ({ symbol }) => symbol, maxLength: 8 });
  fc.assert(
    fc.property(list, list, (first, second) => {
      let known: KnownListings | undefined;
      for (const [index, listings] of [first, second, second].entries()) {
        const looked = compareListings(known, { listings, now: start + index * minute });
        if ('rejectReason' in looked) return;
        if (index === 2) expect(looked.changes).toEqual([]);
        known = JSON.parse(JSON.stringify(looked.known));
      }
    }),
  );
});
