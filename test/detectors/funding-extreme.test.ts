import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/funding-extreme.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { dataClient } from '#test/support/data.ts';
import { asking, brief, drive, looks, observe, said, saidOf, told } from './drive.ts';

type Observation = Parameters<typeof detector.step>[1];
type Row = EndpointAnswer<'fundingExtremes'>['data'][number];

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
const settled = (time: number, rate: number, symbol = 'BTCUSDT') => ({
  symbol,
  rate: String(rate),
  annualized: '0',
  timestamp: iso(time),
});
/** An observation with the extremes `data` and the current rates `quiet` of markets that are not among them. */
const answer = (
  data: Row[],
  hours: Observation['hours'] = new Map([['BTCUSDT', 8]]),
  quiet: Observation['current'] = [],
): Observation => ({
  data,
  past: new Map(),
  hours,
  current: [
    ...data.map(({ symbol, currentRate, timestamp }) => settled(Date.parse(timestamp), currentRate, symbol)),
    ...quiet,
  ],
  count: data.length,
  threshold: '|z| > 1.5',
});
const calmAt = (time: number) => answer([], undefined, [settled(time, 0.0001)]);
/** Observes one z per settlement; null: the symbol is not in the answer. */
const run = (scores: readonly (number | null)[], options = {}) =>
  drive(
    detector,
    options,
    scores.map((z, index): readonly [number, Observation] => {
      const time = start + index * 8 * hour;
      return [time + 20_000, z === null ? calmAt(time) : answer([row(time, z)])];
    }),
  );

test('what stands out on the same side within a settlement of the last joins its post', () => {
  const hours = new Map(['BTCUSDT', 'SOLUSDT', 'XRPUSDT', 'ADAUSDT'].map((symbol) => [symbol, 8]));
  const seen: readonly (readonly [settlement: number, rows: readonly [string, number][]])[] = [
    [0, []],
    [1, [['SOLUSDT', 4]]],
    [2, [['XRPUSDT', 4]]],
    [2.5, [['BTCUSDT', -4]]],
    [5, [['ADAUSDT', 4]]],
  ];
  const { changes } = drive(
    detector,
    {},
    seen.map(([settlement, rows]): readonly [number, Observation] => {
      const time = start + settlement * 8 * hour;
      return [
        time + 20_000,
        answer(
          rows.map(([symbol, z]) => row(time, z, symbol)),
          hours,
          [settled(time, 0.0001, 'LTCUSDT')],
        ),
      ];
    }),
  );
  const firing = changes.flat().filter(({ status }) => status === 'firing');
  const [sol, xrp, btc, ada] = firing.map(({ burst }) => burst);
  expect(firing.map(({ labels }) => labels.symbol)).toEqual(['SOLUSDT', 'XRPUSDT', 'BTCUSDT', 'ADAUSDT']);
  expect(xrp).toBe(sol);
  expect(new Set([sol, btc, ada]).size).toBe(3);
});

describe('a market outside the largest ones', () => {
  /** Observes z and percent per year of each settlement; null: calm. */
  const others = (seen: readonly (readonly [z: number, yearly: number] | null)[]) =>
    drive(
      detector,
      {},
      seen.map((one, index): readonly [number, Observation] => {
        const time = start + index * 8 * hour;
        const hours = new Map([['XAIUSDT', 8]]);
        if (one === null) return [time + 20_000, answer([], hours, [settled(time, 0.0001, 'XAIUSDT')])];
        const [z, yearly] = one;
        const currentRate = yearly / 100 / 365 / 3;
        return [time + 20_000, answer([{ ...row(time, z, 'XAIUSDT'), currentRate, avg30dRate: 0 }], hours)];
      }),
    );
  test.each<[string, (readonly [number, number] | null)[], string]>([
    ['is told as info', [null, [2.4, 60]], '. +info'],
    ['also where it is extreme and cheap to hold', [null, [3.4, 60]], '. +info'],
    ['is a warning where it is extreme and costs 200 % a year', [null, [3.4, 220]], '. +warning'],
    ['gets worse when it comes to cost that', [null, [3.2, 60], [3.4, 220]], '. +info ~warning'],
    [
      'and ends as what it was at its worst, also cheaper by then',
      [null, [3.4, 220], [3.2, 60], null, null],
      '. +warning . . -warning',
    ],
  ])('%s', (_, seen, expected) => {
    expect(brief(others(seen).changes)).toEqual(expected);
  });
});

describe('funding extreme', () => {
  test.each<[string, (number | null)[], string]>([
    ['what stands out at the baseline is not told, nor its end', [2.5, 2.6, null, null], '. . . .'],
    ['what grows beyond the baseline is', [2.5, 3.2], '. +critical'],
    ['ELEVATED is not told', [null, 1.8], '. .'],
    ['HIGH enters, and ends after two calm settlements', [null, 2.3, null, null], '. +warning . -warning'],
    ['one calm settlement ends nothing', [null, 2.3, null, 2.4, null, 2.3], '. +warning . . . .'],
    ['EXTREME enters as critical', [null, 3.4], '. +critical'],
    ['HIGH escalates', [null, 2.3, 3.1], '. +warning ~critical'],
    [
      'EXTREME eases, and ends as what it was at its worst',
      [null, 3.4, 2.5, 1.6, null, null],
      '. +critical ~warning ~info . -critical',
    ],
    ['a z just below its level is not easing', [null, 3.1, 2.9, 3.1], '. +critical . .'],
    ['HIGH falls to ELEVATED and rises: one episode', [null, 2.3, 1.8, 1.7], '. +warning . ~info'],
    ['the other side is another alert', [null, 2.3, -2.4], '. +warning -warning+warning'],
  ])('%s', (_rule, scores, expected) => {
    expect(brief(run(scores).changes)).toEqual(expected);
  });

  test.each([
    [[null, 2.3, -2.4], 'Funding now stands out on the other side.'],
    [
      [null, 2.3, null, null],
      'Funding has been near normal, or too cheap to matter, for 2 settlements in a row.',
    ],
  ])('with the scores %j ends because %s', (scores, summary) => {
    expect(saidOf(run(scores).changes, 'resolved')?.summary).toBe(summary);
  });

  test('ends at a configured exit level', () => {
    expect(brief(run([null, 2.3, 1.8, 1.8], { exit: 'HIGH' }).changes)).toEqual('. +warning . -warning');
  });

  test.each<[string, (number | null)[], string]>([
    ['the next settlement after its end is held', [null, 2.3, null, null, 2.4], '.'],
    ['so is the one after that', [null, 2.3, null, null, null, 2.4], '.'],
    ['three settlements of 8 h later it is told', [null, 2.3, null, null, null, null, 2.4], '+warning'],
    ['what is worse than it was is told at once', [null, 2.3, null, null, 3.4], '+critical'],
    ['what was as bad is held', [null, 3.2, null, null, 3.4], '.'],
  ])('cools down in settlements, for 24 h unless it gets worse: %s', (_rule, scores, last) => {
    expect(looks(run(scores).changes).at(-1)).toBe(last);
  });

  test.each<[string, number, number, string]>([
    ['the resting rate, however still the market was', 0.0001, 8, '.'],
    ['nothing at all', 0, 8, '.'],
    ['19.9% a year', -0.0001817, 8, '.'],
    ['20.1% a year', -0.0001836, 8, '+critical'],
    ['less than 0.01% off the resting rate', 0.000199, 8, '.'],
    ['0.01% off the resting rate', 0.0002, 8, '+critical'],
    ['the same per 4 h costs twice', 0.0001, 4, '+critical'],
    ['the resting rate of 4 h', 0.00005, 4, '.'],
    ['19.9% a year, per 1 h', -0.0000227, 1, '.'],
    ['20.1% a year, per 1 h', -0.000023, 1, '+critical'],
  ])('requires a minimum cost, whatever its z: %s', (_rule, rate, hours, expected) => {
    const known = new Map([['BTCUSDT', hours]]);
    const extreme = { ...row(start, rate > 0 ? 3.4 : -3.4), currentRate: rate, avg30dRate: -rate };
    const { changes } = drive(detector, {}, [
      [start, answer([], known)],
      [start, answer([extreme], known)],
    ]);
    expect(looks(changes)[1]).toBe(expected);
  });

  test('ignores the z of a rate that has stood still, whatever it costs', () => {
    const still = { ...row(start, 8), currentRate: 0.00101, avg30dRate: 0.001 };
    const { changes } = drive(detector, {}, [
      [start, answer([])],
      [start, answer([still])],
    ]);
    expect(brief(changes)).toBe('. .');
  });

  test('ends when the cost falls below the minimum, whatever the z', () => {
    const cheap = (index: number) => answer([{ ...row(start + index * 8 * hour, 3.2), currentRate: 0.0001 }]);
    const { changes } = drive(detector, {}, [
      [start, answer([])],
      ...[1, 2, 3].map(
        (index) =>
          [
            start + index * 8 * hour,
            index === 1 ? answer([row(start + 8 * hour, 2.5)]) : cheap(index),
          ] as const,
      ),
    ]);
    expect(brief(changes)).toEqual('. +warning . -warning');
  });

  const steps = (...last: Observation[]): (readonly [number, Observation])[] => [
    [start, answer([])],
    [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
    ...last.map((each, index) => [start + 16 * hour + index * minute, each] as const),
  ];
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => row(start + 16 * hour, 1.9, `C${index}USDT`));
  const rows = (count: number, rate: number): Observation =>
    answer(others(count), undefined, [settled(start + 16 * hour, rate)]);
  const once = { calm: 1 };

  test.each([
    ['100 rows', 100],
    ['30 rows, which is what a stricter service gives', 30],
  ])('treats a row missing from an answer truncated at %s as unknown, not as gone', (_rule, count) => {
    const { changes } = drive(detector, once, steps(rows(count, 0.0005), rows(29, 0.0005)));
    expect(brief(changes)).toEqual('. +warning . -warning');
  });

  test('ends for a cheap market, even if the answer was truncated', () => {
    const { changes } = drive(detector, once, steps(rows(30, 0.0001)));
    expect(brief(changes)).toEqual('. +warning -warning');
  });

  test('treats an answer that counts more rows than it contains as truncated', () => {
    const { changes } = drive(detector, once, steps({ ...rows(0, 0.0005), count: 1 }));
    expect(looks(changes)[2]).toBe('.');
  });

  test('treats a market missing before its next settlement as unknown: nothing newer was seen', () => {
    const { changes } = drive(detector, once, [
      [start, answer([])],
      [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
      [start + 9 * hour, calmAt(start + 8 * hour)],
      [start + 9 * hour, answer([row(start + 8 * hour, 2.5)])],
    ]);
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('treats a market among the extremes as tracked, whatever else the service leaves out', () => {
    const later = start + 2 * 8 * hour;
    const odd: Observation = { ...answer([row(later, 2.6)]), current: [settled(later, 0.0001, 'ETHUSDT')] };
    const { changes } = drive(detector, {}, [
      [start, answer([])],
      [start + minute, answer([row(start, 2.5)])],
      [later + minute, odd],
      [later + 2 * minute, odd],
    ]);
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('ends for a market that is no longer tracked, and does not call its funding normal', () => {
    const other = answer([], undefined, [settled(start + 16 * hour, 0.0001, 'ETHUSDT')]);
    const { changes } = drive(detector, {}, [
      ...steps(),
      [start + 17 * hour, other],
      [start + 18 * hour, other],
    ]);
    expect(brief(changes)).toEqual('. +warning . -warning');
    expect(changes[3]?.[0] && said(changes[3][0])).toMatchObject({
      title: 'no data for BTC since 1 Jan 2026, 08:00 UTC',
      summary: 'Whether it goes on is not known.',
    });
  });

  test('treats an answer with old settlements as unknown, also for markets that are not in it', () => {
    const later = start + 40 * hour;
    const { changes } = drive(detector, {}, [
      [start, answer([])],
      [start + 8 * hour, answer([row(start + 8 * hour, 2.5)])],
      [later, answer([row(start + 16 * hour, 3.5)])],
      [later, answer([row(start + 16 * hour, 3.5, 'ETHUSDT')])],
    ]);
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('is one episode for a z that oscillates about the entry level', () => {
    const about = fc.array(fc.double({ min: 1.76, max: 2.24, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(about, (scores) => {
        expect(told(run([null, 2.1, ...scores]).changes)).toBe('+warning');
      }),
    );
  });

  test('counts settlements, not polls', () => {
    const again = answer([row(start + 8 * hour, 3.5)]);
    const { changes } = drive(detector, {}, steps(again, again));
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('classifies an unknown level by its z', () => {
    const { changes } = drive(detector, {}, [
      [start, answer([])],
      [start, answer([row(start, 3.3, 'BTCUSDT', 'INSANE')])],
    ]);
    expect(changes[1]?.[0]).toMatchObject({
      severity: 'critical',
      labels: { kind: 'funding-extreme', symbol: 'BTCUSDT', direction: 'OVERLEVERAGED_LONG' },
      annotations: { dataTime: start },
    });
    expect(changes[1]?.map(said)[0]?.title).toBe('BTC funding extreme: +0.0990% per 8 h (z 3.3)');
  });

  test.each<[string, number, string[]]>([
    [
      'a high rate is said to be high',
      2.3,
      ['BTC funding high: +0.0690% per 8 h (z 2.3)', 'BTC funding no longer high: +0.0100%'],
    ],
    [
      'a negative one is not',
      -2.3,
      [
        'BTC funding very negative: −0.0690% per 8 h (z −2.3)',
        'BTC funding no longer very negative: +0.0100%',
      ],
    ],
    [
      'nor an extreme one',
      -3.3,
      ['BTC funding extremely negative', 'BTC funding no longer extremely negative'],
    ],
  ])('%s', (_rule, score, titles) => {
    const told = run([null, score, null, null]).changes.flat().map(said);
    for (const [index, title] of titles.entries()) expect(told[index]?.title).toContain(title);
    expect(told).toHaveLength(titles.length);
  });

  test.each<[string, number[], string, string | undefined]>([
    ['8 h', [8], '+0.0990% per 8 h', '+108.4%'],
    ['4 h', [4], '+0.0990% per 4 h', '+216.8%'],
    ['1 h', [1], '+0.0990% per 1 h', '+867.2%'],
    ['unknown: it is not guessed', [], '+0.0990%', undefined],
  ])('shows rate and yearly figure by the market’s own interval: %s', (_rule, [hours], rate, yearly) => {
    const known = new Map(hours === undefined ? [] : [['BTCUSDT', hours]]);
    const { changes } = drive(detector, {}, [
      [start, answer([], known)],
      [start, answer([row(start, 3.3)], known)],
    ]);
    const [alert] = changes[1]?.map(said) ?? [];
    expect(alert?.title).toBe(`BTC funding extreme: ${rate} (z 3.3)`);
    expect(alert?.facts.find(({ name }) => name === 'Rate')?.value).toBe(rate);
    expect(alert?.facts.find(({ name }) => name === 'Per year')?.value).toBe(yearly);
  });

  test('works with a service that does not offer intervals', async () => {
    const data = dataClient({
      fundingIntervals: new ApiError('/funding/intervals', 'not_offered', 'no such extension'),
    });
    const seen = await observe(detector, data);
    expect([seen.data.length, seen.hours.size]).toEqual([1, 0]);
  });

  test('refuses an entry level below the exit level', () => {
    expect(detector.options.safeParse({ enter: 'ELEVATED', exit: 'HIGH' }).success).toBe(false);
  });

  test('requests as many rows as a service may return', async () => {
    const { asked, data } = asking('fundingExtremes', () => answer([]));
    await observe(detector, data);
    expect(asked).toEqual([{ limit: 100 }]);
  });
});
