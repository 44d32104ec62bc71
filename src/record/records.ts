import { setImmediate } from 'node:timers/promises';
import type { Fact } from '../alert/alert.ts';
import type { PriceCall } from '../alert/call.ts';
import { hookOfKind } from '../alert/hook.ts';
import { type HourlyPrice, horizons, type Outcome } from '../alert/outcome.ts';
import { receiverKey } from '../alert/subscription.ts';
import { msg, type Text } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { type CallerScore, outcomesOf, scoreCallers } from './calls.ts';
import { type Finding, findings } from './findings.ts';
import { hoursOf } from './hours.ts';
import type { OfAlerts, OutcomeLog } from './outcome-log.ts';
import { recordFact } from './record-fact.ts';
import { type JudgedOutcome, judge, type Score, score } from './score.ts';
import { usualMoves } from './usual.ts';

/** How long outcomes and hourly prices are kept, market ms: the same for both, so that they cover the same days. */
export const recordKept = 3 * 365 * day;
/** Alerts of so long are also scored apart: what held for years may hold no more. */
export const recently = 90 * day;

/** The record of one kind over one horizon (ms). */
export interface KindScore extends Score {
  readonly kind: string;
  readonly horizon: number;
  /** The predicted direction, if the alerts of the kind have one: it completes "the price had gone …". */
  readonly way?: Text | undefined;
  /** Depends on all other scores of the table. Absent if the alerts are too few. */
  readonly finding?: Finding | undefined;
  /** The score of the latest of these alerts alone. Absent if there are no others. */
  readonly recent?: KindScore | undefined;
  /**
   * The score of the alerts that the same detectors would have sent in the recorded years of the release; never mixed with
   * alerts that were posted.
   */
  readonly replayed?: KindScore | undefined;
}

/** A kind whose alerts predict something about the price; `way` as in KindScore. */
type JudgedKind = { readonly name: string } & Pick<KindScore, 'way'>;

export interface Records {
  /**
   * Returns the scores of all kinds, or of one, over every horizon. Without a symbol they are those of the last
   * refresh.
   */
  scores(of?: OfAlerts): Promise<readonly KindScore[]>;
  /**
   * Returns the fact about a kind for its alerts' cards, as of the last refresh; undefined for a kind that is not
   * judged.
   */
  factOf(kind: string): Fact | undefined;
  /** Returns the scores of those who made the calls of one place, the most evidence first. */
  callers(calls: readonly PriceCall[]): Promise<readonly CallerScore[]>;
  /** Computes everything again, with pauses: this may take some seconds, and nothing waits for it. */
  refresh(): Promise<void>;
}

/** The horizon of the record that an alert's card shows. */
const cardHorizon = day;

/** Returns what the recorded years showed of a kind over a horizon. */
export type YearsOf = (kind: string, horizon: number) => KindScore | undefined;

export function createRecords({
  outcomes,
  market,
  kinds,
  now,
  years = () => undefined,
}: {
  readonly outcomes: Pick<OutcomeLog, 'posted' | 'prices'>;
  readonly market: string;
  readonly kinds: readonly JudgedKind[];
  /** Market time, ms. */
  readonly now: () => number;
  readonly years?: YearsOf;
}): Records {
  const judged = judgedOf((symbol) => outcomes.prices(market, { symbol, since: now() - recordKept }), now);
  const tableOf = (of: readonly JudgedKind[], ever: JudgedByHorizon): KindScore[] => {
    const since = now() - recently;
    const latest = ever.map((rows) => rows.filter(({ firedAt }) => firedAt >= since));
    const recent = scored(of, latest);
    return scored(of, ever).map((score, index): KindScore => {
      const { kind, horizon, way, n } = score;
      const others = n > (recent[index]?.n ?? 0) ? recent[index] : undefined;
      const replayed = years(kind, horizon);
      return { ...score, recent: others, replayed: replayed && { ...replayed, way } };
    });
  };
  let all: readonly KindScore[] = tableOf(
    kinds,
    horizons.map(() => []),
  );
  let facts = factsOf(all);

  /**
   * Scores the alerts of a hook, which belong to one place. They are judged as all others are, but separately, so that
   * no other record depends on what somebody sends to a hook.
   */
  async function ofHook(kind: string, rows: readonly Outcome[]): Promise<KindScore[]> {
    const directed = rows.some(({ prediction }) => prediction !== 'move');
    const way = directed ? msg('the way the signal said') : undefined;
    return tableOf([{ name: kind, way }], await judged(rows, kind));
  }

  return {
    async scores({ kind, symbol } = {}) {
      if (kind !== undefined && hookOfKind(kind) !== undefined)
        return ofHook(kind, await outcomes.posted(market, { kind, symbol }));
      // All kinds are computed, because what one of them must show depends on how many are tested.
      const ofSymbol = async (symbol: string) =>
        (await outcomes.posted(market, { symbol })).filter((row) => !hookOfKind(row.kind));
      const table = symbol === undefined ? all : tableOf(kinds, await judged(await ofSymbol(symbol)));
      return table.filter((each) => kind === undefined || each.kind === kind);
    },
    factOf: (kind) => facts.get(kind),
    async callers(calls) {
      const [first] = calls;
      if (first === undefined) return [];
      const pricesOf = (symbol: string, since: number) => outcomes.prices(market, { symbol, since });
      const rows = await outcomesOf(calls, pricesOf, now());
      return scoreCallers(calls, await judged(rows, `calls ${receiverKey(first.receiver)}`), now());
    },
    async refresh() {
      const rows = Map.groupBy(await outcomes.posted(market), ({ kind }) => hookOfKind(kind) && kind);
      all = tableOf(kinds, await judged(rows.get(undefined) ?? []));
      const brought: KindScore[] = [];
      for (const [kind, own] of rows) if (kind !== undefined) brought.push(...(await ofHook(kind, own)));
      facts = factsOf([...all, ...brought]);
    },
  };
}

/** The judged alerts of each of the `horizons`, in their order. */
type JudgedByHorizon = readonly (readonly JudgedOutcome[])[];

/** How long judged alerts are kept, market ms: a few more hours hardly change what is usual. */
const keptFor = 6 * hour;

/**
 * Judges alerts symbol by symbol. A symbol whose alerts have not changed is not judged again for `keptFor`; what the symbols
 * usually do is not kept, because years of it take megabytes a symbol.
 */
function judgedOf(pricesOf: (symbol: string) => Promise<readonly HourlyPrice[]>, now: () => number) {
  const kept = new Map<string, { at: number; seen: string; judged: JudgedByHorizon }>();
  async function ofSymbol(symbol: string, rows: readonly Outcome[]): Promise<JudgedByHorizon> {
    const hours = hoursOf(await pricesOf(symbol));
    await setImmediate();
    const features = hours.features();
    const judged: JudgedOutcome[][] = [];
    for (const horizon of horizons) {
      // Each step takes some 40 ms for three years.
      await setImmediate();
      const usual = usualMoves(hours, features, horizon);
      await setImmediate();
      judged.push(judge(rows, horizon, usual));
    }
    return judged;
  }
  return async (all: readonly Outcome[], owner = ''): Promise<JudgedByHorizon> => {
    const at = now();
    for (const [key, before] of kept) if (Math.abs(at - before.at) >= keptFor) kept.delete(key);
    const judged = horizons.map((): JudgedOutcome[] => []);
    for (const [symbol, rows] of Map.groupBy(all, (row) => row.symbol)) {
      const key = `${owner} ${symbol}`;
      // A price that is stored does not change.
      const known = rows.flatMap(({ price, after }) => [price, ...after]).filter((each) => each !== null);
      const seen = `${rows[0]?.firedAt} ${rows.length} ${known.length}`;
      const before = kept.get(key);
      const own = before?.seen === seen ? before.judged : await ofSymbol(symbol, rows);
      if (before?.seen !== seen) kept.set(key, { at, seen, judged: own });
      for (const [turn, each] of own.entries()) for (const one of each) judged[turn]?.push(one);
    }
    return judged;
  };
}

/** Returns the scores by kind, then by horizon. */
function scored(kinds: readonly JudgedKind[], judged: JudgedByHorizon): KindScore[] {
  const byKind = judged.map((rows) => Map.groupBy(rows, ({ kind }) => kind));
  return withFindings(
    kinds.flatMap(({ name: kind, way }) =>
      horizons.map((horizon, turn) => ({
        kind,
        horizon,
        way,
        ...score(byKind[turn]?.get(kind) ?? [], horizon),
      })),
    ),
  );
}

/** Tests all scores of a table together. */
export function withFindings<Row extends Score>(
  scores: readonly Row[],
): (Row & Pick<KindScore, 'finding'>)[] {
  const found = findings(scores.flatMap((each) => (each.found === undefined ? [] : [each.found.excess])));
  let next = 0;
  return scores.map((each) => ({ ...each, finding: each.found && found[next++] }));
}

/** A kind of which nothing is known is left out. */
const factsOf = (scores: readonly KindScore[]): ReadonlyMap<string, Fact> =>
  new Map(
    scores
      .filter(({ horizon, found, replayed }) => horizon === cardHorizon && (found ?? replayed?.found))
      .map((each) => [each.kind, recordFact(each)]),
  );
