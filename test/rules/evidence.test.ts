import { describe, expect, test } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import { plainReader, say } from '#src/language/say.ts';
import { gatherEvidence } from '#src/rules/evidence.ts';
import { updateFacts } from '#src/rules/facts.ts';
import type { Reading } from '#src/rules/feed.ts';
import { emptyRuleMemory, judgeRound } from '#src/rules/round.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { dataClient, now as start } from '#test/support/data.ts';
import { rule } from '#test/support/rules.ts';

/** Returns the changes for a sequence of readings, over a service that answers everything else. */
async function changesOver(
  over: Partial<Rule>,
  readings: readonly Reading['values'][],
  broken: Parameters<typeof dataClient>[0] = {},
) {
  const rules = ruleIndexOf([rule(over)]);
  const signal = new AbortController().signal;
  let judged = emptyRuleMemory;
  const changes = [];
  for (const [round, values] of readings.entries()) {
    const now = start + round * minute;
    const data = dataClient(broken);
    const facts = updateFacts(judged.facts, {
      readings: [{ symbol: 'BTCUSDT', time: now, values }],
      now,
      isUseful: () => true,
    });
    const seen = await judgeRound(rules, {
      judged,
      facts,
      tracked: ['BTCUSDT', 'ETHUSDT'],
      now,
      gatherEvidence: (subjects) => gatherEvidence(subjects, { data, now, signal }),
    });
    judged = seen.judged;
    changes.push(...seen.changes);
  }
  return changes.map(({ annotations: { title, summary, facts, chart } }) => ({
    title: say(title, plainReader),
    summary: say(summary, plainReader),
    facts: facts.map(({ name }) => say(name, plainReader)),
    chart: chart && [
      say(chart.title, plainReader),
      chart.unit,
      ...(chart.marks ?? []).map(({ value }) => value),
    ],
  }));
}
const falling = [
  { 'price.change24hPct': 0.4 },
  { 'price.change24hPct': -1.02 },
  { 'price.change24hPct': 1.5 },
];
const twoDays = {
  symbol: 'BTCUSDT',
  interval: '1h',
  data: Array.from({ length: 48 }, (_, index) => {
    const close = String(100 + index);
    const open_time = iso(Math.floor(start / hour) * hour - (48 - index) * hour);
    return { open_time, o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' };
  }),
};
const down = { condition: 'price.change24hPct < 0' };

describe('a person’s own alert', () => {
  test('shows the metric, its value and the level, with the price, its chart, and how it ended', async () => {
    expect(await changesOver(down, falling, { candles: twoDays })).toEqual([
      {
        title: 'BTC 24 h change −1.02% (your alert: below 0%)',
        summary: 'Clears when: 24 h change at or above 1%.',
        facts: ['Price', 'As of'],
        chart: [expect.stringMatching(/^BTC 24 h change, last /), '%', 0],
      },
      {
        title: 'BTC 24 h change +1.50%',
        summary: 'Your alert: 24 h change below 0%.',
        facts: ['Price', 'As of'],
        chart: expect.anything(),
      },
    ]);
  });

  test.each<
    [rule: string, over: Partial<Rule>, expected: Partial<Awaited<ReturnType<typeof changesOver>>[number]>]
  >([
    [
      'with a name keeps it',
      { ...down, name: 'Breakdown' },
      {
        title: 'BTC: Breakdown',
        summary: 'Your alert: 24 h change below 0%. Clears when: 24 h change at or above 1%.',
        facts: ['Values', 'Price', 'As of'],
      },
    ],
    [
      'that must last says how long',
      { ...down, hold: minute },
      {
        summary: 'Your alert: 24 h change below 0%, for 1 min. Clears when: 24 h change at or above 1%.',
      },
    ],
    [
      'of several conditions is a sentence, beside the price’s picture',
      { condition: 'price.change24hPct < 0 && price.last > 5' },
      {
        title: 'BTC: 24 h change below 0% and price above 5',
        summary: 'Your alert: 24 h change below 0% and price above 5.',
        facts: ['Values', 'As of'],
        chart: [expect.stringMatching(/^BTC price, last /), 'USDT'],
      },
    ],
    [
      'of many conditions says them below its title',
      { condition: `price.change24hPct < 0 && ${Array(5).fill('price.last > 5').join(' && ')}` },
      { title: 'BTC: your alert has triggered' },
    ],
  ])('%s', async (_, over, said) => {
    const readings = [...falling.slice(0, 2), falling[1], falling[1]].map((values) => ({
      ...values,
      'price.last': 10,
    }));
    expect((await changesOver(over, readings))[0]).toMatchObject(said);
  });

  test('is sent even if neither price nor chart is available', async () => {
    const gone = new ApiError('/intelligence', 'server_error', '500');
    const [first] = await changesOver(down, falling, {
      intelligence: gone,
      marketOverview: gone,
      candles: gone,
      oi: gone,
    });
    expect(first).toMatchObject({
      title: 'BTC 24 h change −1.02% (your alert: below 0%)',
      facts: ['As of'],
      chart: undefined,
    });
  });
});

test('three alerts of one round get a chart, of a day', async () => {
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];
  const { pasts } = await gatherEvidence(
    symbols.map((symbol) => ({ metric: 'price.last', symbol, areLiquidations: false })),
    { data: dataClient({ candles: twoDays }), now: start, signal: new AbortController().signal },
  );
  expect(Object.keys(pasts)).toEqual(symbols.slice(0, 3).map((symbol) => `price.last ${symbol}`));
  for (const [first] of Object.values(pasts)) expect(first?.[0]).toBeGreaterThan(start - 25 * hour);
});

test('a post about liquidations says which exchanges are counted, and how much of theirs', async () => {
  const coverage = [{ venue: 'bybit', title: 'Bybit', publishes: 'ALL' as const }];
  const changes = await changesOver(
    { condition: 'liquidations.longUsd1h > 1000' },
    [{ 'liquidations.longUsd1h': 0 }, { 'liquidations.longUsd1h': 2_000 }],
    { venueLiquidations: { data: [], coverage } },
  );
  expect(changes).toMatchObject([{ facts: expect.arrayContaining(['Counted']) }]);
});
