import { describe, expect, test } from 'vitest';
import extreme from '#src/detectors/funding-extreme.ts';
import flip from '#src/detectors/funding-flip.ts';
import overheated from '#src/detectors/funding-overheated.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { drive, said } from '#test/detectors/drive.ts';
import { ask } from '#test/support/commands.ts';
import { answers, dataClient, now } from '#test/support/data.ts';
import { rule, ruleDetector } from '#test/support/rules.ts';

/** Solana's rate at every settlement; the interface's field `annualized` is then 32.85 whatever the interval. */
const paid = 0.0003;
const settledAt = Math.floor(now / hour) * hour;

/** Creates a service in which Solana settles every `hours` hours. */
function settling(hours: number, rate = paid) {
  const settlement = { rate: String(rate), annualized: (rate * 3 * 365 * 100).toFixed(4) };
  const history = Array.from({ length: 24 }, (_, age) => ({
    ...settlement,
    timestamp: iso(settledAt - (23 - age) * hours * hour),
  }));
  const standing = { symbol: 'SOLUSDT', currentRate: rate, avg30dRate: 0.0001, timestamp: iso(settledAt) };
  const outstanding = {
    ...standing,
    annualizedPct: rate * 3 * 365 * 100,
    zScore: 4,
    severity: 'EXTREME',
    direction: 'OVERLEVERAGED_LONG',
  };
  return dataClient({
    fundingHistory: { symbol: 'SOLUSDT', data: history },
    fundingCurrent: { data: [{ symbol: 'SOLUSDT', ...settlement, timestamp: iso(settledAt) }] },
    fundingIntervals: { data: [{ symbol: 'SOLUSDT', hours, timestamp: iso(settledAt) }] },
    fundingExtremes: { data: [outstanding], count: 1, threshold: '|zScore| > 1.5' },
    marketOverview: {
      ...answers.marketOverview,
      coins: [{ symbol: 'SOLUSDT', price: 180, signal: 1, funding: rate, master: 60 }],
    },
    intelligence: {
      ...answers.intelligence,
      symbol: 'SOLUSDT',
      funding: rate,
      fundingHistory: history.slice(-10),
    },
  });
}

const hoursKnown = (hours: number) => new Map([['SOLUSDT', hours]]);
const current = (rate: number, at: number) => ({
  symbol: 'SOLUSDT',
  rate: String(rate),
  annualized: '0',
  timestamp: iso(at),
});
const factOf = (change: Parameters<typeof said>[0] | undefined, name: string) =>
  change && said(change).facts.find((fact) => fact.name === name)?.value;

describe.each([
  [8, '+0.0300% per 8 h', 32.85],
  [4, '+0.0300% per 4 h', 65.7],
  [1, '+0.0300% per 1 h', 262.8],
])('a market that settles every %i h', (hours, perSettlement, perYear) => {
  const data = settling(hours);
  const yearly = `+${perYear.toFixed(1)}%`;

  test.each<[door: string, line: string, column: number]>([
    ['the table of the market', 'market', 4],
    ['the extremes', 'funding', 1],
    ['compare', 'compare btc sol funding', 1],
  ])('has its rate per its own interval in %s', async (_, line, column) => {
    const { table } = await ask(line, { data });
    expect(table?.rows.at(-1)?.[column]).toBe(perSettlement);
  });

  test('has a card with its rate and the yearly figure', async () => {
    const card = await ask('funding sol', { data });
    expect(card.title).toBe(`SOL funding: ${perSettlement}`);
    expect(card.facts).toContainEqual({ name: 'Per year', value: `+${perYear.toFixed(2)}%` });
    expect(card.chart?.title).toMatch(`per ${hours} h`);
    const coin = await ask('coin sol', { data });
    expect(coin.facts?.find(({ name }) => name === 'Funding')?.value).toMatch(perSettlement);
  });

  test('appears by its yearly figure among the extremes and in compare', async () => {
    expect((await ask('funding', { data })).table?.rows[0]?.[2]).toBe(yearly);
    const { table, chart } = await ask('compare btc sol funding', { data });
    expect(table?.rows.at(-1)?.[2]).toBe(yearly);
    expect(chart?.series.at(-1)?.points.at(-1)?.[1]).toBeCloseTo(perYear);
  });

  test('has the yearly figure in an alert of an extreme', () => {
    const at = (index: number, z: number, rate: number) => {
      const time = settledAt + index * hours * hour;
      const row = { symbol: 'SOLUSDT', currentRate: rate, avg30dRate: 0.0001, timestamp: iso(time) };
      const rest = { annualizedPct: 0, zScore: z, severity: 'EXTREME', direction: 'OVERLEVERAGED_LONG' };
      const seen = z === 0 ? [] : [{ ...row, ...rest }];
      const given = { data: seen, count: seen.length, threshold: '', hours: hoursKnown(hours) };
      return [time + minute, { ...given, current: [current(rate, time)], past: new Map() }] as const;
    };
    const { changes } = drive(extreme, {}, [at(0, 0, 0.0001), at(1, 4, paid)]);
    expect(factOf(changes[1]?.[0], 'Rate')).toBe(perSettlement);
    expect(factOf(changes[1]?.[0], 'Per year')).toBe(yearly);
  });

  test('has the yearly figure in an alert of a flip', () => {
    const rates = [-paid, -paid, -paid, paid, paid];
    const steps = rates.map((rate, index) => {
      const time = settledAt + index * hours * hour;
      const rows = [current(rate, time)];
      return [time + minute, { rows, hours: hoursKnown(hours), past: new Map() }] as const;
    });
    const change = drive(flip, { confirm: 2, stood: 3 }, steps).changes.flat()[0];
    expect(factOf(change, 'Rate')).toBe(perSettlement);
    expect(factOf(change, 'Per year')).toBe(yearly);
  });

  test('has the yearly figure in an alert of an overheated market', () => {
    const at = (index: number, z: number) => {
      const time = settledAt + index * hours * hour;
      const row = { symbol: 'SOLUSDT', currentRate: paid, avg30dRate: 0.0001, timestamp: iso(time) };
      const rest = { annualizedPct: 0, zScore: z, severity: 'EXTREME', direction: 'OVERLEVERAGED_LONG' };
      const data = z === 0 ? [] : [{ ...row, ...rest }];
      const extremes = { data, count: data.length, threshold: '' };
      const tracked = [current(paid, time), { ...current(0.0001, time), symbol: 'BTCUSDT' }];
      return [time + minute, { extremes, hours: hoursKnown(hours), current: tracked }] as const;
    };
    const { changes } = drive(overheated, { minSymbols: 2 }, [at(0, 0), at(1, 4)]);
    expect(factOf(changes[1]?.[0], 'Their mean per year')).toBe(yearly);
  });

  test('fires an own rule over funding.perYearPct by the yearly figure, and the alert shows it', async () => {
    const conditions = [perYear - 1, perYear + 1].map((level) => `funding.perYearPct > ${level}`);
    const rules = conditions.map((condition, index) =>
      rule({ id: `r${index}`, condition, symbols: ['SOLUSDT'] }),
    );
    const detector = ruleDetector(
      () => rules,
      () => ['SOLUSDT'],
    );
    const options = detector.options.parse({});
    let state: ReturnType<typeof detector.state.parse> | undefined;
    const changes = [];
    for (const [index, rate] of [0, paid].entries()) {
      const asked = {
        data: settling(hours, rate),
        options,
        state,
        symbols: [],
        now: now + index * 5 * minute,
      };
      const seen = await detector.observe({ ...asked, signal: AbortSignal.timeout(10_000) });
      const stepped = detector.step(state, seen, { options, now: asked.now });
      state = stepped.state;
      changes.push(...stepped.changes);
    }
    expect(changes.map(({ labels }) => labels)).toEqual([
      { kind: 'own-rule', rule: 'r0', symbol: 'SOLUSDT' },
    ]);
    const [change] = changes;
    expect(change && JSON.stringify(said(change))).toContain(yearly);
  });
});
