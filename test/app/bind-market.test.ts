import { expect, it } from 'vitest';
import { boundMarket, createMarketBinding } from '#src/app/bind-market.ts';
import type { Config } from '#src/app/config/config.ts';
import { start } from '#test/support/alerts.ts';

const data = (url: string | null, embedded: Partial<Config['data']['embedded']> = {}) =>
  ({ data: { url, embedded: { market: 'simulated', seed: 7, speed: 240, ...embedded } } }) as Config;
const seven = data(null);

it.each([
  [
    'another speed of a simulated market',
    [seven, 'simulated'],
    [data(null, { speed: 1 }), 'simulated'],
    true,
  ],
  ['another seed of a simulated market', [seven, 'simulated'], [data(null, { seed: 8 }), 'simulated'], false],
  ['a live market', [seven, 'simulated'], [data(null, { market: 'live' }), 'live'], false],
  ['a hosted live market', [seven, 'simulated'], [data('http://a'), 'live'], false],
  [
    'a hosted market of a service without extensions',
    [seven, 'simulated'],
    [data('http://a'), undefined],
    false,
  ],
  ['recordings', [seven, 'simulated'], [data(null, { market: 'recorded:a' }), 'recorded'], false],
  [
    'a seed that a live market has no use for',
    [data(null, { market: 'live' }), 'live'],
    [data(null, { market: 'live', seed: 8 }), 'live'],
    true,
  ],
  ['a live market at another URL', [data('http://a'), 'live'], [data('https://b'), undefined], true],
  [
    'a live market that is hosted from now on',
    [data(null, { market: 'live' }), 'live'],
    [data('http://a'), 'live'],
    true,
  ],
  [
    'a simulated market at another URL',
    [data('http://a'), 'simulated'],
    [data('http://b'), 'simulated'],
    false,
  ],
] as const)('%s', (_, [before, was], [after, is], same) => {
  expect(boundMarket(before, was) === boundMarket(after, is)).toBe(same);
});

it('the database is bound once, then keeps the time, and the log says so if it was of another market', async () => {
  const bound: unknown[] = [];
  const kept: unknown[] = [];
  const lines: unknown[] = [];
  const results = [new Error('the database is away'), 'simulated (seed 7)'];
  const bind = createMarketBinding({
    store: {
      market: {
        async bind(...given) {
          bound.push(given);
          const result = results.shift();
          if (result instanceof Error) throw result;
          return result;
        },
        async keepTime(...given) {
          kept.push(given);
          return kept.length !== 2;
        },
      },
    },
    meta: { believed: () => ({ market: 'live', live: true, time: start, speed: 1, wall: start }) },
    log: { warn: (...line: readonly unknown[]) => void lines.push(line) },
  });
  await expect(bind()).rejects.toThrow('the database is away');
  await bind();
  await bind();
  for (let more = 0; more < 2; more += 1) await bind();
  const reported = { now: start, speed: 1, wall: start };
  expect(bound).toEqual(Array(3).fill(['live', reported]));
  expect(kept).toEqual(Array(3).fill(['live', reported]));
  expect(lines).toEqual([
    [
      { before: 'simulated (seed 7)', market: 'live' },
      expect.stringMatching(/deleted; subscriptions.* stay$/),
    ],
  ]);
});
