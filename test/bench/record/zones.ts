/** Judges maps of liquidation levels over a simulated and a recorded market, beside chance and shuffled levels. */
import { existsSync } from 'node:fs';
import { day, hour, minute } from '#src/runtime/units.ts';
import { judgeZones } from '#src/service/analytics/judge-zones.ts';
import { seededRandom } from '#src/service/analytics/seeded-random.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { recordedMarket } from '#src/service/simulation/recorded-market.ts';
import { simulationStart, syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { report } from '../measuring/figures.ts';

const days = 60;
const recordings = process.env.MARKET_DATA ?? '../shared/market-data';

function judge(market: Market, symbol: string, end: number) {
  const from = Math.floor(end / day) * day - days * day;
  const snapshots = [];
  for (let time = from - 7 * day; time < from + days * day; time += 5 * minute)
    snapshots.push(market.openInterest(symbol, time));
  const liquidations = [];
  for (let at = from; at < from + days * day; at += hour)
    for (const row of market.liquidations(at, at + hour - 1))
      if (row.symbol === symbol) liquidations.push(row);
  const candles = market.candles(symbol, { from, to: from + days * day - hour });
  return judgeZones({ snapshots, candles, liquidations }, seededRandom(1));
}

export default async function zones(): Promise<void> {
  const markets: [string, Market, number][] = [
    ['simulated', syntheticMarket({ seed: 7, symbols: 30 }), simulationStart],
  ];
  if (existsSync(recordings)) {
    const market = await recordedMarket(recordings, { seed: 7 });
    markets.push(['recorded', market, market.latest]);
  }
  for (const [name, market, end] of markets)
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      const judged = judge(market, symbol, end);
      if (judged === undefined) continue;
      const { share, low, high, placebo, liquidations, days: n, isBetter } = judged;
      const pct = (value: number) => `${(100 * value).toFixed(1)} %`;
      console.log(
        `${name} ${symbol}: ${pct(share)} (${pct(low)} to ${pct(high)}) of liquidated USD in the largest quarter; ` +
          `chance 25 %, shuffled ${pct(placebo)}; ${liquidations} liquidations on ${n} days; better: ${isBetter}`,
      );
      // Shuffled levels know nothing: what they take is chance, whatever the market.
      report(`zones: ${name} ${symbol}`, [
        { name: 'shuffled levels', value: 100 * placebo, unit: '%', bound: { most: 30 } },
        { name: 'largest quarter of levels', value: 100 * share, unit: '%' },
      ]);
    }
}
