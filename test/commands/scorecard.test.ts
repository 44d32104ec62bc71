import { describe, expect, test } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import scorecard from '#src/commands/scorecard.ts';
import { plainReader } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import type { KindScore } from '#src/record/records.ts';
import { day, hour } from '#src/runtime/units.ts';
import { commandContext } from '#test/support/commands.ts';

const found = {
  move: { median: 0.0123, usual: 0.001 },
  hits: { share: 0.64, usual: 0.51 },
  excess: { usual: 0.5, mean: 0.13, error: 0.04, freedom: 30 },
};
const finding = { verdict: 'more', interval: [0.04, 0.22], detectable: 0.121 } as const;
const scores: readonly KindScore[] = [hour, 4 * hour, day].flatMap((horizon): KindScore[] => [
  {
    kind: 'regime-transition',
    way: msg('the way of the turn'),
    horizon,
    sense: 'way',
    n: 123,
    days: 60,
    estimated: 2,
    found,
    finding,
    replayed: {
      kind: 'regime-transition',
      horizon,
      sense: 'way',
      n: 40,
      days: 25,
      estimated: 40,
      found,
      finding,
    },
  },
  { kind: 'liquidation-burst', horizon, sense: 'size', n: 40, days: 20, estimated: 0, found, finding },
  { kind: 'oi-momentum', horizon, sense: 'size', n: 7, days: 1, estimated: 0 },
  { kind: 'basis-flip', horizon, sense: 'size', n: 0, days: 0, estimated: 0 },
]);

async function ask(input: Record<string, string>, known = scores) {
  const context = commandContext({
    records: {
      callers: async () => [],
      scores: async ({ kind } = {}) => known.filter((each) => (kind ?? each.kind) === each.kind),
    },
  });
  const card = await scorecard.run(scorecard.input.parse(input), context);
  return sayCard(card, plainReader);
}

describe('the scorecard', () => {
  test('has a row for each kind that was posted, beside the usual values', async () => {
    const { title, table } = await ask({});
    expect(title).toBe('Scorecard, after 1 d');
    expect(table?.rows).toEqual([
      [...['Regime change', '123', '+1.23% (+0.10%)', '64% (51%)', '+4 … +22', '13'], '+4 … +22 of 40'],
      ['Liquidation burst', '40', '1.23% (0.10%)', '64% (51%)', '+4 … +22', '13', 'no evidence yet'],
      ['OI momentum', '7', 'no evidence yet (7 alerts on 1 day)', '', '', '', 'no evidence yet'],
    ]);
  });

  test('has no replay column without replays, and a row for a kind that was only replayed', async () => {
    const posted = scores.map(({ replayed: _, ...each }) => each);
    const { table, summary } = await ask({}, posted);
    expect(table?.rows.map((row) => row.length)).toEqual([6, 6, 6]);
    expect(summary).not.toContain('Replayed');
    const only = scores.map(({ found: _, finding: __, ...each }): KindScore => ({ ...each, n: 0 }));
    expect((await ask({}, only)).table?.rows).toEqual([
      ['Regime change', '0', 'no evidence yet', '', '', '', '+4 … +22 of 40'],
    ]);
    expect((await ask({}, only)).summary).toContain('Nobody received them');
  });

  test('shows the latest alerts apart where there are older ones', async () => {
    const known = scores.map(
      (each): KindScore =>
        each.kind === 'regime-transition' ? { ...each, recent: { ...each, n: 30 } } : each,
    );
    const { table } = await ask({}, known);
    expect(table?.columns[6]).toBe('Last 90 days');
    expect(table?.rows.map((row) => row[6])).toEqual([
      '+4 … +22 of 30',
      '+4 … +22 of 40',
      'no evidence yet (7 alerts on 1 day)',
    ]);
  });

  test('of one kind has a row for each horizon', async () => {
    const { title, table } = await ask({ kind: 'liquidation-burst', after: '1h' });
    expect(title).toBe('Scorecard, Liquidation burst');
    expect(table?.rows.map(([first]) => first)).toEqual(['1 h', '4 h', '1 d']);
  });

  test('says that it is no forecast, what a hit is, and what is estimated', async () => {
    const { summary, facts } = await ask({});
    expect(summary).toMatch(
      /^Past moves after posted alerts, not a forecast\.\nA hit for Regime change: the price went the way of the turn\. .*\nHit of the others: /,
    );
    expect(facts).toEqual([
      { name: 'Estimated', value: '2 outcomes use a price interpolated between two hourly ones' },
    ]);
    expect((await ask({ kind: 'regime-transition' })).summary).not.toContain(
      'Hit: the price had moved, either way',
    );
    expect((await ask({ kind: 'oi-momentum' })).summary).toContain('either way');
  });

  test('of one kind states the smallest event worth an alert', async () => {
    const kinds = [{ name: 'oi-momentum', description: '', smallest: '$500K in 15 min' }];
    const facts = async (kind?: string) =>
      (await scorecard.run(scorecard.input.parse({ kind }), commandContext({ kinds }))).facts;
    expect(await facts('oi-momentum')).toEqual([{ name: msg('Smallest alert'), value: '$500K in 15 min' }]);
    expect(await facts()).toEqual([]);
  });

  test.each([
    ['nothing is old enough', {}, 'No posted alert is old enough to be scored yet.'],
    ['a kind says no claim about the price', { kind: 'data-quality' }, 'no claim about the price'],
  ])('says so if %s', async (_, input, summary) => {
    const known = scores.filter(({ n }) => n === 0).map(({ replayed: _, ...each }) => each);
    const card = await ask(input, known);
    expect(card.summary).toContain(summary);
    expect(card.table).toBeUndefined();
    expect(renderText(card, { columns: 80 })).toContain('Scorecard');
  });
});
