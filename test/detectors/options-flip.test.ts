import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/options-flip.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers } from '#test/support/data.ts';
import { asking, brief, drive, observe, said, saidOf } from './drive.ts';

const at = (index: number) => start + index * 15 * minute;
const row = (time: number, putCallRatio: number) => ({
  timestamp: iso(time),
  callOI: 100_000,
  putOI: 100_000 * putCallRatio,
  putCallRatio,
  maxPain: 95_000,
  avgIV: 42,
});
const rows = (ratios: readonly number[], upTo: number) =>
  ratios.slice(0, upTo + 1).map((ratio, index) => row(at(index), ratio));
const quick = { confirm: 2, settle: '1h', cooldown: '0s' };
const run = (ratios: readonly number[], options: Record<string, unknown> = quick) =>
  drive(
    detector,
    options,
    ratios.map((_, index) => [at(index) + minute, [{ currency: 'BTC', data: rows(ratios, index) }]] as const),
  ).changes;

describe('put/call', () => {
  test.each<[string, number[], string]>([
    ['above the level at the baseline is not told', [1.3, 1.3, 1.3], '. . .'],
    ['crossing it for two rows is', [0.8, 1.1, 1.1], '. . +warning'],
    ['crossing it for one is not', [0.8, 1.1, 0.9, 1.1, 0.9], '. . . . .'],
    ['a ratio that hovers about the level is on no side', [0.8, 1.02, 1.04, 0.98, 1.04], '. . . . .'],
    ['back within the margin it stays turned', [0.8, 1.1, 1.1, 0.97, 1.02], '. . +warning . .'],
    ['back beyond it is another turn', [0.8, 1.1, 1.1, 0.9, 0.9], '. . +warning . -warning+warning'],
    ['what stands settles', [0.8, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1], '. . +warning . . . -warning'],
  ])('%s', (_rule, ratios, expected) => {
    expect(brief(run(ratios))).toEqual(expected);
  });

  test.each([
    [[0.8, 1.1, 1.1, 0.9, 0.9], 'BTC options: put/call now 0.90', 'It has turned back.'],
    [
      [0.8, 1.1, 1.1, 0.97, 1.1, 0.97, 0.97],
      'BTC options: put/call now 0.97',
      'It has not turned back for 1 h.',
    ],
  ])('with the ratios %j ends with “%s. %s”', (ratios, title, summary) => {
    expect(saidOf(run(ratios), 'resolved')).toMatchObject({ title, summary });
  });

  test('uses the configured level', () => {
    const ratios = [0.6, 0.8, 0.8];
    expect(brief(run(ratios, { ...quick, level: 0.7 }))).toEqual('. . +warning');
    expect(detector.options.safeParse({ level: 0.5, margin: 0.5 }).success).toBe(false);
  });

  test('counts rows, not polls: a missed poll loses nothing, and a repeated one counts once', () => {
    const ratios = [0.8, 1.1, 1.1];
    const seen = (index: number) =>
      [at(index) + minute, [{ currency: 'BTC', data: rows(ratios, index) }]] as const;
    expect(brief(drive(detector, quick, [seen(0), seen(2)]).changes)).toEqual('. +warning');
    expect(brief(drive(detector, quick, [seen(0), seen(1), seen(1)]).changes)).toEqual('. . .');
  });

  test('ignores rows that are an hour old', () => {
    const ratios = [0.8, 1.1, 1.1];
    const { changes } = drive(detector, quick, [
      [at(0), [{ currency: 'BTC', data: rows(ratios, 0) }]],
      [at(2) + 2 * hour, [{ currency: 'BTC', data: rows(ratios, 2) }]],
    ]);
    expect(brief(changes)).toEqual('. .');
  });

  test('has the coin’s symbol, and a chart of the day', () => {
    const change = run([0.8, 1.1, 1.1])[2]?.[0];
    expect(change).toMatchObject({
      labels: { kind: 'options-flip', symbol: 'BTCUSDT', to: 'PUTS' },
      annotations: {
        dataTime: at(2),
        chart: {
          series: [
            {
              points: [
                [at(0), 0.8],
                [at(1), 1.1],
                [at(2), 1.1],
              ],
            },
          ],
        },
      },
    });
    expect(change && said(change).title).toBe('BTC options: put/call rose above 1.00 (1.10)');
  });

  test('is judged for one currency even if the other is refused', async () => {
    const { data } = asking('optionsSummary', ({ currency }) => {
      if (currency === 'ETH') throw new ApiError('/options/summary', 'invalid_request', 'no');
      return answers.optionsSummary;
    });
    expect((await observe(detector, data)).map(({ currency }) => currency)).toEqual(['BTC']);
  });
});
