import { expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import { hour } from '#src/runtime/units.ts';
import { change, firing, receiver, start } from '../support/alerts.ts';
import { ask, type caller } from '../support/commands.ts';
import { answers, dataClient } from '../support/data.ts';
import { memoryStore } from '../support/memory-store.ts';

const charted = (symbol: string, only?: typeof caller.receiver) => {
  const points = [
    [start - hour, 1],
    [start, 2],
  ] as const;
  const chart = { title: `${symbol}, last 1 h`, unit: '%', series: [{ name: symbol, points }] };
  return firing({
    ...change({ symbol }),
    annotations: { ...change({ symbol }).annotations, chart },
    ...(only !== undefined && { only }),
  });
};
const [btc, others] = [charted('BTCUSDT'), charted('ETHUSDT', receiver('elsewhere'))];
const memory = memoryStore();
const store = {
  ...memory,
  alerts: { ...memory.alerts, firing: async () => [btc, others], recent: async () => [] },
};

test('the button of an alert opens a chart of what it was judged by', async () => {
  const card = await ask(`chart ${btc.id}`, { store });
  expect(card.chart?.title).toBe('BTCUSDT, last 1 h');
  expect(card.chart?.moments).toHaveLength(1);
  expect(card.actions?.map(({ command }) => command)).not.toContain(`chart ${btc.id}`);
});

test('a market’s chart says how the liquidation levels fared that it draws', async () => {
  const rows = answers.candles.data.map((row) => ({ ...row, l: '95000', h: '99000' }));
  const candles = { ...answers.candles, data: rows };
  const near = { side: 'LONG' as const, price: 96_950, distancePct: -0.05, estimatedUsd: 41_000_000 };
  const factsOf = async (over: Partial<EndpointAnswer<'liquidationZones'>>) => {
    const liquidationZones = { ...answers.liquidationZones, zones: [near], ...over };
    const data = dataClient({ candles, liquidationZones });
    return (await ask('chart btc 4h', { data })).facts?.filter(({ name }) => name === 'Liquidation levels');
  };
  expect(await factsOf({})).toMatchObject([
    {
      value: expect.stringMatching(/^not shown to be better than chance: .* took 31% .* shuffled levels 26%/),
    },
  ]);
  expect(await factsOf({ judged: undefined })).toEqual([]);
  expect(await factsOf({ zones: [{ ...near, price: 90_000 }] })).toEqual([]);
});

test.each([
  ['that is another place’s own', others.id],
  ['that is not kept', '0123456789abcdef-1'],
])('there is no chart of an alert %s', async (_, id) => {
  expect((await ask(`chart ${id}`, { store })).chart).toBeUndefined();
});
