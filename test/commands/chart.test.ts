import { expect, test } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { change, firing, receiver, start } from '../support/alerts.ts';
import { ask, type caller } from '../support/commands.ts';
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

test.each([
  ['that is another place’s own', others.id],
  ['that is not kept', '0123456789abcdef-1'],
])('there is no chart of an alert %s', async (_, id) => {
  expect((await ask(`chart ${id}`, { store })).chart).toBeUndefined();
});
