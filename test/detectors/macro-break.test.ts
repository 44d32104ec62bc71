import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/macro-break.ts';
import { day, hour, iso } from '#src/runtime/units.ts';
import { brief, drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const quick = { confirm: 2, calm: 2, cooldown: '0s' };
/** Returns the two rows of a day. The correlation is computed from whole days and is constant from midnight on. */
const rowsOf = (index: number, value: number | undefined) =>
  [0, 12].map((hours) => ({
    timestamp: iso(start + index * day + hours * hour),
    gold: 2000 + Math.floor(index / 3),
    ...(value === undefined ? {} : { btc_gold_corr: value }),
  }));
/** Forty days at `usual`, which are the baseline, and then one day per value, with two looks a day. */
const run = (
  usual: number,
  values: readonly (number | undefined)[],
  options: Record<string, unknown> = quick,
) => {
  const all = [...Array.from({ length: 40 }, () => usual), ...values].map((value, index) =>
    rowsOf(index, value),
  );
  const seen = (days: number, hours: number) =>
    [start + days * day + hours * hour, { data: all.slice(0, days + 1).flat(), count: 0 }] as const;
  return drive(detector, options, [
    seen(39, 23),
    ...values.flatMap((_, index) => [seen(40 + index, 1), seen(40 + index, 13)]),
  ]).changes.slice(1);
};
/** The changes of each day, from both looks. */
const daily = (changes: ReturnType<typeof run>) =>
  brief(
    Array.from({ length: changes.length / 2 }, (_, index) => changes.slice(2 * index, 2 * index + 2).flat()),
  );

describe('a correlation that breaks', () => {
  test.each<[string, number, (number | undefined)[], string]>([
    ['as usual is nothing', 0.4, [0.4, 0.5, 0.3], '. . .'],
    [
      'far from its usual for days is a break, counted by days and not by looks',
      0.4,
      [-0.1, -0.1, -0.1],
      '. +warning .',
    ],
    ['for one day it is not', 0.4, [-0.1, 0.1, -0.1, 0.1], '. . . .'],
    ['higher is a break as well', -0.1, [0.45, 0.45], '. +warning'],
    ['a change of sign is one at less', 0.25, [-0.22, -0.22], '. +warning'],
    ['a change of sign around zero is none', 0.15, [-0.15, -0.15, -0.15], '. . .'],
    ['it is mended near its usual for days', 0.4, [-0.2, -0.2, 0.05, 0.2, 0.2], '. +warning . . -warning'],
    [
      'one that hovers about the level is one break',
      0.4,
      [-0.12, -0.12, -0.05, -0.12, -0.05, -0.12],
      '. +warning . . . .',
    ],
    ['a day without a value is unknown', 0.4, [-0.2, undefined, -0.2], '. . +warning'],
  ])('%s', (_rule, usual, values, expected) => {
    expect(daily(run(usual, values))).toEqual(expected);
  });

  test('nothing happens if no provider supplies the correlation', () => {
    const { state, changes } = drive(detector, {}, [
      [start, { data: [{ timestamp: iso(start) }], count: 1 }],
    ]);
    expect({ state, changes }).toEqual({ state: { values: {} }, changes: [[]] });
  });

  test('a month of days is needed before anything counts as usual', () => {
    const data = Array.from({ length: 20 }, (_, index) => rowsOf(index, 0.4)).flat();
    expect(drive(detector, {}, [[start + 19 * day, { data, count: 0 }]]).state).toEqual({ values: {} });
  });

  test('values that have stopped coming say nothing about the present', () => {
    const data = [...Array.from({ length: 40 }, () => 0.4), -0.5, -0.5, -0.5].map((value, index) =>
      rowsOf(index, value),
    );
    const { changes } = drive(detector, quick, [
      [start + 39 * day + hour, { data: data.slice(0, 40).flat(), count: 0 }],
      [start + 50 * day, { data: data.flat(), count: 0 }],
    ]);
    expect(brief(changes)).toEqual('. .');
  });

  test('that is no longer supplied ends, whether other correlations are or not', () => {
    const broken = (index: number) => (index < 42 ? rowsOf(index, index < 40 ? 0.4 : -0.1) : []);
    const other = (index: number) => [{ timestamp: iso(start + index * day), btc_dxy_corr: 0.1 }];
    for (const more of [() => [], other]) {
      const rows = Array.from({ length: 60 }, (_, index) => [...more(index), ...broken(index)]).flat();
      const answer = (now: number) =>
        [now, { data: rows.filter(({ timestamp }) => Date.parse(timestamp) <= now), count: 0 }] as const;
      const lost = start + (41 + 5) * day;
      const times = [start + 39 * day + hour, start + 41 * day + hour, lost, lost + 1, lost + day];
      const { state, changes } = drive(detector, quick, times.map(answer));
      expect(brief(changes)).toEqual('. +warning . -warning .');
      expect(Object.keys((state as { values: object }).values)).not.toContain('gold');
      const [end] = changes[3] ?? [];
      expect(end?.labels).toEqual({ kind: 'macro-break', asset: 'gold', direction: 'LOWER' });
      expect(end && said(end).title).toBe('no data for gold since 11 Feb 2026, 00:00 UTC');
      expect(end?.annotations.dataTime).toBe(start + 41 * day);
    }
  });

  test('with the venue’s perpetual on gold names it as that', () => {
    const answer = (last: number) => {
      const data = Array.from({ length: last + 1 }, (_, at) => rowsOf(at, at < 40 ? 0.4 : -0.1)).flat();
      return [start + last * day + hour, { data, count: 0, goldMarket: 'PERPETUAL' }] as const;
    };
    const [change] = drive(detector, quick, [39, 40, 41].map(answer)).changes.flat();
    expect(change && said(change).title).toMatch(/correlation with the perpetual on gold has broken/);
  });

  test('says the window of the usual value and how old the level is', () => {
    const change = run(0.4, [-0.1, -0.1]).flat()[0];
    expect(change?.labels).toEqual({ kind: 'macro-break', asset: 'gold', direction: 'LOWER' });
    expect(change && said(change)).toMatchObject({
      title: 'Bitcoin’s correlation with gold has broken: −0.10 instead of +0.40',
      facts: expect.arrayContaining([
        { name: 'Usual', value: '+0.40 (median of 35 days)' },
        // Gold last moved at the start of day 39; now is day 41, 01:00.
        { name: 'Age of that level', value: '2 d 1 h' },
      ]),
    });
  });
});
