import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer } from '#src/contract/index.ts';
import detector from '#src/detectors/funding-extreme.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { dataClient } from '#test/support/data.ts';
import { brief, drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
type Observation = Parameters<typeof detector.step>[1];
type Row = Answer<'fundingExtremes'>['data'][number];

const row = (time: number, z: number, symbol = 'BTCUSDT', severity?: string) => ({
  symbol,
  currentRate: z * 0.0003,
  annualizedPct: z * 0.0003 * 3 * 365 * 100,
  avg30dRate: 0.0001,
  zScore: z,
  severity: severity ?? (Math.abs(z) > 3 ? 'EXTREME' : Math.abs(z) > 2 ? 'HIGH' : 'ELEVATED'),
  direction: z > 0 ? 'OVERLEVERAGED_LONG' : 'OVERLEVERAGED_SHORT',
  timestamp: iso(time),
});
const answer = (data: Row[], hours: Observation['hours'] = new Map([['BTCUSDT', 8]])): Observation => ({
  data,
  hours,
  count: data.length,
  threshold: '|z| > 1.5',
});
/** One z per settlement; null: the symbol is in the answer no more. */
const run = (scores: readonly (number | null)[], options = {}) =>
  drive(
    detector,
    options,
    scores.map((z, index): readonly [number, Observation] => {
      const time = start + index * 8 * hour;
      return [time + 20_000, answer(z === null ? [] : [row(time, z)])];
    }),
  );

describe('funding extreme', () => {
  test.each<[string, (number | null)[], string[]]>([
    ['what stands out at the baseline is not told, nor its end', [2.5, 2.6, null], ['', '', '']],
    ['what grows beyond the baseline is', [2.5, 3.2], ['', 'firing critical']],
    ['ELEVATED is not told', [null, 1.8], ['', '']],
    ['HIGH enters, and ends when gone', [null, 2.3, null], ['', 'firing warning', 'resolved warning']],
    ['EXTREME enters as critical', [null, 3.4], ['', 'firing critical']],
    ['HIGH escalates', [null, 2.3, 3.1], ['', 'firing warning', 'updated critical']],
    [
      'EXTREME eases, and ends as what it was at its worst',
      [null, 3.4, 2.5, 1.6, null],
      ['', 'firing critical', 'updated warning', 'updated info', 'resolved critical'],
    ],
    ['a z just below its level is not easing', [null, 3.1, 2.9, 3.1], ['', 'firing critical', '', '']],
    [
      'HIGH falls to ELEVATED and rises: one episode',
      [null, 2.3, 1.8, 1.7],
      ['', 'firing warning', '', 'updated info'],
    ],
    [
      'the other side is another alert',
      [null, 2.3, -2.4],
      ['', 'firing warning', 'resolved warning, firing warning'],
    ],
  ])('%s', (_rule, scores, expected) => {
    expect(brief(run(scores).told)).toEqual(expected);
  });

  test('an exit level ends it above the bottom', () => {
    expect(brief(run([null, 2.3, 1.8], { exit: 'HIGH' }).told)).toEqual([
      '',
      'firing warning',
      'resolved warning',
    ]);
  });

  test('after its end the cooldown holds HIGH back, not EXTREME', () => {
    const options = { cooldown: '20h' };
    expect(brief(run([null, 2.3, null, 2.4, null], options).told)).toEqual([
      '',
      'firing warning',
      'resolved warning',
      '',
      '',
    ]);
    expect(brief(run([null, 2.3, null, 3.4], options).told)[3]).toBe('firing critical');
    expect(brief(run([null, 2.3, null, 2.4, 2.4, 2.4], options).told)[5]).toBe('firing warning');
  });

  const steps = (...last: Observation[]): (readonly [number, Observation])[] => [
    [start, answer([])],
    [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
    ...last.map((each, index) => [start + 16 * hour + index * minute, each] as const),
  ];
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => row(start + 16 * hour, 1.9, `C${index}USDT`));

  test.each([
    ['100 rows', 100],
    ['30 rows, which is what a stricter service gives', 30],
  ])('a row missing from an answer cut at %s is unknown, not gone', (_rule, count) => {
    const { told } = drive(
      detector,
      {},
      steps(answer(others(count)), answer(others(count + 1).slice(0, 29))),
    );
    expect(brief(told)).toEqual(['', 'firing warning', '', 'resolved warning']);
  });

  test('an answer that counts more than it holds is cut', () => {
    const { told } = drive(detector, {}, steps({ ...answer([]), count: 1 }));
    expect(brief(told)[2]).toBe('');
  });

  test('missing before the next settlement is unknown: nothing newer has been seen', () => {
    const { told } = drive(detector, {}, [
      [start, answer([])],
      [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
      [start + 9 * hour, answer([])],
      [start + 9 * hour, answer([row(start + 8 * hour, 2.5)])],
    ]);
    expect(brief(told)).toEqual(['', 'firing warning', '', '']);
  });

  test('an answer of old settlements is unknown, also for what it does not hold', () => {
    const later = start + 40 * hour;
    const { told } = drive(detector, {}, [
      [start, answer([])],
      [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
      [later, answer([row(start + 16 * hour, 3.5)])],
      [later, answer([row(start + 16 * hour, 3.5, 'ETHUSDT')])],
    ]);
    expect(brief(told)).toEqual(['', 'firing warning', '', '']);
  });

  test('a z that oscillates about the entry is one episode', () => {
    const about = fc.array(fc.double({ min: 1.76, max: 2.24, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(about, (scores) => {
        const told = brief(run([null, 2.1, ...scores]).told);
        expect(told.filter((each) => each.includes('firing'))).toHaveLength(1);
        expect(told.filter((each) => each.includes('updated'))).toEqual([]);
      }),
    );
  });

  test('settlements are counted, not polls', () => {
    const again = answer([row(start + 8 * hour, 3.5)]);
    const { told } = drive(detector, {}, steps(again, again));
    expect(brief(told)).toEqual(['', 'firing warning', '', '']);
  });

  test('a level nobody knows is placed by its z', () => {
    const { told } = drive(detector, {}, [
      [start, answer([])],
      [start, answer([row(start, 3.3, 'BTCUSDT', 'INSANE')])],
    ]);
    expect(told[1]?.[0]).toMatchObject({
      severity: 'critical',
      labels: { kind: 'funding-extreme', symbol: 'BTCUSDT', direction: 'OVERLEVERAGED_LONG' },
      annotations: { dataTime: start },
    });
    expect(told[1]?.map(said)[0]?.title).toBe('BTCUSDT funding extreme: +0.0990% per 8 h (z 3.3)');
  });

  test.each<[string, number[], string, string | undefined]>([
    ['8 h', [8], '+0.0990% per 8 h', '+108.4%'],
    ['4 h', [4], '+0.0990% per 4 h', '+216.8%'],
    ['1 h', [1], '+0.0990% per 1 h', '+867.2%'],
    ['unknown: it is not guessed', [], '+0.0990%', undefined],
  ])('rate and yearly figure are of the market’s own interval: %s', (_rule, [hours], rate, yearly) => {
    const known = new Map(hours === undefined ? [] : [['BTCUSDT', hours]]);
    const { told } = drive(detector, {}, [
      [start, answer([], known)],
      [start, answer([row(start, 3.3)], known)],
    ]);
    const [alert] = told[1]?.map(said) ?? [];
    expect(alert?.title).toBe(`BTCUSDT funding extreme: ${rate} (z 3.3)`);
    expect(alert?.facts.find(({ name }) => name === 'Rate')?.value).toBe(rate);
    expect(alert?.facts.find(({ name }) => name === 'Per year')?.value).toBe(yearly);
  });

  test('a service that does not tell intervals is a service like any other', async () => {
    const data = dataClient({
      fundingIntervals: new ApiError('/funding/intervals', 'not_offered', 'no such extension'),
    });
    const signal = new AbortController().signal;
    const options = detector.options.parse({});
    const seen = await detector.observe({ data, options, state: undefined, symbols: [], now: start, signal });
    expect([seen.data.length, seen.hours.size]).toEqual([1, 0]);
  });

  test('enter below exit is refused', () => {
    expect(detector.options.safeParse({ enter: 'ELEVATED', exit: 'HIGH' }).success).toBe(false);
  });

  test('asks for as many as a service may give', async () => {
    const asked: unknown[] = [];
    const data = {
      ...dataClient(),
      fundingExtremes: async (query: unknown) => {
        asked.push(query);
        return answer([]);
      },
    };
    const signal = new AbortController().signal;
    const options = detector.options.parse({});
    await detector.observe({ data, options, state: undefined, symbols: [], now: start, signal });
    expect(asked).toEqual([{ limit: 100 }]);
  });
});
