import { z } from 'zod';
import { doubtAbout, isRedenominated } from '../contract/plausible-price.ts';
import { maxAhead } from '../runtime/clock.ts';
import { feeds } from './all-feeds.ts';
import { beforeSpace, splitName, type View } from './expression.ts';
import type { Reading } from './feed.ts';
import { isMetric, type MetricName, metricNames, metricOf } from './metrics.ts';

/** The last known value of each metric and its data time (market ms), by `factKey`: `funding.z BTCUSDT` or `regime.state`. */
export const knownFacts = z.record(
  z.string(),
  z.object({
    value: z.union([z.number(), z.string()]),
    time: z.number(),
    /** The number that it was at the data time before, for conditions about crossing. */
    before: z.number().optional(),
    /** A later price that is not believed yet. */
    doubt: z.object({ price: z.number(), since: z.number() }).optional(),
  }),
);
export type KnownFacts = z.output<typeof knownFacts>;
type KnownFact = KnownFacts[string];

/** What a fact is about: a metric, and a symbol (undefined: the whole market). */
interface FactSubject {
  readonly metric: MetricName;
  readonly symbol: string | undefined;
}

/** The value of a fact before and after a change. */
export interface FactMove {
  readonly from: KnownFact['value'];
  readonly to: KnownFact['value'];
}
/** The facts whose value changed: metric → symbol (undefined: the whole market) → change. */
export type FactMoves = ReadonlyMap<MetricName, ReadonlyMap<string | undefined, FactMove>>;

export const factKey = (metric: MetricName, symbol: string | undefined): string =>
  symbol === undefined || metricOf(metric).about === 'market' ? metric : `${metric} ${symbol}`;

function parseKey(key: string): FactSubject | undefined {
  const [metric = '', symbol] = key.split(' ');
  return isMetric(metric) ? { metric, symbol } : undefined;
}

const order = new Map<string, number>(metricNames.map((metric, index) => [metric, index]));

/** Returns the useful metrics that a reading has a value of, always in the same order. */
const metricsOf = ({ values, symbol }: Reading, isUseful: News['isUseful']): MetricName[] =>
  Object.keys(values)
    .filter((name) => isMetric(name) && isUseful({ metric: name, symbol }))
    .sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) as MetricName[];

interface News {
  readonly readings: readonly Reading[];
  readonly isUseful: (fact: FactSubject) => boolean;
  /** Whether all known facts are useful, so that they need not be looked through. Absent: unknown. */
  readonly areUseful?: boolean;
  /** Whether who told the prices doubts wrong prints already, as the service does whose prices are streamed. Absent: no. */
  readonly areConfirmed?: boolean;
  readonly now: number;
}

/**
 * Returns the facts after new readings. Only useful facts are kept, and an older value never replaces a newer one. A
 * fact without a new reading stays as it was, and so does one of which only a lower bound is read that is not above it: it
 * may begin an alert, but must not end one. A price that may not follow the known one waits for another that confirms it.
 * Returns the same object if nothing changed.
 */
export function updateFacts(
  known: KnownFacts,
  { readings, isUseful, areUseful = false, areConfirmed = false, now }: News,
): KnownFacts {
  const isKept = (key: string) => {
    const subject = parseKey(key);
    return subject !== undefined && isUseful(subject);
  };
  let facts =
    areUseful || Object.keys(known).every(isKept)
      ? known
      : Object.fromEntries(Object.entries(known).filter(([key]) => isKept(key)));
  for (const reading of readings) {
    const { symbol, time, values, atLeast = false } = reading;
    // A reading from the future is wrong, and would keep out all readings that follow.
    if (!(time <= now + maxClockSkew)) continue;
    for (const metric of metricsOf(reading, isUseful)) {
      const value = values[metric];
      if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
      const key = factKey(metric, symbol);
      const kept = facts[key];
      const before = kept !== undefined && kept.time <= now + maxClockSkew ? kept : undefined;
      const isNews =
        before === undefined || before.time < time || (before.time === time && before.value !== value);
      if (!isNews) continue;
      if (atLeast && !(before !== undefined && value > before.value)) continue;
      const doubt =
        !areConfirmed &&
        metric === 'price.last' &&
        typeof value === 'number' &&
        typeof before?.value === 'number'
          ? doubtAbout(
              { price: value, time },
              { price: before.value, time: before.time, doubt: before.doubt },
            )
          : undefined;
      if (facts === known) facts = { ...known };
      facts[key] = doubt && before ? { ...before, doubt } : { value, time, ...beforeOf(before, time) };
    }
  }
  return facts;
}

/** Returns what a fact keeps of the one that it replaces. A correction replaces a value of the same time. */
function beforeOf(replaced: KnownFact | undefined, time: number): Pick<KnownFact, 'before'> {
  if (replaced === undefined) return {};
  const before = replaced.time === time ? replaced.before : replaced.value;
  return typeof before === 'number' ? { before } : {};
}

/** Prices are not known to have changed where the unit has. */
const isOfOtherUnit = (metric: MetricName, { from, to }: FactMove): boolean =>
  metric === 'price.last' && typeof from === 'number' && typeof to === 'number' && isRedenominated(from, to);

/**
 * Returns the facts that have another value than before. A fact that was not known before is left out, because it is
 * not known to have changed.
 */
export function movesSince(before: KnownFacts, facts: KnownFacts): FactMoves {
  const moves = new Map<MetricName, Map<string | undefined, FactMove>>();
  if (facts === before) return moves;
  for (const [key, { value: to }] of Object.entries(facts)) {
    const from = before[key]?.value;
    if (from === undefined || from === to) continue;
    const subject = parseKey(key);
    if (subject === undefined || isOfOtherUnit(subject.metric, { from, to })) continue;
    moves.getOrInsertComputed(subject.metric, () => new Map()).set(subject.symbol, { from, to });
  }
  return moves;
}

/** How far the clocks of the bot and the data service may differ, ms. What is stored of a later time is not known. */
export const maxClockSkew = maxAhead(1);

const isFresh = (fact: KnownFact, metric: MetricName, now: number): boolean =>
  now - fact.time <= feeds[metricOf(metric).feed].validFor;

/** Each metric with the two parts of its name: `price.last`, `price`, `last`. */
const metricParts = metricNames.map((metric) => [metric, ...splitName(metric)] as const);

/** Returns the facts as a rule about `symbol` sees them. With `now`, facts that are too old by then count as not known. */
export function viewOf(facts: KnownFacts, symbol: string | undefined, now?: number | undefined): View {
  const context: Record<string, Record<string, number | string>> = {};
  const knownMetrics = new Set<MetricName>();
  for (const [metric, space, field] of metricParts) {
    const fact = facts[factKey(metric, symbol)];
    if (fact === undefined || (now !== undefined && !isFresh(fact, metric, now))) continue;
    context[space] ??= {};
    (context[space] as Record<string, number | string>)[field] = fact.value;
    if (fact.before !== undefined) {
      const earlier = beforeSpace(space);
      context[earlier] = { ...context[earlier], [field]: fact.before };
    }
    knownMetrics.add(metric);
  }
  return { has: (name) => knownMetrics.has(name), context };
}

/** Returns the facts as rules about a symbol see them. The view of each symbol is made when it is first asked for. */
export type FactViews = (symbol: string | undefined) => View;

export function viewsOf(facts: KnownFacts, now?: number): FactViews {
  const views = new Map<string | undefined, View>();
  return (symbol) => views.getOrInsertComputed(symbol, () => viewOf(facts, symbol, now));
}
