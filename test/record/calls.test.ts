import { describe, expect, test } from 'vitest';
import { countsFrom, type PriceCall } from '#src/alert/call.ts';
import { type HourlyPrice, horizons } from '#src/alert/outcome.ts';
import { bankroll, outcomesOf, scoreCallers } from '#src/record/calls.ts';
import { falseDiscoveries } from '#src/record/findings.ts';
import { createRecords } from '#src/record/records.ts';
import type { JudgedOutcome } from '#src/record/score.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { normal, seeded } from '#test/support/random.ts';

const receiver = { notifier: 'web', address: { room: 'here' } };
const days = 130;
const symbols = ['AUSDT', 'BUSDT', 'CUSDT'];

/** Prices whose volatility changes and which largely move together; nobody can know their direction before. */
function market(seed: number): ReadonlyMap<string, readonly HourlyPrice[]> {
  const random = seeded(seed);
  const logs = symbols.map(() => 0);
  const prices = symbols.map((): HourlyPrice[] => []);
  let volatility = 0.005;
  for (let h = 0; h < days * 24; h += 1) {
    volatility = 0.005 * (volatility / 0.005) ** 0.98 * Math.exp(0.15 * normal(random));
    const common = normal(random);
    for (const [which, own] of prices.entries()) {
      const log = (logs[which] ?? 0) + volatility * (0.8 * common + 0.6 * normal(random));
      logs[which] = log;
      own.push({ at: start + h * hour, price: 100 * Math.exp(log) });
    }
  }
  return new Map(symbols.map((symbol, which) => [symbol, prices[which] ?? []]));
}

type Choose = (given: { readonly moved: number; readonly next: number }, random: () => number) => boolean;
/** Callers who know nothing: by a coin, always one way, with the last day, against it. */
const placebos: readonly Choose[] = [
  (_, random) => random() < 0.5,
  () => true,
  () => false,
  ({ moved }) => moved > 0,
  ({ moved }) => moved < 0,
];
const knows =
  (share: number): Choose =>
  ({ next }, random) =>
    random() < share === next > 0;

type Bet = Readonly<Record<'at' | 'end' | 'odds' | 'hit', number>>;

/** Calls of a person who makes one in each market as soon as the last has ended, or a little later. */
function callsOf(
  caller: string,
  given: {
    readonly prices: ReadonlyMap<string, readonly HourlyPrice[]>;
    readonly choose: Choose;
    readonly seed: number;
  },
): PriceCall[] {
  const random = seeded(given.seed);
  const horizon = horizons[Math.floor(random() * horizons.length)] ?? day;
  const calls: PriceCall[] = [];
  for (const [symbol, prices] of given.prices) {
    let h = 25 * 24 + Math.floor(random() * 24);
    while (h + horizon / hour + 1 < prices.length) {
      const at = (index: number) => Math.log(prices[index]?.price ?? Number.NaN);
      const chosen = { moved: at(h) - at(h - 24), next: at(h + 1 + horizon / hour) - at(h + 1) };
      calls.push({
        id: `${caller} ${symbol} ${h}`,
        receiver,
        symbol,
        side: given.choose(chosen, random) ? 'long' : 'short',
        horizon,
        at: start + h * hour + 20 * minute,
        createdBy: caller,
        name: caller,
      });
      h += 1 + horizon / hour + Math.floor(random() * 24);
    }
  }
  return calls.sort((a, b) => a.at - b.at);
}

/** Returns who is told an edge at any of many looks, each caller in a league of their own. */
async function everTold(
  prices: ReadonlyMap<string, readonly HourlyPrice[]>,
  leagues: readonly (readonly PriceCall[])[],
): Promise<boolean[]> {
  const told = leagues.map(() => false);
  for (let look = 60; look <= days; look += 14) {
    const now = start + look * day;
    const records = createRecords({
      kinds: [],
      market: 'live',
      now: () => now,
      outcomes: {
        posted: async () => [],
        prices: async (_, { symbol, since }) =>
          (prices.get(symbol) ?? []).filter(({ at }) => at >= since && at <= now),
      },
    });
    const made = leagues.flat().filter(({ at }) => at <= now);
    for (const { caller, evidence } of await records.callers(made))
      if (evidence >= 1 / falseDiscoveries)
        told[leagues.findIndex(([first]) => first?.createdBy === caller)] = true;
  }
  return told;
}

describe('an edge in calls', () => {
  /** Whether each of 50 callers who know nothing, and of 20 who often know the way, is told an edge in a market. */
  const toldIn = async (seed: number) => {
    const prices = market(seed);
    const told = await everTold(prices, [
      ...Array.from({ length: 50 }, (_, n) => {
        const choose = placebos[n % placebos.length] as Choose;
        return callsOf(`p${n}`, { prices, choose, seed: seed * 1_000 + n });
      }),
      ...Array.from({ length: 20 }, (_, n) => callsOf(`s${n}`, { prices, choose: knows(0.65), seed: n + 1 })),
    ]);
    return { placebos: told.slice(0, 50), knowing: told.slice(50) };
  };

  test('is told of at most 1 in 20 placebo callers, however often one looks, and of most who often know the way', async () => {
    const told = [await toldIn(1), await toldIn(2)];
    const placebos = told.flatMap((each) => each.placebos);
    expect(placebos.filter(Boolean).length / placebos.length).toBeLessThanOrEqual(falseDiscoveries);
    for (const { knowing } of told) expect(knowing.filter(Boolean).length).toBeGreaterThanOrEqual(16);
  });
});

describe('the bankroll of a caller without an edge', () => {
  test('reaches 20 at any time for at most 1 in 20, whatever calls overlap in markets that move together', () => {
    const random = seeded(11);
    const callers = 300;
    let reached = 0;
    for (let n = 0; n < callers; n += 1) {
      const bets: Bet[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        const up = Number(random() < 0.5);
        // Five markets move alike, and the calls on them are open over those of the next turn.
        for (let each = 0; each < 5; each += 1)
          bets.push({ at: turn * 24 + each, end: turn * 24 + 24 + each * 6, odds: 0.5, hit: up });
      }
      let most = 0;
      for (let look = 24; look <= 40 * 24 + 48; look += 24) {
        const seen = bets
          .filter(({ at }) => at <= look)
          .map((bet) => (bet.end <= look ? bet : { ...bet, end: Number.POSITIVE_INFINITY, hit: 0 }));
        most = Math.max(most, bankroll(seen));
      }
      if (most >= 1 / falseDiscoveries) reached += 1;
    }
    expect(reached / callers).toBeLessThanOrEqual(falseDiscoveries);
  });

  test('is 1 without calls, pays fair odds, and counts an open call as lost', () => {
    expect(bankroll([])).toBe(1);
    const bet = (given: Partial<Bet>): Bet => ({ at: 0, end: 1, odds: 0.5, hit: 1, ...given });
    const stake = (0.05 + 0.1 + 0.2 + 0.4) / 4;
    expect(bankroll([bet({})])).toBeCloseTo(1 + stake, 12);
    expect(bankroll([bet({ hit: 0 })])).toBeCloseTo(1 - stake, 12);
    expect(bankroll([bet({ end: Number.POSITIVE_INFINITY })])).toBeCloseTo(1 - stake, 12);
    expect(bankroll([bet({ odds: 0.8 })])).toBeCloseTo(1 + stake / 4, 12);
    expect(bankroll([bet({ odds: 0.1 })])).toBeCloseTo(1 + stake, 12);
  });
});

const call = (given: Partial<PriceCall>): PriceCall => ({
  id: 'c',
  receiver,
  symbol: 'AUSDT',
  side: 'long',
  horizon: hour,
  at: start + 20 * minute,
  createdBy: 'ada',
  name: 'Ada',
  ...given,
});

describe('a call', () => {
  const hours = [100, 110, 121, 90].map((price, h) => ({ at: start + h * hour, price }));
  const judgedAt = (now: number, given: Partial<PriceCall> = {}) =>
    outcomesOf([call(given)], async () => hours, now);

  test('counts from the first full hour after it, so that what had moved before earns nothing', async () => {
    expect(countsFrom({ at: start })).toBe(start + hour);
    expect(countsFrom({ at: start + hour - 1 })).toBe(start + hour);
    expect(await judgedAt(start + day)).toMatchObject([
      { kind: 'ada', prediction: 'up', firedAt: start + hour, price: 110, after: [121, null, null] },
    ]);
  });

  test('has no outcome before it has ended, nor over another horizon than its own', async () => {
    expect(await judgedAt(start + 2 * hour)).toMatchObject([{ after: [null, null, null] }]);
    expect(await judgedAt(start + day, { horizon: 4 * hour })).toMatchObject([{ after: [null, null, null] }]);
    expect(await judgedAt(start + day, { side: 'short' })).toMatchObject([{ prediction: 'down' }]);
  });
});

describe('a league', () => {
  const row = (kind: string, index: number, hit: number): JudgedOutcome => ({
    kind,
    sense: 'way',
    firedAt: start + index * day,
    own: 0,
    estimated: false,
    move: 0,
    usual: 0,
    block: index,
    value: hit - 0.5,
    variance: 0.25,
    hit,
  });
  const leagueOf = (callers: Readonly<Record<string, readonly number[]>>) =>
    scoreCallers(
      Object.keys(callers).map((createdBy) => call({ createdBy })),
      [Object.entries(callers).flatMap(([kind, hits]) => hits.map((hit, index) => row(kind, index, hit)))],
      start + 100 * day,
    );
  const always = Array.from({ length: 20 }, () => 1);

  test('cannot tell of few calls, however well they went', () => {
    expect(leagueOf({ ada: always.slice(1) })).toMatchObject([{ n: 19, hits: 1, usual: 0.5, edge: false }]);
    expect(leagueOf({ ada: always })).toMatchObject([{ n: 20, edge: true }]);
  });

  test('asks for more from each of many callers', () => {
    const lucky = [...Array.from({ length: 17 }, () => 1), 0, 0, 0];
    const edges = (others: number) =>
      leagueOf({
        ada: lucky,
        ...Object.fromEntries(Array.from({ length: others }, (_, n) => [`p${n}`, [0]])),
      })[0];
    expect(edges(0)).toMatchObject({ caller: 'ada', edge: true });
    expect(edges(30)).toMatchObject({ caller: 'ada', edge: false });
  });
});
