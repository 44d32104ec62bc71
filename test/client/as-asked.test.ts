import { expect, it } from 'vitest';
import { asAsked } from '#src/client/as-asked.ts';
import { contract } from '#src/contract/index.ts';
import { answers } from '#test/support/data.ts';
import { clientOf, json, serve } from './service.ts';

it.each([
  ['oi', { symbol: 'ETHUSDT' }, 'symbol'],
  ['optionsSummary', { currency: 'ETH' }, 'currency'],
  ['lsRatioHistory', { type: 'global_account' }, 'type'],
] as const)('an answer of /%s about another %j than asked is refused', async (name, query, field) => {
  const { polls } = clientOf((await serve(json(JSON.stringify(answers[name])))).baseUrl);
  expect(await polls[name]({})).toMatchObject({ data: answers[name].data });
  await expect(polls[name](query as never)).rejects.toMatchObject({ reason: 'malformed', field });
});

const at = (timestamp: string, value = 0) => ({ timestamp, value });
const [btc, eth] = [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }];
it.each([
  ['basis', 'hours=24', [at('3'), at('1'), at('2', 7), at('1'), at('2', 8)], [at('1'), at('2', 8), at('3')]],
  ['regimeHistory', 'days=7', [at('1'), at('2'), at('2')], [at('2'), at('1')]],
  ['liquidations', '', [at('1'), at('2', 7), at('2', 8), at('2', 7)], [at('2', 7), at('2', 8), at('1')]],
  ['liquidations', 'symbol=ETHUSDT', [btc, eth], [eth]],
] as const)('rows of %s, asked by %j, are those asked for, in order, each once', (name, asked, given, data) =>
  expect(asAsked(contract[name], new URLSearchParams(asked), { data: given })).toEqual({ data }),
);
