/**
 * Ranks instants at which `npm start` could begin, by simple proxies of what alerts: run it after any change to
 * the made market and put the best into src/service/simulator/synthetic.ts:
 *
 *   npx node test/bench/simulation-start.ts [seed] [from] [to] [symbols]
 */
import { inspect } from 'node:util';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { Market } from '#src/service/simulator/market.ts';
import { defaultSeed, syntheticMarket } from '#src/service/simulator/synthetic.ts';

const [seed = String(defaultSeed), from = '2025-04-01', to = '2026-04-01', symbols = '30'] =
  process.argv.slice(2);
const market = syntheticMarket({ seed: Number(seed), symbols: Number(symbols) });
const names = market.instruments.map(({ symbol }) => symbol);
const window = 12 * hour;

/** BTC's log move from `time - back` to `time`, in deviations of that many hours. */
const move = (time: number, back: number): number => {
  const day30 = Array.from({ length: 31 }, (_, index) =>
    Math.log(market.price('BTCUSDT', time - index * day)),
  );
  const moves = day30.slice(1).map((value, index) => (day30[index] ?? 0) - value);
  const deviation = Math.sqrt(moves.reduce((sum, value) => sum + value * value, 0) / moves.length);
  const change = Math.log(market.price('BTCUSDT', time) / market.price('BTCUSDT', time - back));
  return change / deviation / Math.sqrt(back / day);
};

/** A turn under way: a strong move in the 8 hours before and on, against the three days before it. */
const turn = (time: number): number => {
  const [before, recent, next] = [
    move(time - 8 * hour, 72 * hour),
    move(time, 8 * hour),
    move(time + window, 12 * hour),
  ];
  return Math.sign(recent) === Math.sign(next) && Math.sign(before) !== Math.sign(recent)
    ? Math.min(Math.abs(recent), 4) + Math.min(Math.abs(next), 4)
    : 0;
};

/** Coins whose settlement at `time` lies more than two deviations from its 30 days, and did not at the one before. */
const turnedExtreme = (time: number): number =>
  names.filter((symbol) => {
    const rates = market.settlements(symbol, time - 30 * day, time).map(({ rate }) => rate);
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    const deviation = Math.sqrt(rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / rates.length);
    const high = (rate = 0) =>
      deviation > 0 && Math.abs(rate - mean) > 2 * deviation && rate * (rate - mean) > 0;
    return high(rates.at(-1)) && !high(rates.at(-2));
  }).length;

/** Times of rapid build-up or unwind of the 30 largest coins. */
const rapid = (start: number): number[] => {
  const times: number[] = [];
  for (const symbol of names.slice(0, 30)) {
    let [before, rate] = [market.openInterest(symbol, start).contracts, 0];
    for (let time = start + 5 * minute; time <= start + window; time += 5 * minute) {
      const now = market.openInterest(symbol, time).contracts;
      const next = (now / before - 1) * 100;
      if (Math.abs(next) > 1 && (next > 0 ? next > rate : next < rate)) times.push(time);
      [before, rate] = [now, next];
    }
  }
  return times;
};

/** Most liquidations of one symbol in 10 minutes. */
const largestBurst = (start: number): { count: number; at: number; symbol: string } => {
  const bins = new Map<string, { count: number; at: number; symbol: string }>();
  for (const { symbol, time } of market.liquidations(start, start + window)) {
    const key = `${symbol} ${Math.floor(time / (10 * minute))}`;
    const bin = bins.get(key) ?? { count: 0, at: time, symbol };
    bins.set(key, { ...bin, count: bin.count + 1 });
  }
  return [...bins.values()].sort((a, b) => b.count - a.count)[0] ?? { count: 0, at: start, symbol: '' };
};

const told = (market: Market, start: number) =>
  market
    .outages(start, start + window)
    .filter(
      ({ from, to, upstream }) => from > start + hour && to - from >= 15 * minute && upstream !== 'deribit',
    );

const candidates = [];
// Well before the settlement by which funding is judged: the first polls, which only take a baseline, come first.
for (let settlement = Date.parse(from); settlement < Date.parse(to); settlement += 8 * hour) {
  const start = settlement - 70 * minute;
  const turning = turn(start);
  const outages = told(market, start);
  if (turning === 0 || outages.length === 0 || market.outages(start - 30 * minute, start).length > 0)
    continue;
  const extremes = turnedExtreme(settlement);
  const burst = largestBurst(start);
  const oi = rapid(start);
  candidates.push({
    start: iso(start),
    score: turning + Math.min(extremes, 8) + Math.min(burst.count, 60) / 20 + Math.min(oi.length, 8) / 2,
    turning,
    extremes,
    rapid: oi.length,
    firstRapidMinutes: oi.length === 0 ? null : (Math.min(...oi) - start) / minute,
    burst: `${burst.count} of ${burst.symbol} after ${Math.round((burst.at - start) / minute)} min`,
    outages: outages.map((outage) => {
      const after = Math.round((outage.from - start) / minute);
      return `${outage.upstream} ${(outage.to - outage.from) / minute} min after ${after} min`;
    }),
  });
}
candidates.sort((a, b) => b.score - a.score);
process.stdout.write(`${inspect(candidates.slice(0, 12), { depth: 3, breakLength: 140 })}\n`);
