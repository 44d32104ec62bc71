import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/wide-spread.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { asking, brief, drive, observe, said } from './drive.ts';

const row = (index: number, spreadPct: number) => ({
  timestamp: iso(start + index * minute),
  bidPrice: 100,
  askPrice: 100 * (1 + spreadPct / 100),
  spreadPct,
  imbalance: 0.1,
});
const usual = 0.01;
const quiet = 120;
const quick = { confirm: 2, calm: 2, cooldown: '0s' };
/** Observes two hours at the usual value, then each value for a minute. */
const run = (values: readonly number[], options: Record<string, unknown> = quick, of = usual) => {
  const all = [...Array.from({ length: quiet }, () => of), ...values].map((value, index) =>
    row(index, value),
  );
  const seen = (last: number) =>
    [start + last * minute + 5_000, [{ symbol: 'BTCUSDT', data: all.slice(0, last + 1) }]] as const;
  return drive(detector, options, [
    seen(quiet - 1),
    ...values.map((_, index) => seen(quiet + index)),
  ]).changes.slice(1);
};

describe('a wide spread', () => {
  test.each<[string, number[], string]>([
    ['twice its usual is nothing', [0.02, 0.02, 0.02], '. . .'],
    ['five times for two minutes is told', [0.05, 0.05], '. +info'],
    ['for one minute it is not', [0.09, 0.01, 0.09, 0.01], '. . . .'],
    [
      'one that hovers about the level is one alert',
      [0.05, 0.05, 0.045, 0.055, 0.045, 0.055],
      '. +info . . . .',
    ],
    ['it ends below twice its usual', [0.05, 0.05, 0.03, 0.019, 0.019], '. +info . . -info'],
  ])('%s', (_rule, values, expected) => {
    expect(brief(run(values))).toEqual(expected);
  });

  test('ignores one more tick in a tight order book', () => {
    expect(brief(run([0.001, 0.001, 0.001], quick, 0.0001))).toEqual('. . .');
  });

  test('counts rows, not polls, even if the service falls behind', () => {
    const rows = [...Array.from({ length: quiet }, () => usual), 0.05, 0.05, 0.05].map((value, index) =>
      row(index, value),
    );
    const seen = (now: number, upTo: number): readonly [number, { symbol: string; data: typeof rows }[]] => [
      now,
      [{ symbol: 'BTCUSDT', data: rows.slice(0, upTo) }],
    ];
    const before = seen(start + quiet * minute, quiet);
    const soon = seen(start + 123 * minute, 123);
    const late = seen(start + 123 * minute + hour, 123);
    expect(brief(drive(detector, {}, [before, soon]).changes)).toEqual('. +info');
    expect(brief(drive(detector, {}, [before, late]).changes)).toEqual('. .');
  });

  test('needs an hour of rows to know the usual value', () => {
    const rows = Array.from({ length: 30 }, (_, index) => row(index, usual));
    expect(drive(detector, {}, [[start + 30 * minute, [{ symbol: 'BTCUSDT', data: rows }]]]).state).toEqual({
      values: {},
    });
  });

  test('says how wide it is, and compared with what', () => {
    const change = run([0.06, 0.06])[1]?.[0];
    expect(change?.labels).toEqual({ kind: 'wide-spread', symbol: 'BTCUSDT' });
    expect(change && said(change).title).toBe('BTC spread is wide: 0.0600%, 6.0 × normal');
  });

  test('is looked for in as many markets as its limit allows', async () => {
    const { asked, data } = asking('spread');
    await observe(detector, data);
    expect(asked).toHaveLength(detector.options.parse({}).maxSymbols);
  });
});
