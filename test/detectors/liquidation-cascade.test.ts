import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import { coverageFacts, distinct } from '#src/detectors/kit/tape.ts';
import detector from '#src/detectors/liquidation-cascade.ts';
import { plainReader, say } from '#src/language/say.ts';
import { hour, iso, minute, second } from '#src/runtime/units.ts';
import { dataClient } from '#test/support/data.ts';
import { observe, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const given = { enter: 4, exit: 2, critical: 8, minTotalUsd: 1_000_000 };
const markets = Array.from({ length: 12 }, (_, index) => `C${index}USDT`);
const event = (time: number, symbol: string, usd: number, side: string) => ({
  symbol,
  side,
  price: '1.0',
  quantity: String(usd),
  usd_value: usd,
  event_time: iso(time),
});
/** A burst in `count` markets, 300,000 USD each. */
const burst = (at: number, count: number, side = 'LONG', usd = 300_000) =>
  markets.slice(0, count).map((symbol, index) => event(at + index * second, symbol, usd, side));
/** 1,000 USD on both sides of each market, every 5 minutes. */
const quiet = (from: number, to: number) =>
  Array.from({ length: (to - from) / (5 * minute) }, (_, index) =>
    markets.flatMap((symbol, each) =>
      ['LONG', 'SHORT'].map((side) => event(from + index * 5 * minute + each, symbol, 1_000, side)),
    ),
  ).flat();

/** Looks every minute, from an hour after the start. */
function run(extra: ReturnType<typeof burst>, options = {}, to = start + 6 * hour) {
  const parsed = detector.options.parse({ ...given, ...options });
  const tape = [...quiet(start, to), ...extra]
    .map((row) => ({ row, time: Date.parse(row.event_time) }))
    .sort((a, b) => b.time - a.time);
  const changes: Change[] = [];
  let state: Parameters<typeof detector.step>[0];
  for (let now = start + hour; now <= to; now += 2 * minute) {
    const since = (state?.memory?.read.last ?? 0) - minute;
    const rows = tape.filter(({ time }) => time <= now && time > since).map(({ row }) => row);
    const stepped = detector.step(
      state,
      { rows: rows.slice(0, 500), coverage: [] },
      { options: parsed, now },
    );
    state = stepped.state;
    changes.push(...stepped.changes);
  }
  return changes.map((change) => ({
    ...said(change),
    text: `${change.status} ${change.severity} ${change.labels.side}`,
  }));
}
const at = start + 3 * hour;
const texts = (...input: Parameters<typeof run>) => run(...input).map(({ text }) => text);

describe('liquidation cascade', () => {
  test.each<[string, ReturnType<typeof burst>, string[]]>([
    ['a quiet market tells nothing', [], []],
    ['a few markets are none', burst(at, 3), []],
    [
      'many are one, which ends when the window has passed',
      burst(at, 5),
      ['firing warning LONG', 'resolved warning LONG'],
    ],
    ['many more are critical', burst(at, 9), ['firing critical LONG', 'resolved critical LONG']],
    [
      'it escalates as more join',
      [...burst(at, 5), ...burst(at + 3 * minute, 10)],
      ['firing warning LONG', 'updated critical LONG', 'resolved critical LONG'],
    ],
    ['little money in many markets is none', burst(at, 10, 'LONG', 60_000), []],
    ['markets on different sides are none', [...burst(at, 3), ...burst(at, 6, 'SHORT').slice(3)], []],
    ['a side nobody knows is none', burst(at, 10, 'BOTH'), []],
    ['what is under way at the baseline is not told', burst(start + hour - minute, 6), []],
  ])('%s', (_rule, extra, expected) => expect(texts(extra)).toEqual(expected));

  test('is a separate alert for each of both sides', () => {
    expect(texts([...burst(at, 5), ...burst(at, 5, 'SHORT')])).toEqual([
      'firing warning LONG',
      'firing warning SHORT',
      'resolved warning LONG',
      'resolved warning SHORT',
    ]);
  });

  test('is held back after its end by the cooldown, unless it is critical', () => {
    const again = [...burst(at, 5), ...burst(at + 40 * minute, 5), ...burst(at + 80 * minute, 9)];
    expect(texts(again)).toEqual([
      'firing warning LONG',
      'resolved warning LONG',
      'firing critical LONG',
      'resolved critical LONG',
    ]);
  });

  test('fires once for a number of markets that oscillates about the level', () => {
    const counts = fc.array(fc.integer({ min: 3, max: 5 }), { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(counts, (series) => {
        const waves = series.flatMap((count, index) => burst(at + (index + 1) * 10 * minute, count));
        const lines = texts([...burst(at, 4), ...waves]);
        expect(lines.filter((each) => each.startsWith('firing'))).toHaveLength(1);
      }),
      { numRuns: 8 },
    );
  });

  test('says which side, how many markets, at least how much, and the largest', () => {
    const [first] = run(burst(at, 5));
    expect(first).toMatchObject({
      title: 'Liquidation cascade: longs of 5 markets, at least $1.52M in 15 min',
      facts: [
        { name: 'Markets', value: '5' },
        { name: 'Liquidated in 15 min', value: 'at least $1.52M' },
        { name: 'Largest', value: expect.stringMatching(/^C\d \$30\dK, /) },
      ],
    });
  });
});

test('events at all venues count, and the card says how much of them each publishes', async () => {
  const at = Date.UTC(2026, 0, 1);
  const event = {
    ...{ symbol: 'BTCUSDT', side: 'LONG', price: '1', quantity: '1', usd_value: 5 },
    event_time: new Date(at).toISOString(),
  };
  const coverage = [
    { venue: 'binance', title: 'Binance', publishes: 'ONE_A_SECOND' },
    { venue: 'bybit', title: 'Bybit', publishes: 'ALL' },
  ];
  const data = dataClient({
    venueLiquidations: { data: ['binance', 'bybit'].map((venue) => ({ ...event, venue })), coverage },
  });
  const seen = await observe(detector, data);
  expect(distinct(seen.rows).length).toBe(2);
  expect(say(coverageFacts(seen.coverage)[0]?.[1] || '', plainReader)).toBe(
    'Binance (at most one a second and market), Bybit (all)',
  );
});
