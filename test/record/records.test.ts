import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { horizons, type Outcome } from '#src/alert/outcome.ts';
import { readYears } from '#src/app/replayed-years.ts';
import { plainReader, say } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import { createRecords, type YearsOf } from '#src/record/records.ts';
import { enough } from '#src/record/score.ts';
import { day, hour } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';

/** The price goes up by 1 and down by 1 every other hour. */
const prices = Array.from({ length: 40 * 24 }, (_, h) => ({
  at: start + (h - 20 * 24) * hour,
  price: 100 + (h % 2),
}));

const outcome = (index: number, given: Partial<Outcome> = {}): Outcome => ({
  kind: 'bull',
  symbol: 'BTCUSDT',
  prediction: 'up',
  firedAt: start + index * day,
  price: 100,
  after: [101, null, 103],
  estimated: false,
  ...given,
});

function recordsOf(rows: readonly Outcome[], years?: YearsOf) {
  const read: string[] = [];
  const clock = { now: start + 20 * day };
  const records = createRecords({
    kinds: [{ name: 'bull', way: msg('against the crowd') }, { name: 'burst' }],
    market: 'live',
    ...(years !== undefined && { years }),
    now: () => clock.now,
    outcomes: {
      posted: async (_, { kind, symbol } = {}) =>
        rows.filter((row) => (kind ?? row.kind) === row.kind && (symbol ?? row.symbol) === row.symbol),
      async prices(_, { symbol }) {
        read.push(symbol);
        return prices;
      },
    },
  });
  return { records, read, clock };
}
const factOf = (records: ReturnType<typeof recordsOf>['records'], kind: string) => {
  const fact = records.factOf(kind);
  return fact && `${say(fact.name, plainReader)}: ${say(fact.value, plainReader)}`;
};
const twenty = Array.from({ length: enough.alerts }, (_, index) => outcome(index));

describe('the record of an alert’s kind', () => {
  it('is absent before the first post, and for a kind that is not judged', async () => {
    const { records } = recordsOf([]);
    expect(factOf(records, 'bull')).toBeUndefined();
    await records.refresh();
    expect(factOf(records, 'bull')).toBeUndefined();
    expect(factOf(records, 'data-quality')).toBeUndefined();
  });

  it('is left out while the alerts are too few', async () => {
    const { records } = recordsOf(twenty.slice(0, 7));
    await records.refresh();
    expect(factOf(records, 'bull')).toBeUndefined();
  });

  it('is the share of hits beside the usual share, and no promise', async () => {
    const { records } = recordsOf(twenty);
    await records.refresh();
    expect(factOf(records, 'bull')).toBe(
      'Record: More often than usual: after 1 d the price had gone against the crowd in 100% of 20, and in 0% after hours as volatile (difference +89 … +100 points). Past moves, not a forecast.',
    );
  });

  it('is the size of moves for a kind that claims no direction', async () => {
    const { records } = recordsOf(twenty.map((row) => ({ ...row, kind: 'burst', prediction: 'move' })));
    await records.refresh();
    expect(factOf(records, 'burst')).toMatch(
      /^Record: More often than usual: after 1 d the price had moved more than usual in 100% of 20/,
    );
  });

  it('says that there is no difference, or that there are too few alerts', async () => {
    const half = (n: number) =>
      Array.from({ length: n }, (_, index) =>
        outcome(index % 19, {
          prediction: 'move',
          kind: 'burst',
          after: [null, null, 100 + (index % 2) / 10],
        }),
      );
    for (const [n, says] of [
      [40, /Too few to tell: .* only a difference of \d\d points would have shown/],
      [900, /Nothing in it: .* a difference of \d+ points would have shown/],
    ] as const) {
      const { records } = recordsOf(half(n));
      await records.refresh();
      expect(factOf(records, 'burst')).toMatch(says);
    }
  });
});

describe('the recorded years', () => {
  const judged = { sense: 'way' as const, n: 291, days: 250, estimated: 291 };
  const found = {
    move: { median: -0.001, usual: 0.0002 },
    hits: { share: 0.41, usual: 0.5 },
    excess: { usual: 0.5, mean: -0.09, error: 0.03, freedom: 249 },
  };
  const finding = { verdict: 'less' as const, interval: [-0.16, -0.02] as const, detectable: 0.1 };
  const years: YearsOf = (kind, horizon) =>
    kind === 'bull' && horizon === day ? { kind, horizon, ...judged, found, finding } : undefined;

  it('speak for a kind until enough of its alerts were posted, and never count with them', async () => {
    const { records } = recordsOf(twenty.slice(0, 3), years);
    await records.refresh();
    const [, , last] = await records.scores({ kind: 'bull' });
    expect([last?.n, last?.found, last?.replayed?.n]).toEqual([3, undefined, 291]);
    expect(factOf(records, 'bull')).toBe(
      'Record: Replayed over 2020–2022: Less often than usual: after 1 d the price had gone against the crowd in 41% of 291, and in 50% after hours as volatile (difference −16 … −2 points). Past moves, not a forecast.',
    );
    expect(factOf(records, 'burst')).toBeUndefined();
    const { records: later } = recordsOf(twenty, years);
    await later.refresh();
    expect(factOf(later, 'bull')).toMatch(/^Record: More often than usual/);
  });

  it('of the release are the file that the code was released with', () => {
    const of = readYears();
    expect(of('regime-transition', day)?.n).toBeGreaterThan(100);
    const changed = join(mkdtempSync(join(tmpdir(), 'years-')), 'years.json');
    writeFileSync(changed, '[]');
    expect(() => readYears(changed)).toThrow('is not the file');
  });
});

describe('the latest alerts', () => {
  it('are scored apart where there are older ones', async () => {
    const old = twenty.map((row) => ({ ...row, firedAt: row.firedAt - 15 * day }));
    const { records, clock } = recordsOf([...old, ...twenty.slice(0, 7)]);
    await records.refresh();
    expect((await records.scores())[0]?.recent).toBeUndefined();
    clock.now = start + 85 * day;
    await records.refresh();
    const [first] = await records.scores();
    expect(first?.n).toBe(27);
    expect(first?.recent?.n).toBeLessThan(20);
  });
});

describe('the scores', () => {
  it('cover every kind and horizon, or one kind, as of the last refresh', async () => {
    const { records, read } = recordsOf(twenty);
    await records.refresh();
    const all = await records.scores();
    expect(all.map(({ kind, horizon, n }) => [kind, horizon, n])).toEqual([
      ['bull', horizons[0], 20],
      ['bull', horizons[1], 0],
      ['bull', horizons[2], 20],
      ...horizons.map((horizon) => ['burst', horizon, 0]),
    ]);
    expect(await records.scores({ kind: 'bull' })).toEqual(all.slice(0, 3));
    expect(read).toEqual(['BTCUSDT']);
  });

  it('of a symbol cover its alerts alone', async () => {
    const eth = twenty.map((row) => ({ ...row, symbol: 'ETHUSDT' }));
    const { records } = recordsOf([...twenty, ...eth.slice(0, 5)]);
    await records.refresh();
    const [first, ...rest] = await records.scores({ kind: 'bull', symbol: 'ETHUSDT' });
    expect([first?.n, rest.length]).toEqual([5, 2]);
  });

  it('are compared with usual moves that are kept for hours, and only of symbols that are asked about', async () => {
    const eth = twenty.map((row) => ({ ...row, symbol: 'ETHUSDT' }));
    const { records, read, clock } = recordsOf([...twenty, ...eth]);
    const begin = clock.now;
    const readAt = async (hours: number, symbol: string) => {
      clock.now = begin + hours * hour;
      await records.scores({ symbol });
      return read.splice(0);
    };
    expect(await readAt(0, 'BTCUSDT')).toEqual(['BTCUSDT']);
    expect(await readAt(5, 'BTCUSDT')).toEqual([]);
    expect(await readAt(7, 'ETHUSDT')).toEqual(['ETHUSDT']);
    // Were it kept, its moves would be recent enough for this time.
    expect(await readAt(5, 'BTCUSDT')).toEqual(['BTCUSDT']);
  });

  it('are the same each time they are computed', async () => {
    const mixed = twenty.map((row, index) => ({ ...row, after: [100 + (index % 3), null, 99] }));
    const { records } = recordsOf(mixed);
    await records.refresh();
    const first = await records.scores();
    await records.refresh();
    expect(await records.scores()).toEqual(first);
  });
});
