import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/basis-flip.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers } from '#test/support/data.ts';
import { asking, brief, drive, looks, observe, said, saidOf, told } from './drive.ts';

const at = (index: number) => start + index * 5 * minute;
const row = (time: number, basisPct: number) => ({
  timestamp: iso(time),
  markPrice: 100 * (1 + basisPct / 100),
  indexPrice: 100,
  basisPct,
  estFunding: 0.0001,
});
/** A mean over two hours has 24 rows; `settled` rows of the first value come before the first letter. */
const quick = { window: '2h', confirm: 2, settle: '2h', cooldown: '0s' };
const settled = 30;
const run = (values: readonly number[], options: Record<string, unknown> = quick) => {
  const all = [...Array.from({ length: settled }, () => values[0] ?? 0), ...values].map((value, index) =>
    row(at(index), value),
  );
  return drive(
    detector,
    options,
    values.map((_, index) => {
      const last = settled + index;
      return [
        at(last) + 25_000,
        [{ symbol: 'BTCUSDT', data: all.slice(Math.max(0, last - 287), last + 1) }],
      ] as const;
    }),
  ).changes;
};
const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);

describe('a basis that flips', () => {
  test('is judged by its mean, beyond a level on either side of zero', () => {
    const changes = run([...repeat(-0.05, 3), ...repeat(0.05, 24)]);
    // The first mean of at least 0.02 % has 17 of 24 rows at +0.05 % and 7 at −0.05 %; the next one confirms it.
    expect(looks(changes).indexOf('+info')).toBe(3 + 18 - 1);
    expect(told(changes)).toEqual('+info');
  });

  test.each<[string, number[], string]>([
    ['the side at the baseline is not told', repeat(0.1, 10), ''],
    ['one wild row is no flip', [...repeat(-0.03, 5), 0.5, ...repeat(-0.03, 30)], ''],
    [
      'a mean that hovers about zero is no flip',
      Array.from({ length: 200 }, (_, index) => 0.019 * Math.sin(index / 30)),
      '',
    ],
    ['it settles', [...repeat(-0.05, 2), ...repeat(0.05, 60)], '+info -info'],
    [
      'it turns back: another flip',
      [...repeat(-0.05, 2), ...repeat(0.05, 24), ...repeat(-0.05, 24)],
      '+info -info+info',
    ],
  ])('%s', (_rule, values, expected) => {
    expect(told(run(values))).toEqual(expected);
  });

  test('that turns back does not end with the title of its beginning', () => {
    const changes = run([...repeat(-0.05, 2), ...repeat(0.05, 24), ...repeat(-0.05, 24)]);
    expect(saidOf(changes, 'resolved')).toMatchObject({
      title: expect.stringMatching(/^BTC basis now −0\.0\d+% on average over 2 h$/),
      summary: 'It has turned back.',
    });
  });

  test('holds others back for the cooldown after an alert', () => {
    const values = [...repeat(-0.05, 2), ...repeat(0.05, 24), ...repeat(-0.05, 24), ...repeat(0.05, 24)];
    expect(told(run(values, { ...quick, cooldown: '1d' }))).toEqual('+info -info');
  });

  test('ignores a mean of hours that are mostly unknown', () => {
    const short = (value: number, from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => row(at(from + index), value));
    const { changes } = drive(detector, quick, [
      [at(30), [{ symbol: 'BTCUSDT', data: short(-0.05, 0, 31) }]],
      [at(80), [{ symbol: 'BTCUSDT', data: short(0.05, 72, 81) }]],
    ]);
    expect(brief(changes)).toEqual('. .');
  });

  test('ignores old rows', () => {
    const rows = [...repeat(-0.05, 40), ...repeat(0.05, 40)].map((value, index) => row(at(index), value));
    const { changes } = drive(detector, quick, [
      [at(39), [{ symbol: 'BTCUSDT', data: rows.slice(0, 40) }]],
      [at(79) + hour, [{ symbol: 'BTCUSDT', data: rows }]],
    ]);
    expect(brief(changes)).toEqual('. .');
  });

  test('has labels that name the side, and a title with the mean', () => {
    const change = run([...repeat(-0.05, 3), ...repeat(0.05, 24)]).flat()[0];
    expect(change?.labels).toEqual({ kind: 'basis-flip', symbol: 'BTCUSDT', to: 'CONTANGO' });
    expect(change && said(change).title).toBe('BTC basis turned positive: +0.0250% on average over 2 h');
    expect(change?.annotations.chart?.series[0]?.points).toHaveLength(51);
  });

  describe('the requests', () => {
    const followed = { seen: start, stands: 'CONTANGO', pending: null, open: null, last: null };
    const since = { side: 'CONTANGO', since: start, saidAt: start, quiet: false, off: 0 };
    const open = { ...since, severity: 'info', peak: 'info' } as const;
    const state = { values: { LINKUSDT: followed, ADAUSDT: { ...followed, open } } };
    /** Observes with a service that refuses some markets. Returns which were asked about, and which answered. */
    const ask = async (maxSymbols: number, refused: readonly string[] = []) => {
      const { asked, data } = asking('basis', ({ symbol = '' }) => {
        if (refused.includes(symbol)) throw new ApiError('/basis', 'invalid_request', 'Invalid symbol');
        return answers.basis;
      });
      const found = await observe(detector, data, { options: { maxSymbols }, state, symbols: ['XRPUSDT'] });
      return { asked: asked.map(({ symbol }) => symbol), got: found.map(({ symbol }) => symbol) };
    };

    test('are about markets with open alerts first, then wanted ones, those it follows, and the majors', async () => {
      expect((await ask(5)).asked).toEqual(['ADAUSDT', 'XRPUSDT', 'LINKUSDT', 'BTCUSDT', 'ETHUSDT']);
    });

    test('are about the next markets if all of these are refused', async () => {
      expect((await ask(2, ['ADAUSDT', 'XRPUSDT'])).got).toEqual(['LINKUSDT', 'BTCUSDT']);
      expect((await ask(2, ['ADAUSDT'])).got).toEqual(['XRPUSDT']);
    });

    test('fail if the next markets are refused as well', async () => {
      const refused = ['ADAUSDT', 'XRPUSDT', 'LINKUSDT', 'BTCUSDT'];
      await expect(ask(2, refused)).rejects.toMatchObject({ reason: 'invalid_request' });
    });
  });
});
