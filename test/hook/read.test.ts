import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadOptions, readBody, Unreadable } from '#src/hook/read.ts';
import { maxLengths, type Signal } from '#src/hook/signal.ts';
import { resolveSymbol } from '#src/shell/symbols.ts';
import { brought } from '#test/fixtures/hook-bodies.ts';
import { start } from '#test/support/alerts.ts';
import { codePoint } from '#test/support/code-point.ts';

const universe = ['BTCUSDT', 'ETHUSDT', '1000PEPEUSDT'];

function read(body: string | Uint8Array, given: Partial<ReadOptions> = {}): readonly Signal[] {
  const { signals } = readBody(typeof body === 'string' ? Buffer.from(body) : body, {
    template: {},
    severity: 'warning',
    contentType: 'application/json',
    resolveSymbol: (text) => resolveSymbol(text, universe),
    now: start,
    ...given,
  });
  return signals;
}
const one = (body: string, given?: Partial<ReadOptions>) => read(body, given)[0] as Signal;

describe('the content of a body', () => {
  it('from Alertmanager: each alert has its fingerprint, its label’s severity, and ends when resolved', () => {
    const { body, type } = brought.alertmanagerResolved;
    expect(read(body, { contentType: type })).toMatchObject([
      {
        ended: true,
        identity: { name: 'Deployment', fingerprint: 'fbab788ec4c1018b' },
        severity: 'warning',
        title: 'Kubernetes Deployment Replicas Mismatch',
        text: 'Deployment Replicas mismatch, desired value does not match..',
        kept: true,
      },
    ]);
  });

  it('from Alertmanager without fingerprints: alerts are distinguished by their labels', () => {
    const [first, second] = read(brought.alertmanagerFiring.body);
    expect([first?.ended, first?.title, first?.text]).toEqual([
      false,
      'ICMP ping failed',
      '172.29.254.30 does not reply to ICMP pings',
    ]);
    expect(first?.identity).not.toEqual(second?.identity);
    expect(first?.facts[0]).toEqual({ name: 'instance', value: '172.29.254.30' });
  });

  it('as TradingView’s text: its words are title and identity, and the pair in it is the market', () => {
    const { body, type } = brought.tradingViewText;
    expect(one(body, { contentType: type })).toEqual({
      ended: false,
      identity: { name: body, symbol: 'ETHUSDT' },
      severity: 'warning',
      title: body,
      text: '',
      facts: [],
      kept: false,
    });
  });

  it.each([
    [500, 'up'],
    [501, undefined],
  ])('as TradingView’s text of a strategy in %s characters has the direction %s', (length, direction) => {
    const said = 'Cross: order buy @ 1 filled on BTCUSDT. New strategy position is 1 ';
    expect(one(said.padEnd(length, 'x'), { contentType: 'text/plain' }).direction).toBe(direction);
  });

  it('as TradingView’s JSON: usual names give market, direction and title, the rest facts without secrets', () => {
    expect(one(brought.tradingViewPosition.body)).toMatchObject({
      identity: { symbol: 'BTCUSDT' },
      direction: 'down',
    });
    const fields = one(brought.tradingViewFields.body);
    expect(fields).toMatchObject({
      identity: { name: 'Moving up by 1% last hour', symbol: 'ETHUSDT' },
      direction: 'up',
      title: 'Moving up by 1% last hour',
    });
    expect(fields.facts.map(({ name }) => name)).not.toContain('secret');
  });

  it.each([
    ['BINANCE:BTCUSDT.P', 'BTCUSDT'],
    ['BTC/USDT:USDT', 'BTCUSDT'],
    ['BTCUSD', 'BTCUSDT'],
    ['pepe', '1000PEPEUSDT'],
    ['NASDAQ:AAPL', undefined],
    ['', undefined],
  ])('with a market named %s has the market %s', (ticker, symbol) => {
    expect(one(JSON.stringify({ ticker, alert: 'x' })).identity.symbol).toBe(symbol);
  });

  it('with a market that is not tracked still distinguishes alerts by it', () => {
    expect(one('{"ticker":"AAPL","alert":"x"}').identity).toEqual({ name: 'x', ticker: 'AAPL' });
  });

  it.each([
    ['{"alert":"x","state":"resolved"}', true],
    ['{"alert":"x","status":"ok"}', true],
    ['{"symbol":"BTCUSDT","market_position":"flat"}', true],
    ['{"ticker":"BTCUSDT","action":"sell","market_position":"flat"}', true],
    ['{"ticker":"BTCUSDT","side":"long","action":"close"}', true],
    ['{"ticker":"BTCUSDT","action":"sell","market_position":"short"}', false],
    ['{"alert":"x","status":"firing"}', false],
  ])('such as %s ends the alert: %s', (body, ended) => expect(one(body).ended).toBe(ended));

  it('about a closed position ends the alert that its opening began', () => {
    const [opened, closed] = ['long', 'flat'].map((position, price) =>
      one(JSON.stringify({ symbol: 'BTCUSDT', market_position: position, message: `at ${price}` })),
    );
    expect(closed?.identity).toEqual(opened?.identity);
  });

  it('by a template: any field of the body can be used, including names with dots', () => {
    const template = {
      symbol: '{data.market}',
      direction: '{strategy.order.action}',
      severity: '{data.how}',
      title: '{{data.market}} on {interval}',
      name: 'mine',
    };
    const body = { data: { market: 'eth', how: 'high' }, 'strategy.order.action': 'sell', interval: '4h' };
    expect(one(JSON.stringify(body), { template })).toMatchObject({
      identity: { name: 'mine', symbol: 'ETHUSDT' },
      direction: 'down',
      severity: 'critical',
      title: 'eth on 4h',
    });
  });

  it('by a template: the words of a text can be used', () => {
    const template = { symbol: '{1}', direction: '{2}', name: '{1} {2}' };
    expect(one('btc BUY at 65000.5', { template, contentType: 'text/plain' })).toMatchObject({
      identity: { name: 'btc BUY', symbol: 'BTCUSDT' },
      direction: 'up',
    });
  });

  it.each([
    ['nothing', '', 'empty'],
    ['white space', ' \n ', 'empty'],
    ['broken JSON that says it is JSON', '{"a":', 'not JSON'],
    ['a comment without end', '[{"alert":"x"}, /*]', 'not JSON'],
    ['no alert', '{"alerts":[]}', 'no alert'],
    ['alerts that are none', '{"alerts":[1]}', 'labels'],
    ['a list of numbers', '[1,2]', 'objects'],
  ])('is refused with a reason if it is %s', (_, body, why) => {
    expect(() => read(body)).toThrow(Unreadable);
    expect(() => read(body)).toThrow(why);
  });

  it('is refused if it is not UTF-8, and read as that if nobody knows its charset', () => {
    expect(() => read(new Uint8Array([0xff, 0xfe, 0x00]))).toThrow('UTF-8');
    expect(one('{"alert":"x"}', { contentType: 'application/json; charset=utf8mb4' }).title).toBe('x');
  });

  it('leads only to bounded texts or to a reason for its refusal', () => {
    const length = (text: string) => text.replaceAll('\u2060', '').length;
    const bounded = (each: Signal) =>
      length(each.title) <= maxLengths.title &&
      length(each.text) <= maxLengths.text &&
      each.facts.length <= 8 &&
      Object.values(each.identity).every((value) => length(value) <= maxLengths.name) &&
      JSON.stringify(each).isWellFormed() &&
      !/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(
        [each.title, each.text, ...each.facts.flatMap(({ name, value }) => [name, value])].join(''),
      );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json({ maxDepth: 2 }),
          fc.string({ unit: codePoint, maxLength: 300 }),
          fc
            .array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 })
            .map((list) => JSON.stringify(list)),
        ),
        fc.constantFrom('application/json', 'text/plain', ''),
        fc.dictionary(fc.constantFrom('name', 'symbol', 'title', 'text', 'status'), fc.string()),
        (body, contentType, template) => {
          try {
            expect(read(body, { contentType, template }).every(bounded)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(Unreadable);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
