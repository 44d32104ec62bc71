import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { predictionOf } from '#src/hook/alert-change.ts';
import { type ReadOptions, readBody } from '#src/hook/read.ts';
import type { Signal } from '#src/hook/signal.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day, hour } from '#src/runtime/units.ts';
import { resolveSymbol } from '#src/shell/symbols.ts';
import { sequences } from '#test/fixtures/hook-sequences.ts';
import { start } from '#test/support/alerts.ts';
import { lived, received } from '#test/support/hooks.ts';

const universe = ['BTCUSDT', 'ETHUSDT', '1000PEPEUSDT'];
const prices: Readonly<Record<string, number>> = { BTCUSDT: 60_000, ETHUSDT: 3_000, '1000PEPEUSDT': 0.01 };

function read(body: unknown, given: Partial<ReadOptions> = {}): readonly Signal[] {
  const { signals } = readBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    template: {},
    severity: 'warning',
    contentType: 'application/json',
    resolveSymbol: (text) => resolveSymbol(text, universe),
    priceOf: (symbol) => prices[symbol],
    now: start,
    ...given,
  });
  return signals;
}

const factsOf = ({ annotations }: Alert) =>
  Object.fromEntries(
    annotations.facts.map(({ name, value }) => [say(name, plainReader), say(value, plainReader)]),
  );

const changes: Readonly<Record<string, string>> = {
  reduced: 'reduced',
  increased: 'increased',
  'stop or target changed': 'levels',
};
const signs = { firing: '+', updated: '~', resolved: '-' } as const;

/** What an alert is as a sequence of the fixtures writes it: `~BTC up reduced`. */
function brief({ status, annotations, labels, ...alert }: Alert): string {
  const title = say((status === 'resolved' ? alert.event : annotations).title, plainReader);
  const market = labels.symbol === 'BTCUSDT' ? 'BTC' : labels.symbol === 'ETHUSDT' ? 'ETH' : undefined;
  const isUnnamed = market !== undefined && title === `${market}: breakouts`;
  const isOther = market === undefined && title === 'BTC' && labels.ticker !== undefined;
  const position =
    status === 'resolved' ? undefined : factsOf({ status, annotations, labels, ...alert }).Position;
  return [
    `${signs[status]}${isUnnamed ? market : isOther ? `${title} (no market)` : title}`,
    labels.direction,
    position === undefined ? undefined : changes[position],
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

describe('a sequence of bodies', () => {
  it.each(Object.entries(sequences))('of %s makes these alerts', (_, { type, posts }) => {
    const { take } = lived();
    const made = posts.map(([body]) =>
      take(received(...read(body, { contentType: type ?? 'application/json' }))).map(brief),
    );
    expect(made).toEqual(posts.map(([, ...wanted]) => wanted));
  });
});

describe('what is not understood', () => {
  it('is shown: an unknown action is no repetition and has no record, a missing number is called so', () => {
    const { take, open } = lived();
    take(received(...read({ ticker: 'BTCUSDT', action: 'enter_long' })));
    take(received(...read('{"ticker":"BTCUSDT","action":"hodl","rsi":NaN}')));
    const [entry, unknown] = [...open.values()];
    expect(factsOf(entry as Alert)).not.toHaveProperty('Received');
    expect(factsOf(unknown as Alert)).toMatchObject({ Action: 'hodl (not understood)', rsi: 'missing' });
    expect(predictionOf((unknown as Alert).labels)).toBeNull();
    expect(predictionOf((entry as Alert).labels)).toBe('up');
  });

  it('in a list costs only itself, and how much it was is said', () => {
    const { take, open } = lived();
    const alerts = Array.from({ length: 200 }, (_, n) => ({
      labels: { alertname: 'A', instance: `${n}` },
      annotations: n === 7 ? 'odd' : {},
      startsAt: n === 8 ? 7 : '2026-11-28T00:00:00Z',
    }));
    take(received(...read({ version: '4', alerts: [...alerts, null, 'x'.repeat(3)] })));
    expect(open.size).toBe(201);
    expect(factsOf([...open.values()][0] as Alert)).toMatchObject({ 'Not readable': 'and 1 more' });
  });

  it('of an amount that was cut, by the sender or by the limit of a body, is said in the post', () => {
    const { take, open } = lived();
    const alerts = Array.from({ length: 620 }, (_, n) => ({ labels: { alertname: 'A', instance: `${n}` } }));
    take(received(...read({ alerts, truncatedAlerts: 450, groupLabels: {} })));
    expect(open.size).toBe(500);
    expect(factsOf([...open.values()][0] as Alert)).toMatchObject({ 'Not shown': 'and 570 more' });
  });
});

describe('a market', () => {
  it.each([
    ['BTCUSDT', {}, 'BTCUSDT'],
    ['BINANCE:BTCUSDT.P', { price: 58_000 }, 'BTCUSDT'],
    ['BTC', {}, 'BTCUSDT'],
    ['BTC', { price: 42.1 }, undefined],
    ['BTC', { price: 65_000 }, 'BTCUSDT'],
    ['BTC', { price: 67_000 }, undefined],
    ['AMEX:BTC', {}, undefined],
    ['NASDAQ:ETH', { price: 3_000 }, undefined],
    ['FX:ETHUSD', { price: 3_000 }, 'ETHUSDT'],
    ['BTC', { close: '42.1' }, undefined],
    ['BTC', { price: '$42.10' }, undefined],
    ['BTCUSDT', { price: '60,000.5' }, 'BTCUSDT'],
    ['BTC', { exchange: 'NYSE ARCA' }, undefined],
    ['BTCUSDT', { exchange: 'Binance Futures' }, 'BTCUSDT'],
    ['CRYPTOCAP:BTC', {}, undefined],
    // A stock of the same ticker, traded on an exchange of coins.
    ['BYBIT:ETHUSDT.P', { price: 150 }, undefined],
    ['PEPEUSDT', { price: 0.000_01 }, '1000PEPEUSDT'],
    ['1000PEPEUSDT', { price: 0.01 }, '1000PEPEUSDT'],
    ['ETHUSDT', { price: 'NaN' }, 'ETHUSDT'],
  ])('named %s with %j is %s', (ticker, given, symbol) => {
    expect(read({ ticker, action: 'buy', ...given })[0]?.identity.symbol).toBe(symbol);
  });
});

describe('an alert of Alertmanager', () => {
  const body = (status: string, startsAt: string) => ({
    version: '4',
    status,
    alerts: [{ status, labels: { alertname: 'A' }, annotations: {}, startsAt, fingerprint: 'a1' }],
  });
  const [first, second] = ['2020-11-28T00:00:00Z', '2020-11-28T01:00:00Z'] as const;

  it('that another node sends late, after its end, is no new alert; one that began later is', () => {
    const { take, pass } = lived();
    const come = (...given: Parameters<typeof body>) => take(received(...read(body(...given)))).map(brief);
    expect(come('firing', first)).toEqual(['+A']);
    expect(come('resolved', first)).toEqual(['-A']);
    expect(come('firing', first)).toEqual([]);
    expect(come('firing', second)).toEqual(['+A']);
    expect(come('resolved', first)).toEqual([]);
    expect(come('resolved', second)).toEqual(['-A']);
    // A day after its end nothing is known of it.
    pass(day);
    expect(come('firing', second)).toEqual(['+A']);
  });

  it('whose time is in the future is not held against those that come after it', () => {
    const { take } = lived();
    const come = (...given: Parameters<typeof body>) => take(received(...read(body(...given)))).map(brief);
    expect(come('firing', '2100-01-01T00:00:00Z')).toEqual(['+A']);
    expect(come('resolved', '2100-01-01T00:00:00Z')).toEqual(['-A']);
    expect(come('firing', second)).toEqual(['+A']);
  });
});

/** What can be said of a position, and the spellings that say it. */
const spellings = {
  'enter long': [
    'enter_long',
    'enterLong',
    'ENTER-LONG',
    'enterlong',
    'open long',
    'long_entry',
    'Go Long',
    'LONG',
  ],
  'enter short': ['enter_short', 'openShort', 'SHORT', 'short-entry', 'sellshort', 'sell_short'],
  'exit long': [
    'exit_long',
    'closeLong',
    'CLOSE-LONG',
    'closelong',
    'long_exit',
    'exit long now',
    'Long closed',
  ],
  'exit short': ['exit_short', 'close_short', 'cover', 'buy_to_cover', 'coverShort', 'SHORT CLOSED'],
  reduce: ['reduce', 'partial_close', 'TP1', 'scale_out', 'close 50%', 'trim'],
  unknown: ['hodl', 'HODL'],
} as const;
type Meaning = keyof typeof spellings;
const meanings = Object.keys(spellings) as Meaning[];

const noise = fc.dictionary(
  fc.constantFrom('rsi', 'volume', 'interval', 'note_to_self', 'bar', 'secret'),
  fc.oneof(fc.double(), fc.string(), fc.constant(null), fc.boolean()),
  { maxKeys: 4 },
);
const spelled = (meaning: Meaning) =>
  fc.record({
    action: fc.constantFrom(...spellings[meaning]),
    key: fc.constantFrom('action', 'order_action', 'strategy.order.action', 'tradeAction', 'command'),
    market: fc.constantFrom('ticker', 'symbol', 'pair'),
    named: fc.constantFrom('BTCUSDT', 'BINANCE:BTCUSDT.P', 'BTC/USDT:USDT', 'btc-usdt-swap'),
    noise,
    form: fc.constantFrom('json', 'lines', 'loose'),
  });

function written({ action, key, market, named, noise: more, form }: Record<string, unknown>): string {
  const fields = { ...(more as object), [String(market)]: named, [String(key)]: action };
  if (form === 'lines') return `${market}=${named}\n${key}=${action}`;
  const json = JSON.stringify(fields);
  return form === 'json' ? json : json.replace(/\}$/, ',"x":NaN,}');
}

/** What becomes of alerts, without what is only shown. */
const essence = ({ status, labels: { action: _, ...labels } }: Alert) =>
  `${status} ${JSON.stringify(labels)}`;

it('a hook’s alerts are a function of what was understood, in whatever spelling, order of fields and noise', () => {
  const sequence = fc
    .array(fc.constantFrom(...meanings), { minLength: 1, maxLength: 10 })
    .chain((said) => fc.tuple(...said.map((each) => fc.tuple(spelled(each), spelled(each)))));
  fc.assert(
    fc.property(sequence, (pairs) => {
      const [one, other] = [lived(), lived()];
      for (const [first, second] of pairs) {
        const made = [
          one.take(received(...read(written(first)))),
          other.take(received(...read(written(second)))),
        ].map((alerts) => alerts.map(essence));
        expect(made[0]).toEqual(made[1]);
      }
      expect([...one.open.values()].every(({ labels }) => labels.symbol === 'BTCUSDT')).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('any sequence of positions leaves open what its last position says, in batches of any size', () => {
  const positions = ['flat', 'long', 'short'] as const;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...positions), fc.boolean()), { maxLength: 12 }),
      (steps) => {
        const { take, open } = lived();
        let before: (typeof positions)[number] = 'flat';
        let batch: ReturnType<typeof received>[] = [];
        for (const [now, isTogether] of steps) {
          const action = now === 'short' || before === 'long' ? 'sell' : 'buy';
          batch.push(
            received(
              ...read({ ticker: 'BTCUSDT', action, market_position: now, prev_market_position: before }),
            ),
          );
          if (!isTogether) {
            take(...batch);
            batch = [];
            expect([...open.values()].map(({ labels }) => labels.direction)).toEqual(
              now === 'flat' ? [] : [now === 'long' ? 'up' : 'down'],
            );
          }
          before = now;
        }
      },
    ),
    { numRuns: 300 },
  );
});

it.each([
  ['a position that its sender will close', 'a week', { ticker: 'BTCUSDT', action: 'enter_long' }, 7 * day],
  ['what has a status', 'a day', { name: 'disk', status: 'down' }, day],
  ['an order', 'an hour', { ticker: 'BTCUSDT', action: 'buy' }, hour],
])('%s goes on for %s without a repetition', (_, __, body, length) => {
  const { take, pass } = lived();
  take(received(...read(body)));
  expect(pass(length - 1)).toEqual([]);
  expect(pass(1)).toEqual([expect.stringMatching(/^resolved .*It was not repeated/)]);
});

it('a secret is in no label, also of a body in which nothing is understood', () => {
  const [signal] = read({ foo: 'bar', passphrase: 'hunter two' });
  expect(JSON.stringify(signal)).not.toContain('hunter');
});
