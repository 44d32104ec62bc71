import { expect, test } from 'vitest';
import { extensionFeeds } from '#src/rules/extension-feeds.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { dataClient, now } from '#test/support/data.ts';

const asking = { symbols: ['BTCUSDT'], now, signal: new AbortController().signal };

test('regimes of markets are of each market, and their breadth is of all', async () => {
  const readings = await extensionFeeds.coinRegimes.read({ data: dataClient(), ...asking });
  expect(readings.find(({ symbol }) => symbol === 'ETHUSDT')?.values).toEqual({
    'coinRegime.riskOn': 0.32,
    'coinRegime.riskOff': 0.58,
    'coinRegime.score': -26,
  });
  const { values } = readings.find(({ symbol }) => symbol === undefined) ?? {};
  expect(values?.['breadth.riskOnPct']).toBeGreaterThan(1);
});

test.each(Object.entries(extensionFeeds))(
  '%s gives each of its metrics, and nothing where it is not offered',
  async (name, feed) => {
    const given = await feed.read({ data: dataClient(), ...asking });
    const names = new Set(given.flatMap(({ values }) => Object.keys(values)));
    expect([...names].sort()).toEqual(metricNames.filter((each) => metricOf(each).feed === name).sort());
    const lacking = new Proxy(dataClient(), {
      get: () => async () => {
        throw new ApiError('/x', 'not_offered', 'no');
      },
    });
    expect(await feed.read({ data: lacking, ...asking })).toEqual([]);
  },
);
