import { countsFrom, endOf, type PriceCall } from '../alert/call.ts';
import { type HourlyPrice, horizons, type Outcome } from '../alert/outcome.ts';
import { day, hour } from '../runtime/units.ts';
import { falseDiscoveries } from './findings.ts';
import { enough, type JudgedOutcome } from './score.ts';

/** What is known of one person's calls in a place. Shares are from 0 to 1, NaN without a judged call. */
export interface CallerScore {
  readonly caller: string;
  /** Judged calls, and the UTC days on which they fell. */
  readonly n: number;
  readonly days: number;
  readonly open: number;
  readonly hits: number;
  /** How often prices go so after hours as volatile. */
  readonly usual: number;
  /** How much speaks for an edge: see bankroll. 0 if the calls are too few. */
  readonly evidence: number;
  /** Whether more hits than usual are shown. False: it cannot be told yet. */
  readonly edge: boolean;
}

/** A call as a bet at fair odds: it costs a stake, and returns the stake divided by `odds` if it hits. Times are market ms. */
interface Bet {
  readonly at: number;
  /** Infinity while its outcome is not known. */
  readonly end: number;
  /** The usual share of hits. */
  readonly odds: number;
  readonly hit: number;
}

/** Shares of the money left that are staked on each call. A small one finds a small edge, a large one finds a large edge soon. */
const stakes = [0.05, 0.1, 0.2, 0.4];
/** The usual share of hits is itself estimated: with less than a coin's, an error in it would pay too well. */
const leastOdds = 0.5;

/**
 * Returns what a bankroll of 1 has become that was staked on a caller's calls: an e-value. Without an edge it ever
 * reaches 1/α with a probability of at most α, however often one looks (Ville 1939; testing by betting: Shafer 2021).
 * Open bets count as lost: so it is never more than their value, which is a martingale, whatever calls overlap and however
 * their markets depend on each other. The mean over several stakes is such a bankroll too.
 */
export function bankroll(bets: readonly Bet[]): number {
  const opened = [...bets].sort((a, b) => a.at - b.at);
  const settled = [...bets].sort((a, b) => a.end - b.end);
  const left = stakes.map((share) => {
    const paid = new Map<Bet, number>();
    let money = 1;
    let next = 0;
    const settleUntil = (at: number) => {
      for (let bet = settled[next]; bet !== undefined && bet.end <= at; bet = settled[next]) {
        money += (bet.hit * (paid.get(bet) ?? 0)) / Math.max(leastOdds, bet.odds);
        next += 1;
      }
    };
    for (const bet of opened) {
      settleUntil(bet.at);
      paid.set(bet, money * share);
      money -= money * share;
    }
    settleUntil(Number.MAX_VALUE);
    return money;
  });
  return left.reduce((sum, money) => sum + money, 0) / left.length;
}

/** How long after its end a call waits for its price. The price is of a full hour and comes minutes later. */
const patience = hour;
const isOpen = (call: PriceCall, now: number): boolean => endOf(call) + patience > now;

/**
 * Returns the calls as outcomes that the record can judge, each over its own horizon and of its caller as its kind.
 * @param pricesOf returns hourly prices from a time on
 */
export async function outcomesOf(
  calls: readonly PriceCall[],
  pricesOf: (symbol: string, since: number) => Promise<readonly HourlyPrice[]>,
  now: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [symbol, own] of Map.groupBy(calls, (call) => call.symbol)) {
    const since = Math.min(...own.map(({ at }) => at));
    const prices = new Map((await pricesOf(symbol, since)).map(({ at, price }) => [at, price]));
    for (const call of own) {
      const firedAt = countsFrom(call);
      const later = isOpen(call, now) ? null : (prices.get(endOf(call)) ?? null);
      outcomes.push({
        kind: call.createdBy,
        symbol,
        prediction: call.side === 'long' ? 'up' : 'down',
        firedAt,
        price: prices.get(firedAt) ?? null,
        after: horizons.map((horizon) => (horizon === call.horizon ? later : null)),
        estimated: false,
      });
    }
  }
  return outcomes.sort((a, b) => a.firedAt - b.firedAt);
}

/**
 * Scores the callers of one place. Of those who are told an edge at most 1 in 20 has none, however many they are
 * (e-Benjamini–Hochberg: Wang and Ramdas 2022).
 * @param judged the calls of each horizon, in the order of `horizons`
 */
export function scoreCallers(
  calls: readonly PriceCall[],
  judged: readonly (readonly JudgedOutcome[])[],
  now: number,
): CallerScore[] {
  const rows = judged.flatMap((ofHorizon, turn) =>
    ofHorizon.map((row) => ({ ...row, end: row.firedAt + (horizons[turn] ?? 0) })),
  );
  const byCaller = Map.groupBy(rows, ({ kind }) => kind);
  const callers = [...Map.groupBy(calls, ({ createdBy }) => createdBy)].map(([caller, own]) => {
    const known = byCaller.get(caller) ?? [];
    const open = own.filter((call) => isOpen(call, now));
    const bets = [
      ...known.map(({ firedAt: at, end, hit, value }): Bet => ({ at, end, hit, odds: hit - value })),
      ...open.map((call): Bet => ({ at: countsFrom(call), end: Number.POSITIVE_INFINITY, hit: 0, odds: 1 })),
    ];
    const n = known.length;
    const days = new Set(known.map(({ firedAt }) => Math.floor(firedAt / day))).size;
    const hits = known.reduce((sum, { hit }) => sum + hit, 0) / n;
    const usual = hits - known.reduce((sum, { value }) => sum + value, 0) / n;
    const evidence = n < enough.alerts || days < enough.days ? 0 : bankroll(bets);
    return { caller, n, days, open: open.length, hits, usual, evidence };
  });
  const ranked = callers.map(({ evidence }) => evidence).sort((a, b) => b - a);
  const least = ranked.findLast((evidence, at) => evidence >= neededBy(at + 1, ranked.length)) ?? Infinity;
  return callers
    .sort((a, b) => b.evidence - a.evidence || b.n - a.n)
    .map((score) => ({ ...score, edge: score.evidence >= least }));
}

/** Returns the evidence that each of the `found` best of all callers needs. */
const neededBy = (found: number, callers: number): number => callers / (falseDiscoveries * found);
