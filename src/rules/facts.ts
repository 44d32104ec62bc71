import { z } from 'zod';
import { splitName, type View } from './expression.ts';
import type { Reading } from './feed.ts';
import { feeds } from './feeds.ts';
import { isMetric, type MetricName, metricNames, metricOf } from './metrics.ts';

/** The last known value of each metric, `funding.z BTCUSDT` or `regime.state`, and its data time (market ms). */
export const knownFacts = z.record(
  z.string(),
  z.object({ value: z.union([z.number(), z.string()]), time: z.number() }),
);
export type KnownFacts = z.output<typeof knownFacts>;
export type KnownFact = KnownFacts[string];

/** A metric whose value changed, and of which symbol; undefined: of the whole market. */
export interface Changed {
  readonly metric: MetricName;
  readonly symbol: string | undefined;
}

export const factKey = (metric: MetricName, symbol: string | undefined): string =>
  symbol === undefined || metricOf(metric).about === 'market' ? metric : `${metric} ${symbol}`;

const parsed = (key: string): Changed | undefined => {
  const [metric = '', symbol] = key.split(' ');
  return isMetric(metric) ? { metric, symbol } : undefined;
};

interface News {
  readonly readings: readonly Reading[];
  readonly useful: (fact: Changed) => boolean;
  readonly now: number;
}

/**
 * What is known after these readings: those that are of use, never an older one in place of a newer. What was
 * known before stays, as what it was: an answer that is missing changes nothing.
 */
export function learn(known: KnownFacts, { readings, useful, now }: News): KnownFacts {
  const facts: KnownFacts = {};
  for (const [key, fact] of Object.entries(known)) {
    const of = parsed(key);
    if (of !== undefined && useful(of)) facts[key] = fact;
  }
  for (const { symbol, time, values } of readings) {
    // What claims to come from the future is garbage, and would keep out all that follows.
    if (!(time <= now + minuteAhead)) continue;
    for (const metric of metricNames) {
      const value = values[metric];
      if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
      const of = { metric, symbol };
      if (!useful(of)) continue;
      const key = factKey(metric, symbol);
      const before = facts[key];
      if (before !== undefined && before.time > time) continue;
      facts[key] = { value, time };
    }
  }
  return facts;
}

/** Facts that have another value than before, or none before. */
export const changedSince = (before: KnownFacts, facts: KnownFacts): readonly Changed[] =>
  Object.entries(facts).flatMap(([key, { value }]) =>
    before[key]?.value === value ? [] : (parsed(key) ?? []),
  );

/** The two clocks are not quite one. */
const minuteAhead = 60_000;

const fresh = (
  fact: KnownFact,
  { metric, now }: { readonly metric: MetricName; readonly now: number },
): boolean => now - fact.time <= feeds[metricOf(metric).feed].lasts;

/** Facts as a rule about `symbol` sees them. With `now` those too old by then are not known. */
export function viewOf(
  facts: KnownFacts,
  { symbol, now }: { readonly symbol: string | undefined; readonly now?: number | undefined },
): View {
  const context: Record<string, Record<string, number | string>> = {};
  const there = new Set<MetricName>();
  for (const metric of metricNames) {
    const fact = facts[factKey(metric, symbol)];
    if (fact === undefined || (now !== undefined && !fresh(fact, { metric, now }))) continue;
    const [space, field] = splitName(metric);
    context[space] = { ...context[space], [field]: fact.value };
    there.add(metric);
  }
  return { has: (name) => there.has(name), context };
}

/** One view per symbol, made when it is first asked for. */
export function viewer(facts: KnownFacts, now?: number): (symbol: string | undefined) => View {
  const views = new Map<string | undefined, View>();
  return (symbol) => {
    const known = views.get(symbol) ?? viewOf(facts, { symbol, now });
    views.set(symbol, known);
    return known;
  };
}
