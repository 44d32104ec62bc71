import { describe, expect, it } from 'vitest';
import { horizons, type Outcome } from '#src/alert/outcome.ts';
import { plainReader, say } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import { createRecords } from '#src/record/records.ts';
import { enough } from '#src/record/score.ts';
import { day, hour } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';

/** Up by 1 and down by 1 every other hour. */
const prices = Array.from({ length: 20 * 24 }, (_, h) => ({ at: start + h * hour, price: 100 + (h % 2) }));

const outcome = (index: number, given: Partial<Outcome> = {}): Outcome => ({
  kind: 'bull',
  symbol: 'BTCUSDT',
  claim: 'up',
  firedAt: start + index * day,
  price: 100,
  after: [101, null, 103],
  estimated: false,
  ...given,
});

function recordsOf(rows: readonly Outcome[]) {
  const read: string[] = [];
  const records = createRecords({
    kinds: [{ name: 'bull', way: msg('against the crowd') }, { name: 'burst' }],
    market: 'live',
    now: () => start + 20 * day,
    outcomes: {
      posted: async (_, { kind, symbol } = {}) =>
        rows.filter((row) => (kind ?? row.kind) === row.kind && (symbol ?? row.symbol) === row.symbol),
      async prices(_, symbol) {
        read.push(symbol);
        return prices;
      },
    },
  });
  return { records, read };
}
const factOf = (records: ReturnType<typeof recordsOf>['records'], kind: string) => {
  const fact = records.factOf(kind);
  return fact && `${say(fact.name, plainReader)}: ${say(fact.value, plainReader)}`;
};
const twenty = Array.from({ length: enough.alerts }, (_, index) => outcome(index));

describe('what an alert says of its kind', () => {
  it('is not enough before anything was posted, and nothing for a kind that is not judged', async () => {
    const { records } = recordsOf([]);
    expect(factOf(records, 'bull')).toBe('Record: not enough data (n = 0)');
    await records.refresh();
    expect(factOf(records, 'bull')).toBe('Record: not enough data (n = 0)');
    expect(factOf(records, 'data-quality')).toBeUndefined();
  });

  it('is how many there are while they are too few', async () => {
    const { records } = recordsOf(twenty.slice(0, 7));
    await records.refresh();
    expect(factOf(records, 'bull')).toBe('Record: not enough data (n = 7, on 7 days)');
  });

  it('is the share of hits beside the usual one, and no promise', async () => {
    const { records } = recordsOf(twenty);
    await records.refresh();
    expect(factOf(records, 'bull')).toBe(
      'Record: After 1 d the price had gone against the crowd in 100% of 20, and goes there anyway in 0% (difference +100 … +100 points). Past moves, not a forecast.',
    );
  });

  it('of a kind that says no way is of how much it moves', async () => {
    const { records } = recordsOf(twenty.map((row) => ({ ...row, kind: 'burst', claim: 'move' })));
    await records.refresh();
    expect(factOf(records, 'burst')).toMatch(
      /^Record: Within 1 d the price had moved more than usual in 100%/,
    );
  });
});

describe('scores', () => {
  it('are of every kind over every horizon, or of one kind, as of the last refresh', async () => {
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

  it('of a symbol are of its alerts alone', async () => {
    const eth = twenty.map((row) => ({ ...row, symbol: 'ETHUSDT' }));
    const { records } = recordsOf([...twenty, ...eth.slice(0, 5)]);
    await records.refresh();
    const [first, ...rest] = await records.scores({ kind: 'bull', symbol: 'ETHUSDT' });
    expect([first?.n, rest.length]).toEqual([5, 2]);
  });

  it('are the same each time they are reckoned', async () => {
    const mixed = twenty.map((row, index) => ({ ...row, after: [100 + (index % 3), null, 99] }));
    const { records } = recordsOf(mixed);
    await records.refresh();
    const first = await records.scores();
    await records.refresh();
    expect(await records.scores()).toEqual(first);
  });
});
