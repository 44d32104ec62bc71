import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { createCredential } from '#src/runtime/credential.ts';
import { Secret } from '#src/runtime/secret.ts';
import { second } from '#src/runtime/units.ts';
import { type Service, startService } from '#src/service/run/service.ts';
import { calmMarket } from '#test/support/calm-market.ts';
import { ask } from '#test/support/commands.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';
import { clientOf } from '../../client/service.ts';

/** What Binance tells of the past, in which a market of minutes ago has nothing. */
const history = /^\/(fapi\/v1\/(klines|fundingRate|markPriceKlines|indexPriceKlines)|futures\/data\/)/;
const faults: readonly (readonly [string, Fault])[] = [
  ['refuses the market', { kind: 'answer', status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' }],
  ['has no row of it', { kind: 'answer', status: 200, body: '[]' }],
  ['has no answer', { kind: 'answer', status: 503, body: 'Service Unavailable' }],
  ['does not answer', { kind: 'hang' }],
];
/** Listed minutes ago, one for each fault, and none among the largest. */
const fresh = faults.map((_, index) => calmMarket.instruments.at(-1 - index)?.symbol ?? '');
const withoutFresh = (text: string): string =>
  JSON.stringify((JSON.parse(text) as { symbol: string }[]).filter(({ symbol }) => !fresh.includes(symbol)));

const apiKey = new Secret(createCredential('tocsin').text);
let service: Service;
let closeExchanges: () => Promise<void>;
beforeAll(async () => {
  const exchanges = await startExchanges({
    market: calmMarket,
    clock: realTime(wallClock),
    fault(path, query) {
      if (!history.test(path)) return undefined;
      const asked = query?.get('symbol') ?? query?.get('pair');
      // In answers about all markets they have nothing either.
      return asked === null || asked === undefined
        ? { kind: 'rewrite', rewrite: withoutFresh }
        : faults[fresh.indexOf(asked)]?.[1];
    },
  });
  closeExchanges = exchanges.close;
  service = await startService({
    market: { kind: 'live', urls: { ...exchanges.urls, fred: exchanges.urls.deribit }, venue: 'binance' },
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    symbols: 3,
    checks: { symbols: 0, every: 600_000 },
    archiveUrl: 'file::memory:',
    apiKey,
    log: pino({ level: 'silent' }),
  });
  await service.ready;
});
afterAll(async () => {
  await service.close();
  await closeExchanges();
});

describe.each(faults.map(([name], index) => [name, fresh[index] ?? '', index] as const))(
  'a market listed minutes ago, of whose past the exchange %s',
  (_, symbol, index) => {
    const coin = symbol.replace(/USDT$/, '');
    const answer = (name: string): Promise<Card<string>> => {
      const data = clientOf(service.url, { wall: wallClock, apiKey, maxBody: 10_000_000 }).polls;
      const markets = { universe: [symbol], listed: [symbol] };
      const context = { data, now: Date.now(), ...markets, soon: async () => undefined };
      return ask(`${name} ${coin}`, context) as Promise<Card<string>>;
    };
    const factsOf = ({ facts = [] }: Card<string>) =>
      Object.fromEntries(facts.map(({ name, value }) => [name, value]));

    it('answers coin, funding and oi with what is known, at once and without a dash', async () => {
      const before = performance.now();
      const price = await answer('coin');
      // Nothing is waited for that will not be there: each such wait takes 5 s, and is repeated.
      expect(performance.now() - before).toBeLessThan(8 * second);
      expect(price.title).toMatch(/: [\d.,]+$/);
      expect(factsOf(price)).toMatchObject({
        Funding: expect.stringMatching(/^[+−][\d.]+%, running$/),
        'Open interest': expect.stringMatching(/^\$[\d.]+[MB]$/),
      });
      expect(Object.values(factsOf(price)).filter((value) => /^– |[ ,]–|^–$/.test(value))).toEqual([]);

      const funding = await answer('funding');
      expect(funding.title).toMatch(/ funding: [+−][\d.]+%, running$/);
      expect(funding.summary).toMatch(/No settlement is recorded yet\.$/);

      const interest = await answer('oi');
      expect(interest.title).toMatch(/^Open interest of .*: \$[\d.]+[MB]$/);
      expect(factsOf(interest)).toEqual({ Contracts: expect.anything(), Value: expect.anything() });
    });

    // These ask the exchange for candles of now, whether or not it answers.
    const ofCandles = index < 2 ? ['chart', 'cvd'] : [];
    it.each(['basis', 'ratio', 'spread', 'liquidations', 'regime', 'levels', 'leverage', ...ofCandles])(
      'is never said to be refused, failed or no longer traded: %s',
      async (name) => {
        const { title, summary = '', facts = [] } = await answer(name);
        const said = [title, summary, ...facts.map((fact) => `${fact.name}: ${fact.value}`)].join('\n');
        expect(said).not.toMatch(/refused|failed|no longer|unavailable|Unknown/i);
      },
    );
  },
);
