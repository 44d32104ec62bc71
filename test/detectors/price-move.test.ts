import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import detector from '#src/detectors/price-move.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers } from '#test/support/data.ts';
import { said } from './drive.ts';

const history = 80 * hour;
/** Returns a price that rises 0.5 % in one hour and falls 0.5 % in the next. */
const usual = (ms: number) => {
  const phase = (ms / hour) % 2;
  return 100 * (1 + 0.005 * (phase < 1 ? phase : 2 - phase));
};
type Price = (ms: number) => number | undefined;

type State = Parameters<typeof detector.step>[0];
const options = detector.options.parse({});

/** Looks every 2 minutes at a price, from `from` on and before `to`, ms after `start`. */
function follow(
  given: State,
  { symbol, price, from, to }: { symbol: string; price: Price; from: number; to: number },
) {
  const changes: (Change & { readonly now: number })[] = [];
  let state = given;
  for (let ms = from; ms < to; ms += 2 * minute) {
    const known = price(ms);
    const coins = known === undefined ? [] : [{ symbol, price: known, signal: 0, funding: 0, master: 50 }];
    const now = start + ms;
    const others = { symbol: 'OTHERUSDT', price: 1, signal: 0, funding: 0, master: 50 };
    const overview = { ...answers.marketOverview, coins: [...coins, others], timestamp: iso(now - 5_000) };
    const stepped = detector.step(state, overview, { options, now });
    state = stepped.state;
    changes.push(...stepped.changes.map((change) => ({ ...change, now: ms - history })));
  }
  return { changes, state };
}

/** What is known of a symbol after its usual hours, which nearly all tests begin with. */
const pasts = new Map<string, ReturnType<typeof follow>>();
function pastOf(symbol: string, from: number) {
  const key = `${symbol} ${from}`;
  const past =
    pasts.get(key) ?? follow(undefined, { symbol, price: usual, from: history - from, to: history });
  pasts.set(key, past);
  return past;
}

/** Follows `then` for `lasting`, after a price that was usual for 80 h. */
function run(then: Price, { symbol = 'BTCUSDT', from = history, lasting = 6 * hour } = {}) {
  const past = pastOf(symbol, from);
  const price = (ms: number) => then(ms - history);
  const { changes, state } = follow(past.state, { symbol, price, from: history, to: history + lasting + 1 });
  return { changes: [...past.changes, ...changes], state };
}
const brief = (...input: Parameters<typeof run>) =>
  run(...input).changes.map(
    ({ status, severity, labels }) => `${status} ${severity} ${labels.window} ${labels.direction}`,
  );
/** A price that moves to `factor` times its value within half an hour and stays there. */
const to =
  (factor: number): Price =>
  (ms) =>
    100 * (1 + (factor - 1) * Math.min(1, ms / (30 * minute)));

describe('price move', () => {
  test.each<[string, Price, object, string[]]>([
    ['what is usual is not told', usual, {}, []],
    ['a little more than usual is not either', to(1.03), {}, []],
    [
      'far more is, and ends when it lies an hour back',
      to(1.05),
      {},
      ['firing warning 1h UP', 'resolved warning 1h UP'],
    ],
    ['down is another', to(0.95), {}, ['firing warning 1h DOWN', 'resolved warning 1h DOWN']],
    [
      'of most symbols it is routine',
      to(0.95),
      { symbol: 'XUSDT' },
      ['firing info 1h DOWN', 'resolved info 1h DOWN'],
    ],
    [
      'it escalates as it grows, and a day’s move stands beside it',
      to(1.15),
      {},
      [
        'firing warning 15m UP',
        'firing warning 1h UP',
        'updated critical 15m UP',
        'updated critical 1h UP',
        'firing warning 24h UP',
        'updated critical 24h UP',
        'resolved critical 15m UP',
        'resolved critical 1h UP',
      ],
    ],
    ['without a past nothing is judged', to(1.12), { from: 30 * hour }, []],
  ])('%s', (_rule, then, given, expected) => expect(brief(then, given)).toEqual(expected));

  test('a single wrong price is ignored', () => {
    expect(brief((ms) => (ms === 90 * minute ? 150 : 100), { lasting: 2 * hour })).toEqual([]);
  });

  test('a redenomination is no move, and moves in the new unit are told', () => {
    expect(brief((ms) => usual(ms) * 1_000)).toEqual([]);
    expect(brief((ms) => Number(to(1.05)(Math.max(0, ms - 2 * hour))) / 100)).toContain(
      'firing warning 1h UP',
    );
  });

  test('an unknown price changes nothing', () => {
    const gap: Price = (ms) => (ms > hour && ms < 3 * hour ? undefined : to(1.05)(ms));
    const [begun, ...rest] = run(gap).changes;
    expect(begun?.status).toBe('firing');
    expect(rest.filter(({ now }) => now < 3 * hour)).toEqual([]);
  });

  test('a move that oscillates about the level fires once', () => {
    const wave = fc.record({
      high: fc.double({ min: 4.8, max: 5.4, noNaN: true }),
      low: fc.double({ min: 3.2, max: 3.9, noNaN: true }),
    });
    fc.assert(
      fc.property(wave, ({ high, low }) => {
        const hover: Price = (ms) => 100 + (Math.floor(ms / (10 * minute)) % 2 === 0 ? high : low);
        const fired = brief(hover, { lasting: 55 * minute }).filter((each) => each.startsWith('firing'));
        expect(fired.filter((each) => each.includes(' 1h '))).toHaveLength(1);
      }),
      { numRuns: 5 },
    );
  });

  test('a large move of minutes is told within minutes, in the window that shows it first', () => {
    const jump: Price = (ms) => (ms < 4 * minute ? 100 : 103.5);
    const [first] = run(jump, { lasting: 30 * minute }).changes;
    expect(first?.labels.window).toBe('5m');
    expect(first?.now).toBeLessThanOrEqual(6 * minute);
    const slow: Price = (ms) => 100 * (1 + 0.05 * Math.min(1, ms / (14 * minute)));
    expect(run(slow, { lasting: 30 * minute }).changes[0]?.labels.window).toBe('15m');
    // What is said of a move is of prices that were: of a price five minutes ago, not of one ten minutes ago.
    const before: Price = (ms) => 100 * (1 + 0.02 * Math.min(1, ms / (8 * minute)));
    expect(brief(before, { lasting: 30 * minute })).toEqual([]);
  });

  test('says how far the price moved, in what time, and what is usual', () => {
    const [change] = run(to(1.05)).changes;
    expect(change?.labels).toEqual({ kind: 'price-move', symbol: 'BTCUSDT', window: '1h', direction: 'UP' });
    const words = change && said(change);
    expect(words?.title).toMatch(/^BTC rose 4\.\d% in 1 h$/);
    expect(words?.facts.map(({ name }) => name)).toEqual(['Price', 'Move', 'Usual move', '× normal']);
    expect(words?.facts[3]?.value).toMatch(/^\d+\.\d$/);
  });

  test('does not end as calm when the price falls as far as it rose', () => {
    const { changes } = run((ms) => (ms < 40 * minute ? to(1.06)(ms) : 93), { lasting: hour });
    const end = changes.find(({ status, labels }) => status === 'resolved' && labels.window === '1h');
    expect(end && said(end)).toMatchObject({
      title: expect.stringMatching(/^BTC has turned round: −\d\.\d% in 1 h$/),
      summary: 'The price now moves the other way.',
    });
  });

  test('is judged by what is usual at its hour of the week, and says which', () => {
    const options = detector.options.parse({ '1h': { factor: 4, minPct: 1 } });
    /** Every day the price moves by 3 % from 14:00 to 15:00 and back; on the last day it does so from 4:00 to 5:00 too. */
    const days = 27;
    const priceAt = (ms: number) => {
      const part = (ms / hour) % 1;
      const pair = Math.floor(ms / (2 * hour));
      const size = pair % 12 === 7 || pair === (days - 1) * 12 + 2 ? 3 : 0.5;
      const even = Math.floor(ms / hour) % 2 === 0;
      return 100 + size * (even ? part : 1 - part);
    };
    const told: string[] = [];
    let state: Parameters<typeof detector.step>[0];
    for (let ms = 0; ms < days * 24 * hour; ms += 10 * minute) {
      const now = start + ms;
      const coin = { symbol: 'BTCUSDT', price: priceAt(ms), signal: 0, funding: 0, master: 50 };
      const overview = { ...answers.marketOverview, coins: [coin], timestamp: iso(now - 5_000) };
      const stepped = detector.step(state, overview, { options, now });
      state = stepped.state;
      for (const change of stepped.changes)
        if (change.status === 'firing' && ms > (days - 4) * 24 * hour) told.push(said(change).summary);
    }
    // There and back.
    expect(told).toEqual([4, 5].map((hours) => expect.stringContaining(`usual for Tuesday 0${hours}:00`)));
  });

  test('the state stays bounded', () => {
    const { state } = run(usual, { lasting: 0 });
    expect(state?.memory?.times.length).toBeLessThan(60);
    expect(state?.memory?.symbols.BTCUSDT?.marks).toHaveLength(state?.memory?.times.length ?? 0);
  });
});
