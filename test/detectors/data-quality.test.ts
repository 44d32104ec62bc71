import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/data-quality.ts';
import { day, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { brief, drive, said } from './drive.ts';

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
    ['what is bad at the baseline is not told', 'dddd', ['', '', '', '']],
    ['one bad check is a blip', 'hdhdh', ['', '', '', '', '']],
    ['two are an alert, two good ones its end', 'hddhh', ['', '', 'firing warning', '', 'resolved warning']],
    ['DOWN escalates', 'hddDD', ['', '', 'firing warning', '', 'updated critical']],
    ['DOWN is critical at once', 'hDD', ['', '', 'firing critical']],
    [
      'DOWN eases, and ends as what it was at its worst',
      'hDDddhh',
      ['', '', 'firing critical', '', 'updated warning', '', 'resolved critical'],
    ],
    ['flapping between bad and worse is bad', 'hdDd', ['', '', 'firing critical', '']],
    ['what was bad at the baseline and gets worse is told', 'dDD', ['', '', 'firing critical']],
    ['what was bad at the baseline and ends is not', 'DDhh', ['', '', '', '']],
    [
      'what comes back within the cooldown is the same trouble, and not told again',
      'hddhhddhh',
      ['', '', 'firing warning', '', 'resolved warning', '', '', '', ''],
    ],
    [
      'DOWN does not wait for the cooldown',
      'hddhhddDD',
      ['', '', 'firing warning', '', 'resolved warning', '', '', '', 'firing critical'],
    ],
    [
      'a status nobody knows changes nothing',
      'hdd?????hh',
      ['', '', 'firing warning', '', '', '', '', '', '', 'resolved warning'],
    ],
  ])('%s', (_rule, statuses, expected) => {
    expect(run(statuses)).toEqual(expected);
  });

  test('what the first load has not reached yet is no trouble, and what follows it is judged', async () => {
    const options = detector.options.parse({});
    const { signal } = new AbortController();
    let state: z.output<typeof detector.state> | undefined;
    const changes = [];
    const looks = [...'hdddd'].map((each) => [each, 0.4] as const);
    for (const [index, [each, backfill]] of [...looks, ['h', 1], ['d', 0.9], ['d', 1]].entries()) {
      const [now, dataQuality] = at(index, each === 'h' ? 'HEALTHY' : 'DEGRADED');
      const dataQualityHistory = structuredClone(answers.dataQualityHistory);
      const data = dataClient({
        dataQuality,
        dataQualityHistory,
        meta: { ...answers.meta, backfill: Number(backfill) },
      });
      const observation = await detector.observe({ data, options, state, symbols: [], now, signal });
      const stepped = detector.step(state, observation, { options, now });
      state = JSON.parse(JSON.stringify(stepped.state));
      changes.push(stepped.changes);
    }
    expect(brief(changes)).toEqual(['', '', '', '', '', '', '', 'firing warning']);
  });

  test('a service that says for more than a day that it loads is judged', async () => {
    const options = detector.options.parse({});
    const { signal } = new AbortController();
    const looksOfDay = day / (5 * minute);
    let state: z.output<typeof detector.state> | undefined;
    const firedAt: number[] = [];
    for (let index = 0; index < looksOfDay + 6; index += 1) {
      const [now, dataQuality] = at(index, index < looksOfDay + 2 ? 'HEALTHY' : 'DEGRADED');
      const data = dataClient({
        dataQuality,
        dataQualityHistory: structuredClone(answers.dataQualityHistory),
        meta: { ...answers.meta, backfill: 0.99 },
      });
      const observation = await detector.observe({ data, options, state, symbols: [], now, signal });
      const stepped = detector.step(state, observation, { options, now });
      state = JSON.parse(JSON.stringify(stepped.state));
      firedAt.push(...stepped.changes.map(() => index));
    }
    expect(firedAt).toEqual([looksOfDay + 3]);
  });

  test('counts checks, not polls', () => {
    const [healthy, bad] = [at(0, 'HEALTHY'), at(1, 'DOWN')];
    expect(brief(drive(detector, {}, [healthy, bad, bad, bad]).changes)).toEqual(['', '', '', '']);
  });

  test('has an option for the number of confirmations', () => {
    expect(run('hDh', { confirm: 1 })).toEqual(['', 'firing critical', 'resolved critical']);
  });

  test('is told again once the cooldown is over', () => {
    expect(run('hddhhddd', { cooldown: '15m' })).toEqual([
      ...['', '', 'firing warning', '', 'resolved warning', '', '', 'firing warning'],
    ]);
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
