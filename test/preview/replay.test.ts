import { rm } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Alert } from '#src/alert/alert.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { type Detector, defineDetector } from '#src/detectors/detector.ts';
import { formatAlert, formatSummary } from '#src/preview/format.ts';
import { type ReplayEnd, replay } from '#src/preview/replay.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { openRecordedPast } from '#src/service/past/recorded-past.ts';
import { dataClient } from '#test/support/data.ts';
import { detectors as shipped } from '#test/support/detectors.ts';
import { recordedFolder } from '#test/support/recorded-market.ts';

const start = Date.UTC(2022, 10, 1);

/** Fires while the regime's score is positive. */
const example = defineDetector({
  name: 'example',
  description: 'An example',
  preset: 'everything',
  schedule: '0 */10 * * * *',
  options: z.object({}),
  state: z.object({ on: z.boolean() }),
  observe: ({ data, signal }) => data.regime({}, signal),
  step(state, { score }, { now }) {
    const on = score > 0;
    const annotations = { title: `score ${score}`, summary: '', facts: [], dataTime: now };
    const status = on ? 'firing' : 'resolved';
    const turned = state !== undefined && state.on !== on;
    const change = { status, severity: 'warning', labels: { kind: 'example' }, annotations } as const;
    return { state: { on }, changes: turned ? [change] : [] };
  },
}) as Detector;

const at =
  (score: (now: number) => number) =>
  (now: number): DataClient => ({
    ...dataClient(),
    regime: async () => ({ regime: 'MARKUP', confidence: 1, score: score(now) }),
  });

const run = async (over: Partial<Parameters<typeof replay>[0]>) => {
  const alerts: Alert[] = [];
  const result = await replay({
    detectors: [{ detector: example, options: {} }],
    at: at((now) => (Math.floor((now - start) / (2 * hour)) % 2 === 0 ? 1 : -1)),
    from: start,
    to: start + 8 * hour,
    onAlert: (alert) => void alerts.push(alert),
    ...over,
  });
  return { alerts, result, lines: alerts.map(formatAlert) };
};

describe('replay', () => {
  test('reports each revision in order, by the schedule, with one id per episode', async () => {
    const { alerts, lines } = await run({});
    expect(lines).toEqual([
      '2022-11-01 00:00 UTC  warning   firing    score 1',
      '2022-11-01 02:00 UTC  warning   resolved  score -1 (after 2 h)',
      '2022-11-01 04:00 UTC  warning   firing    score 1',
      '2022-11-01 06:00 UTC  warning   resolved  score -1 (after 2 h)',
      '2022-11-01 08:00 UTC  warning   firing    score 1',
    ]);
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(3);
  });

  test('omits the beginning of what was active before, but not its end', async () => {
    const { lines } = await run({ from: start + hour, to: start + 3 * hour });
    expect(lines).toEqual(['2022-11-01 02:00 UTC  warning   resolved  score -1 (after 2 h)']);
    expect((await run({ from: start + hour, to: start + 3 * hour, warmUp: 0 })).lines).toEqual([]);
  });

  test('continues from where an earlier one ended, with the same alerts as in one piece', async () => {
    const whole = await run({ warmUp: 0 });
    const parts: Alert[] = [];
    let standing: ReplayEnd | undefined;
    for (let from = start; from < start + 8 * hour; from += hour + 20 * minute) {
      const to = from + hour + 20 * minute - 1;
      const detectors = [{ detector: example, options: {}, standing }];
      const { alerts, result } = await run({ detectors, from, to, warmUp: 0 });
      parts.push(...alerts);
      standing = JSON.parse(JSON.stringify(result.standing('example')));
    }
    expect(standing?.seenSince).toBe(start);
    expect(parts).toEqual(whole.alerts.filter(({ updatedAt }) => updatedAt < start + 8 * hour));
  });

  test('asks once in each slot of an endpoint’s cadence, as the live client does', async () => {
    let asked = 0;
    const detectors = ['5', '25', '45'].map((seconds) => ({
      detector: { ...example, name: `at ${seconds}` },
      options: {},
      schedule: `${seconds} * * * * *`,
    }));
    const counting = (now: number): DataClient => ({
      ...dataClient(),
      async regime() {
        asked += 1;
        return { regime: 'MARKUP', confidence: 1, score: now };
      },
    });
    await run({ detectors, at: counting, warmUp: 0, from: start + minute, to: start + 61 * minute });
    // Every five minutes, a quarter of a minute after which newer data can exist.
    expect(asked).toBe(13);
  });

  test('keeps a detector’s own schedule', async () => {
    const detectors = [{ detector: example, options: {}, schedule: '0 0 */3 * * *' }];
    expect((await run({ detectors })).lines.map((line) => line.slice(11, 16))).toEqual(['03:00']);
  });

  test('names once what was not recorded, counts gaps, and throws any other error', async () => {
    const failing = (fault: Error) => run(faulty(fault));
    const faulty = (fault: Error) => ({
      at: (): DataClient => ({ ...dataClient(), regime: () => Promise.reject(fault) }),
      warmUp: 0,
    });
    const missing = await failing(new ApiError('/regime', 'not_offered', 'no'));
    expect(missing.result).toMatchObject({ notRecorded: ['example'], unseen: {}, seenSince: {} });
    const gap = await failing(new ApiError('/regime', 'server_error', 'no'));
    expect(gap.result).toMatchObject({ notRecorded: [], unseen: { example: 49 }, seenSince: {} });
    await expect(failing(new TypeError('a fault'))).rejects.toThrow('a fault');
  });

  test('can be stopped', async () => {
    await expect(run({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

describe('the summary', () => {
  test('counts episodes per kind by the worst severity of each', async () => {
    const { alerts } = await run({});
    expect(
      formatSummary(alerts, {
        notRecorded: ['oi-momentum', 'listing'],
        unseen: { example: 3 },
      }),
    ).toBe(
      [
        'kind     info  warning  critical  alerts  open  median duration',
        'example     0        3         0       3     1              2 h',
        'all         0        3         0       3     1              2 h',
        'not recorded: oi-momentum, listing',
        'example: 3 checks skipped, the recording has a gap',
      ].join('\n'),
    );
  });

  test('is empty without episodes', () => {
    expect(formatSummary([], { notRecorded: [], unseen: {} }).split('\n')[1]).toMatch(
      /^all +0 +0 +0 +0 +0 +–$/,
    );
  });
});

describe('the recorded November of 2022', () => {
  test('shows the collapse of FTX, and gives the same bytes twice', async () => {
    const detectors = shipped.map((detector) => ({
      detector,
      options: detector.options.parse({}),
      schedule: '30 0 * * * *',
    }));
    const dir = await recordedFolder();
    onTestFinished(() => rm(dir, { recursive: true }));
    const past = await openRecordedPast({ dir });
    const once = async () => {
      const { alerts, lines, result } = await run({
        detectors,
        at: past.at,
        from: start + 6 * 24 * hour,
        to: start + 9 * 24 * hour,
      });
      return { alerts, text: [...lines, formatSummary(alerts, result)].join('\n') };
    };
    const { alerts, text } = await once();
    expect((await once()).text).toBe(text);
    await past.close();
    const turn = alerts.find(({ status, labels }) => status === 'firing' && labels.to === 'RISK_OFF');
    expect(iso(turn?.startsAt ?? 0)).toMatch(/^2022-11-(0[789]|10)T/);
    const funding = alerts.filter(
      ({ labels }) => labels.kind === 'funding-extreme' && labels.symbol === 'BTCUSDT',
    );
    expect(funding.length).toBeGreaterThan(0);
    for (const { annotations } of funding) expect(annotations.dataTime % (8 * hour)).toBeLessThan(minute);
  });
});
