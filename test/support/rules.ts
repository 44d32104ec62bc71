import type { Rule } from '#src/alert/rule.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { rulesDetector } from '#src/rules/rules-detector.ts';
import { iso } from '#src/runtime/units.ts';
import { answers, dataClient } from './data.ts';

export const rule = (over: Partial<Rule> = {}): Rule => ({
  id: 'r1',
  receiver: { notifier: 'web', address: { room: 'here' } },
  name: null,
  condition: 'price.last > 100',
  clear: null,
  symbols: ['BTCUSDT'],
  hold: 0,
  mode: 'always',
  expiresAt: null,
  severity: 'warning',
  paused: false,
  createdBy: 'ada',
  createdAt: 0,
  ...over,
});

/** Creates a data client in which the symbols have these prices at `now`. */
export const priced = (prices: Readonly<Record<string, number>>, now: number): DataClient =>
  dataClient({
    marketOverview: {
      ...answers.marketOverview,
      coins: Object.entries(prices).map(([symbol, price]) => ({
        symbol,
        price,
        signal: 0,
        funding: 0,
        master: 50,
      })),
      timestamp: iso(now),
    },
  });

/** Creates the detector of people's own alerts over exactly these rules. */
export function ruleDetector(rules: () => readonly Rule[], universe: () => readonly string[] = () => []) {
  let read = rules();
  let ruleIndex = ruleIndexOf(read);
  return rulesDetector({
    ruleIndex: () => {
      const now = rules();
      if (now !== read) ruleIndex = ruleIndexOf(now);
      read = now;
      return ruleIndex;
    },
    universe,
  });
}
