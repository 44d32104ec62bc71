import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { bySeverity, foldAlerts } from '#src/web/folding.ts';

const minute = 60_000;

const row = (id: string, given: Partial<AlertRow> = {}): AlertRow => ({
  id,
  kind: 'oi-momentum',
  severity: 'warning',
  status: 'firing',
  revision: 1,
  title: `alert ${id}`,
  groupName: 'OI unwinds',
  startsAt: 0,
  updatedAt: 0,
  endsAt: null,
  delivery: 'sent',
  ...given,
});
const ids = (rows: readonly AlertRow[]) => foldAlerts(rows).map(({ alerts }) => alerts.map(({ id }) => id));

it.each<[string, readonly AlertRow[], readonly (readonly string[])[]]>([
  ['simultaneous ones of a kind are one', [row('a'), row('b', { startsAt: 4 * minute })], [['b', 'a']]],
  ['others are not', [row('a'), row('b', { groupName: 'OI builds up' })], [['a'], ['b']]],
  ['nor later ones', [row('a'), row('b', { startsAt: 6 * minute })], [['b'], ['a']]],
  ['nor those that ended with those that fire', [row('a'), row('b', { endsAt: minute })], [['a'], ['b']]],
  [
    'nor those without a name for all',
    [row('a', { groupName: undefined } as never), row('b')],
    [['a'], ['b']],
  ],
])('%s', (_, rows, expected) => {
  expect(ids(rows)).toEqual(expected);
});

it('a cascade becomes a few rows, however many alerts it has', () => {
  const cascade = Array.from({ length: 50 }, (_, n) =>
    row(`a${n}`, {
      startsAt: n * 1_000,
      kind: n % 2 === 0 ? 'oi-momentum' : 'price-move',
      groupName: 'moves',
    }),
  );
  expect(foldAlerts(cascade)).toHaveLength(2);
});

it('every alert is in one row, and no row mixes firing and ended alerts', () => {
  const rows = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1 }),
      kind: fc.constantFrom('a', 'b'),
      groupName: fc.constantFrom('x', 'y'),
      startsAt: fc.integer({ min: 0, max: 60 * minute }),
      endsAt: fc.option(fc.integer({ min: 0, max: 90 * minute })),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(rows, (given) => {
      const all = given.map((each) => row(each.id, each));
      const folds = foldAlerts(all);
      expect(folds.flatMap(({ alerts }) => alerts.map(({ id }) => id)).sort()).toEqual(
        all.map(({ id }) => id).sort(),
      );
      for (const { alerts } of folds)
        expect(new Set(alerts.map(({ endsAt }) => endsAt === null)).size).toBe(1);
    }),
  );
});

it('a row of several alerts shows the worst severity', () => {
  const rows = [row('a', { severity: 'info' }), row('b', { severity: 'critical' }), row('c')];
  expect(bySeverity(rows).map(({ severity }) => severity)).toEqual(['critical', 'warning', 'info']);
});
