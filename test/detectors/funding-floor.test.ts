import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { settlementHours, yearlyPct } from '#src/contract/settlements.ts';
import type { Detector } from '#src/detectors/detector.ts';
import extreme from '#src/detectors/funding-extreme.ts';
import flip from '#src/detectors/funding-flip.ts';
import overheated from '#src/detectors/funding-overheated.ts';
import { replay } from '#src/preview/replay.ts';
import { ApiError, type ApiErrorReason, ifAnswered } from '#src/runtime/errors.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { fundingExtremes } from '#src/service/analytics/funding-extremes.ts';
import { openRecordedPast } from '#src/service/past/recorded-past.ts';
import { describeWith, recordings } from '#test/support/needs.ts';
import { said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const signal = new AbortController().signal;

/** Returns the percentage per year in the alert's own fact, which is rounded to a tenth. */
const yearly = (change: Change): number => {
  const fact = said(change).facts.find(({ name }) => name === 'Per year' || name === 'Their mean per year');
  return Number(fact?.value.replace(/[%,]/g, '').replace('−', '-'));
};

interface Market {
  readonly hours: number;
  readonly rates: readonly number[];
}
/** Draws a market whose rate is mostly at rest, as on exchanges, and sometimes anywhere; each rate lasts for a while. */
const market = (hours: number): fc.Arbitrary<Market> => {
  const rate = fc.oneof(
    { weight: 3, arbitrary: fc.constant((0.0001 * hours) / 8) },
    { weight: 2, arbitrary: fc.double({ min: -0.0003, max: 0.0004, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: -0.003, max: 0.003, noNaN: true }) },
  );
  const run = fc.tuple(rate, fc.integer({ min: 1, max: 20 }));
  return fc.array(run, { minLength: 12, maxLength: 20 }).map((runs) => ({
    hours,
    rates: runs.flatMap(([each, length]) => Array.from({ length }, () => each)),
  }));
};

/** Creates the service's answers about these markets at `now`, on request. */
function serviceOf(markets: readonly Market[]): (now: number) => DataClient {
  const settled = markets.flatMap(({ hours, rates }, index) =>
    rates.map((rate, each) => ({ symbol: `C${index}USDT`, rate, time: start + each * hours * hour })),
  );
  const bySymbol = [...Map.groupBy(settled, ({ symbol }) => symbol)];
  const known = (now: number) =>
    bySymbol.flatMap(([symbol, all]) => {
      const past = all.filter(({ time }) => time <= now);
      const hours = settlementHours(past.map(({ time }) => time));
      return past.slice(-1).map(({ rate, time }) => ({ symbol, rate, time, hours }));
    });
  const answers = (now: number): Partial<DataClient> => ({
    fundingCurrent: async () => ({
      data: known(now).map(({ symbol, rate, time }) => ({
        symbol,
        rate: rate.toFixed(8),
        annualized: '0',
        timestamp: iso(time),
      })),
    }),
    fundingIntervals: async () => ({
      data: known(now).flatMap(({ symbol, hours, time }) =>
        hours === undefined ? [] : [{ symbol, hours, timestamp: iso(time) }],
      ),
    }),
    async fundingExtremes() {
      const data = fundingExtremes(settled, now);
      return { data, count: data.length, threshold: '' };
    },
    fundingHistory: async () => ({ symbol: '', data: [] }),
  });
  return (now) => answers(now) as DataClient;
}

describe.each<[string, Detector, object]>([
  ['funding-extreme', extreme, {}],
  ['funding-flip', flip, {}],
  // Independent random markets seldom agree.
  ['funding-overheated', overheated, { enter: 0.1, exit: 0.05 }],
])('%s', (_name, detector, given) => {
  test('no funding alert costs less than 20% a year, whatever the markets pay and how often', async () => {
    let alerts = 0;
    const markets = fc
      .array(fc.constantFrom(8, 8, 4, 1), { minLength: 12, maxLength: 12 })
      .chain((all) => fc.tuple(...all.map(market)));
    await fc.assert(
      fc.asyncProperty(markets, async (markets) => {
        const options = detector.options.parse(given);
        const service = serviceOf(markets);
        let state: unknown;
        for (let now = start + 20_000; now < start + 480 * hour; now += 4 * hour) {
          const data = service(now);
          const observation = await detector.observe({ data, options, state, symbols: [], now, signal });
          const stepped = detector.step(state, observation, { options, now });
          state = stepped.state;
          for (const change of stepped.changes) {
            if (change.status === 'resolved') continue;
            alerts++;
            expect(Math.abs(yearly(change))).toBeGreaterThanOrEqual(20);
          }
        }
      }),
      // The examples, some of which raise alerts, are always the same; the others are drawn anew each time.
      {
        numRuns: 8,
        endOnFailure: true,
        examples: fc.sample(markets, { seed: 3, numRuns: 4 }).map((one) => [one]),
      },
    );
    expect(alerts).toBeGreaterThan(0);
  });

  test.each<ApiErrorReason>(['unreachable', 'rate_limited', 'server_error'])(
    'markets are not judged by a wrong interval while the right one cannot be had: %s',
    async (reason) => {
      const options = detector.options.parse(given);
      // Every 4 h the last rate costs 33% a year; were it paid every 8 h, too little for an alert.
      const rates = [...Array(120).fill(-0.00006), ...Array(8).fill(0.00015), ...Array(4).fill(-0.00006)];
      const service = serviceOf(Array.from({ length: 12 }, () => ({ hours: 4, rates })));
      const broken = { fundingIntervals: () => Promise.reject(new ApiError('/any', reason, 'no')) };
      /** Looks twice after each settlement, and returns when alerts began and ended, in settlements. */
      const run = async (first: Partial<DataClient>) => {
        let state: unknown;
        const said: string[] = [];
        for (let index = 100; index < rates.length; index += 1)
          for (const [late, fault] of [
            [20_000, first],
            [320_000, {}],
          ] as const) {
            const now = start + index * 4 * hour + late;
            const data = { ...service(now), ...fault };
            const asked = detector.observe({ data, options, state, symbols: [], now, signal });
            const observation = await ifAnswered(asked);
            if (observation === undefined) continue;
            const stepped = detector.step(state, observation, { options, now });
            state = stepped.state;
            for (const { status, labels } of stepped.changes)
              said.push(`${index} ${status} ${JSON.stringify(labels)}`);
          }
        return said;
      };
      const expected = await run({});
      expect(expected.length).toBeGreaterThan(1);
      expect(await run(broken)).toEqual(expected);
    },
  );
});

describeWith('../shared/market-data', 'the recorded funding of 2020 to 2022', () => {
  test('no funding alert costs less than 20% a year, nor is within 0.01% of the resting rate', async () => {
    const past = await openRecordedPast({ dir: recordings });
    const changes: Change[] = [];
    await replay({
      detectors: [extreme, flip].map((detector) => ({
        detector,
        options: detector.options.parse({}),
        schedule: '20 5 */8 * * *',
      })),
      at: past.at,
      from: past.earliest,
      to: past.latest,
      symbols: past.symbols,
      onAlert: (alert) => void changes.push(alert),
    });
    await past.close();
    const open = changes.filter(({ status }) => status !== 'resolved');
    expect(open.length).toBeGreaterThan(100);
    for (const change of open) {
      const size = yearly(change);
      expect(Math.abs(size)).toBeGreaterThanOrEqual(20);
      expect(Math.abs(size - (yearlyPct(0.0001, 8) ?? 0))).toBeGreaterThanOrEqual(10.9);
    }
  });
});
