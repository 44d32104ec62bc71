import { inspect } from 'node:util';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { createRegimeWalk } from '#src/service/analytics/regime.ts';
import type { Market } from '#src/service/simulator/market.ts';
import { defaultSeed, syntheticMarket } from '#src/service/simulator/synthetic.ts';

/** The bench has no bounds. */
export const slow = true;

/**
 * Ranks instants at which `npm start` could begin, by simple proxies of what causes alerts. Run it after any change to the
 * simulated market and put the best instant into src/service/simulator/synthetic.ts:
 *
 *   npm run bench -- simulation-start -- [seed] [from] [to] [symbols]
 */
export default function simulationStart(args: readonly string[]): void {
  const [seed = String(defaultSeed), from = '2025-04-01', to = '2026-04-01', symbols = '30'] = args;
  const market = syntheticMarket({ seed: Number(seed), symbols: Number(symbols) });
  const names = market.instruments.map(({ symbol }) => symbol);
  const window = 12 * hour;

  /** Ms after the start in which detectors have not looked twice yet, so that they send no alerts. */
  const begun = 8 * minute;

  /** Times at which the published label of the walk changes, ms: an hour is labelled at its close. */
  const turns: readonly number[] = (() => {
    const walk = createRegimeWalk();
    const times: number[] = [];
    let before: string | undefined;
    for (const { time, close } of market.candles('BTCUSDT', {
      from: Date.parse('2023-11-01'),
      to: Date.parse(to),
    })) {
      const state = walk.push({ time, close })?.state;
      if (before !== undefined && state !== before) times.push(time + hour);
      before = state;
    }
    return times;
  })();

  /**
   * Counts coins whose rate at `time` is more than two deviations from the mean of 30 days, and was not one settlement
   * before.
   */
  const turnedExtreme = (time: number): number =>
    names.filter((symbol) => {
      const rates = market.settlements(symbol, { from: time - 30 * day, to: time }).map(({ rate }) => rate);
      const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
      const deviation = Math.sqrt(rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / rates.length);
      const high = (rate = 0) =>
        deviation > 0 && Math.abs(rate - mean) > 2 * deviation && rate * (rate - mean) > 0;
      return high(rates.at(-1)) && !high(rates.at(-2));
    }).length;

  /** Returns the times of rapid build-up or unwind of open interest of the 30 largest coins. */
  const rapid = (start: number): number[] => {
    const times: number[] = [];
    for (const symbol of names.slice(0, 30)) {
      let [before, rate] = [market.openInterest(symbol, start + begun).contracts, 0];
      for (let time = start + begun + 5 * minute; time <= start + window; time += 5 * minute) {
        const now = market.openInterest(symbol, time).contracts;
        const next = (now / before - 1) * 100;
        if (Math.abs(next) > 1 && (next > 0 ? next > rate : next < rate)) times.push(time);
        [before, rate] = [now, next];
      }
    }
    return times;
  };

  /** Returns the first quarter hour in which one symbol loses $300k and more than 10 times its mean quarter hour of 3 days. */
  const firstBurst = (start: number): { usd: number; at: number; symbol: string } | undefined => {
    const quarter = 15 * minute;
    const sums = new Map<string, Map<number, number>>();
    for (const { symbol, time, price, quantity } of market.liquidations(
      start - 3 * day,
      start + window - hour,
    )) {
      const own = sums.get(symbol) ?? new Map<number, number>();
      const slot = Math.floor(time / quarter);
      own.set(slot, (own.get(slot) ?? 0) + price * quantity);
      sums.set(symbol, own);
    }
    const bursts = [...sums].flatMap(([symbol, own]) => {
      const usual =
        [...own].filter(([slot]) => slot * quarter < start).reduce((sum, [, usd]) => sum + usd, 0) / 288;
      return [...own]
        .filter(([slot, usd]) => slot * quarter > start + begun && usd > 300_000 && usd > 10 * usual)
        .map(([slot, usd]) => ({ symbol, usd, at: (slot + 1) * quarter }));
    });
    return bursts.sort((x, y) => x.at - y.at)[0];
  };

  const longOutages = (market: Market, start: number) =>
    market
      .outages(start, start + window)
      .filter(
        ({ from, to, upstream }) =>
          from > start + begun && to - from >= 15 * minute && upstream !== 'deribit',
      );

  const candidates = [];
  const earliest = Date.parse(from);
  for (const turned of turns.filter((time) => time > earliest + day)) {
    for (let start = turned - 9 * hour; start <= turned - 3 * hour; start += 10 * minute) {
      const outages = longOutages(market, start);
      const quiet = market.outages(start - 30 * minute, start + begun).length === 0;
      if (outages.length === 0 || !quiet) continue;
      const burst = firstBurst(start);
      const oi = rapid(start);
      if (burst === undefined || oi.length < 2) continue;
      const settlements = [0, 1, 2]
        .map((n) => (Math.ceil((start + begun) / (8 * hour)) + n) * 8 * hour)
        .filter((time) => time < start + window - hour)
        .map((time) => ({ time, extremes: turnedExtreme(time) }))
        .filter(({ extremes }) => extremes > 0);
      if (settlements.length === 0) continue;
      const news = {
        funding: settlements.map(({ time }) => time),
        turn: [turned],
        burst: [burst.at],
        rapid: oi,
        outage: outages.map((outage) => outage.from + 12 * minute),
      };
      const after = (time: number) => Math.round((time - start) / minute);
      const firsts = Object.values(news).map((times) => Math.min(...times));
      candidates.push({
        start: iso(start),
        // An early first alert counts most, then an early time by which each kind has come.
        score: -after(Math.min(...firsts)) * 2 - after(Math.max(...firsts)),
        minutes: Object.fromEntries(
          Object.entries(news).map(([kind, times]) => [
            kind,
            times
              .map(after)
              .sort((x, y) => x - y)
              .slice(0, 5),
          ]),
        ),
        extremes: settlements.map(({ extremes }) => extremes),
        burst: `$${Math.round(burst.usd)} of ${burst.symbol}`,
      });
    }
  }
  candidates.sort((a, b) => b.score - a.score);
  process.stdout.write(`${inspect(candidates.slice(0, 12), { depth: 3, breakLength: 140 })}\n`);
}
