import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/data-quality.ts';
import { day, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { brief, drive, looks, observe, said, told } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const at = (index: number, status: string): readonly [number, EndpointAnswer<'dataQuality'>] => {
  const now = start + index * 5 * minute;
  return [now, { ...answers.dataQuality, status, timestamp: iso(now) }];
};
const run = (statuses: string, options = {}) => {
  const names: Record<string, string> = { h: 'HEALTHY', d: 'DEGRADED', D: 'DOWN', '?': 'MAINTENANCE' };
  return brief(
    drive(
      detector,
      options,
      [...statuses].map((each, index) => at(index, names[each] ?? '')),
    ).changes,
  );
};

describe('data quality', () => {
  test.each([
    ['what is bad at the baseline is not told', 'dddd', '. . . .'],
    ['one bad check is a blip', 'hdhdh', '. . . . .'],
    ['two are an alert, two good ones its end', 'hddhh', '. . +warning . -warning'],
    ['DOWN escalates', 'hddDD', '. . +warning . ~critical'],
    ['DOWN is critical at once', 'hDD', '. . +critical'],
    ['DOWN eases, and ends as what it was at its worst', 'hDDddhh', '. . +critical . ~warning . -critical'],
    ['flapping between bad and worse is bad', 'hdDd', '. . +critical .'],
    ['what was bad at the baseline and gets worse is told', 'dDD', '. . +critical'],
    ['what was bad at the baseline and ends is not', 'DDhh', '. . . .'],
    [
      'what comes back within the cooldown is the same trouble, and not told again',
      'hddhhddhh',
      '. . +warning . -warning . . . .',
    ],
    ['DOWN does not wait for the cooldown', 'hddhhddDD', '. . +warning . -warning . . . +critical'],
    ['a status nobody knows changes nothing', 'hdd?????hh', '. . +warning . . . . . . -warning'],
  ])('%s', (_rule, statuses, expected) => {
    expect(run(statuses)).toEqual(expected);
  });

  /** Looks at a service that says which part of its history it has loaded. */
  async function loading(looks: readonly (readonly [status: string, loaded: number])[]) {
    const options = detector.options.parse({});
    let state: z.output<typeof detector.state> | undefined;
    const changes = [];
    for (const [index, [status, backfill]] of looks.entries()) {
      const [now, dataQuality] = at(index, status);
      const { dataQualityHistory, meta } = structuredClone(answers);
      const data = dataClient({ dataQuality, dataQualityHistory, meta: { ...meta, backfill } });
      const stepped = detector.step(state, await observe(detector, data, { state, now }), { options, now });
      state = JSON.parse(JSON.stringify(stepped.state));
      changes.push(stepped.changes);
    }
    return changes;
  }

  test('what the first load has not reached yet is no trouble, and what follows it is judged', async () => {
    const early = ['HEALTHY', 'DEGRADED', 'DEGRADED', 'DEGRADED', 'DEGRADED'].map(
      (status) => [status, 0.4] as const,
    );
    const changes = await loading([...early, ['HEALTHY', 1], ['DEGRADED', 0.9], ['DEGRADED', 1]]);
    expect(brief(changes)).toBe('. . . . . . . +warning');
  });

  test('a service that says for more than a day that it loads is judged', async () => {
    const looksOfDay = day / (5 * minute);
    const changes = await loading(
      Array.from({ length: looksOfDay + 6 }, (_, index) => [
        index < looksOfDay + 2 ? 'HEALTHY' : 'DEGRADED',
        0.99,
      ]),
    );
    expect([looks(changes).indexOf('+warning'), told(changes)]).toEqual([looksOfDay + 3, '+warning']);
  });

  test('counts checks, not polls', () => {
    const [healthy, bad] = [at(0, 'HEALTHY'), at(1, 'DOWN')];
    expect(brief(drive(detector, {}, [healthy, bad, bad, bad]).changes)).toEqual('. . . .');
  });

  test('has an option for the number of confirmations', () => {
    expect(run('hDh', { confirm: 1 })).toEqual('. +critical -critical');
  });

  test('is told again once the cooldown is over', () => {
    expect(run('hddhhddd', { cooldown: '15m' })).toBe('. . +warning . -warning . . +warning');
  });

  test('names what differs from the exchange if no feed is stale', () => {
    const [now, answer] = at(1, 'DEGRADED');
    const drifts = [
      {
        value: 'open_interest',
        venue: 'Binance USD-M',
        checks: 6,
        beyond: 4,
        worstPct: 2.13,
        symbol: 'SOLUSDT',
        reason: 'open_interest differs',
      },
    ];
    const { changes } = drive(detector, { confirm: 1 }, [
      at(0, 'HEALTHY'),
      [now, { ...answer, score: 83, grade: 'B', drifts }],
    ]);
    expect(changes[1]?.map(said)[0]).toMatchObject({
      title: 'Data warning: open interest differs from the exchange',
      summary: 'Alerts based on open interest may be wrong until this recovers.',
      facts: expect.arrayContaining([
        { name: 'Score', value: '83 (B)' },
        { name: 'Open interest', value: '4 of 6 checks against the exchange failed, the worst by +2.13%' },
      ]),
    });
  });

  test('names the stale feeds', () => {
    const fresh = answers.dataQuality.checks.candles;
    const [now, answer] = at(1, 'DEGRADED');
    const checks = { ...answers.dataQuality.checks, oi_history: { ...fresh, fresh: false, ageMinutes: 34 } };
    const { changes } = drive(detector, { confirm: 1 }, [
      at(0, 'HEALTHY'),
      [now, { ...answer, score: 71, grade: 'C', checks }],
    ]);
    expect(changes[1]?.map(said)[0]).toMatchObject({
      title: 'Data warning: open interest out of date',
      summary: 'Alerts based on open interest may be late or missing until this recovers.',
      facts: expect.arrayContaining([{ name: 'Open interest', value: 'stale, 34 min old' }]),
    });
  });
});
