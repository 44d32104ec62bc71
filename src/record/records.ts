import { setImmediate } from 'node:timers/promises';
import type { Fact } from '../alert/alert.ts';
import { hookOfKind } from '../alert/hook.ts';
import { type HourlyPrice, horizons, type Outcome } from '../alert/outcome.ts';
import { msg, type Text } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { type Finding, findings } from './findings.ts';
import { hoursOf } from './hours.ts';
import type { OutcomeLog } from './outcome-log.ts';
import { recordFact } from './record-fact.ts';
import { type Score, score } from './score.ts';
import { type UsualMoves, usualMoves } from './usual.ts';

/** How long outcomes and hourly prices are kept, market ms: the same for both, so that they cover the same days. */
export const recordKept = 90 * day;

/** A score and its finding, which depends on all other scores of its table. */
export interface ScoreWithFinding extends Score {
  /** Absent if the score has too few alerts. */
  readonly finding?: Finding;
}

/** The record of one kind over one horizon (ms). */
export interface KindScore extends ScoreWithFinding {
  readonly kind: string;
  readonly horizon: number;
  /** The predicted direction, if the alerts of the kind have one: it completes "the price had gone …". */
  readonly way?: Text;
  /**
   * The score of the alerts that the same detectors would have sent, found by a replay of the past; never mixed with
   * alerts that were posted.
   */
  readonly replayed?: ScoreWithFinding;
}

/** A kind whose alerts predict something about the price. */
export interface JudgedKind {
  readonly name: string;
  /** As in KindScore. */
  readonly way?: Text;
}

/** The outcomes of a replayed past, and the prices by which they are judged. */
export interface ReplayedPast {
  readonly outcomes: readonly Outcome[];
  readonly prices: ReadonlyMap<string, readonly HourlyPrice[]>;
}

export interface Records {
  /**
   * Returns the scores of all kinds, or of one, over every horizon. Without a symbol they are those of the last
   * refresh.
   */
  scores(of?: { readonly kind?: string; readonly symbol?: string }): Promise<readonly KindScore[]>;
  /**
   * Returns the fact about a kind for its alerts' cards, as of the last refresh; undefined for a kind that is not
   * judged.
   */
  factOf(kind: string): Fact | undefined;
  /** Computes everything again, with pauses: this may take some seconds, and nothing waits for it. */
  refresh(): Promise<void>;
  /** Whether another past was replayed since the last refresh. */
  outdated(): boolean;
  /** Whether the past is still being replayed for the first time. */
  replaying(): boolean;
}

/** The horizon of the record that an alert's card shows. */
const cardHorizon = day;

export function createRecords({
  outcomes,
  market,
  kinds,
  now,
  replayed = () => undefined,
  replaying = () => false,
}: {
  readonly outcomes: Pick<OutcomeLog, 'kinds' | 'posted' | 'prices'>;
  readonly market: string;
  readonly kinds: readonly JudgedKind[];
  /** Market time, ms. */
  readonly now: () => number;
  /** Returns the replayed past, the same object until it changes; undefined if there is none (yet). */
  readonly replayed?: () => ReplayedPast | undefined;
  /** As in Records. */
  readonly replaying?: () => boolean;
}): Records {
  let all: readonly KindScore[] = emptyTable(kinds);
  let facts: ReadonlyMap<string, Fact> = factsOf(all);
  const usual = usualOf((symbol) => outcomes.prices(market, { symbol, since: now() - recordKept }), now);
  let past: { readonly of: ReplayedPast; readonly usual: UsualOf } | undefined;
  /** The scores of the past that the last refresh saw. `past` may be newer: a symbol's scores were asked for since. */
  let pastScores: { readonly of: ReplayedPast; readonly table: readonly ScoreWithFinding[] } | undefined;

  function currentPast(): typeof past {
    const of = replayed();
    if (of === undefined) past = undefined;
    else if (past?.of !== of)
      past = {
        of,
        usual: usualOf(
          async (symbol) => of.prices.get(symbol) ?? [],
          () => 0,
        ),
      };
    return past;
  }

  /**
   * Scores the alerts of a hook, which belong to one place. They are judged as all others are, but separately, so that
   * no other record depends on what somebody sends to a hook.
   */
  async function ofHook(kind: string, symbol?: string): Promise<KindScore[]> {
    const rows = await outcomes.posted(market, { kind, ...(symbol !== undefined && { symbol }) });
    const directed = rows.some(({ claim }) => claim !== 'move');
    const own = [{ name: kind, ...(directed && { way: msg('the way the signal said') }) }];
    return joinScores(own, { posted: await tableOf(own, { rowsOf: () => rows, usual }), past: undefined });
  }

  return {
    async scores({ kind, symbol } = {}) {
      if (kind !== undefined && hookOfKind(kind) !== undefined) return ofHook(kind, symbol);
      const wanted = kinds.filter(({ name }) => kind === undefined || name === kind);
      if (symbol === undefined) return all.filter((each) => wanted.some(({ name }) => name === each.kind));
      // All kinds are computed, because what one of them must show depends on how many are tested.
      const rows = await outcomes.posted(market, { symbol });
      const posted = await tableOf(kinds, { rowsOf: (name) => ofKind(rows, name), usual });
      const before = currentPast();
      const pastRows = before?.of.outcomes.filter((row) => row.symbol === symbol) ?? [];
      const replayedTable =
        before && (await tableOf(kinds, { rowsOf: (name) => ofKind(pastRows, name), usual: before.usual }));
      return joinScores(kinds, { posted, past: replayedTable }).filter((each) =>
        wanted.some(({ name }) => name === each.kind),
      );
    },
    factOf: (kind) => facts.get(kind),
    outdated: () => replayed() !== pastScores?.of,
    replaying,
    async refresh() {
      const rows = new Map<string, readonly Outcome[]>();
      for (const { name } of kinds) rows.set(name, await outcomes.posted(market, { kind: name }));
      const posted = await tableOf(kinds, { rowsOf: (name) => rows.get(name) ?? [], usual });
      const before = currentPast();
      if (before === undefined) pastScores = undefined;
      else if (pastScores?.of !== before.of)
        pastScores = {
          of: before.of,
          table: await tableOf(kinds, {
            rowsOf: (name) => ofKind(before.of.outcomes, name),
            usual: before.usual,
          }),
        };
      all = joinScores(kinds, { posted, past: pastScores?.table });
      const hooks = (await outcomes.kinds(market)).filter((kind) => hookOfKind(kind) !== undefined);
      const brought: KindScore[] = [];
      for (const kind of hooks) brought.push(...(await ofHook(kind)));
      facts = factsOf([...all, ...brought]);
    },
  };
}

const ofKind = (rows: readonly Outcome[], kind: string) => rows.filter((row) => row.kind === kind);

/** Returns the usual moves of the symbols of these outcomes. */
type UsualOf = (
  rows: readonly Outcome[],
) => Promise<(symbol: string, horizon: number) => UsualMoves | undefined>;

/**
 * How long usual moves are cached, market ms: a few more hours hardly change the result of 90 days, and a symbol costs
 * 20 ms.
 */
const cachedFor = 6 * hour;

/**
 * Caches the usual moves of symbols for `cachedFor`; moves of a symbol of which too little is known are not cached. A
 * symbol takes 0.3 MB, so those that are not asked about any more are deleted.
 */
function usualOf(pricesOf: (symbol: string) => Promise<readonly HourlyPrice[]>, now: () => number): UsualOf {
  type MovesByHorizon = readonly (UsualMoves | undefined)[];
  const cached = new Map<string, { readonly at: number; readonly moves: MovesByHorizon }>();
  return async (rows) => {
    const at = now();
    for (const [symbol, { at: before }] of cached)
      if (Math.abs(at - before) >= cachedFor) cached.delete(symbol);
    // A later call may delete from the cache what this one returns.
    const known = new Map<string, MovesByHorizon>();
    for (const symbol of new Set(rows.map((row) => row.symbol))) {
      const current = cached.get(symbol);
      if (current !== undefined) {
        known.set(symbol, current.moves);
        continue;
      }
      const hours = hoursOf(await pricesOf(symbol));
      const features = hours.features();
      const moves: (UsualMoves | undefined)[] = [];
      for (const horizon of horizons) {
        moves.push(usualMoves(hours, { features, horizon }));
        await setImmediate();
      }
      known.set(symbol, moves);
      if (!moves.includes(undefined)) cached.set(symbol, { at, moves });
    }
    return (symbol, horizon) => known.get(symbol)?.[horizons.indexOf(horizon)];
  };
}

/** Computes the scores by kind, then by horizon. It pauses after each: thousands of outcomes take some 20 ms a horizon. */
async function tableOf(
  kinds: readonly JudgedKind[],
  { rowsOf, usual }: { readonly rowsOf: (kind: string) => readonly Outcome[]; readonly usual: UsualOf },
): Promise<ScoreWithFinding[]> {
  const scores: Score[] = [];
  for (const { name } of kinds) {
    const rows = rowsOf(name);
    const own = await usual(rows);
    for (const horizon of horizons) {
      scores.push(score(rows, { horizon, usual: own }));
      await setImmediate();
    }
  }
  const found = findings(scores.flatMap((each) => (each.found === undefined ? [] : [each.found.excess])));
  let next = 0;
  return scores.map((each) => {
    const finding = each.found === undefined ? undefined : found[next++];
    return { ...each, ...(finding !== undefined && { finding }) };
  });
}

const joinScores = (
  kinds: readonly JudgedKind[],
  {
    posted,
    past,
  }: { readonly posted: readonly ScoreWithFinding[]; readonly past: readonly ScoreWithFinding[] | undefined },
): KindScore[] =>
  kinds.flatMap(({ name: kind, way }, at) =>
    horizons.map((horizon, turn): KindScore => {
      const index = at * horizons.length + turn;
      const before = past?.[index];
      return {
        kind,
        horizon,
        ...(way !== undefined && { way }),
        ...(posted[index] ?? emptyScore),
        ...(before !== undefined && { replayed: before }),
      };
    }),
  );

const emptyScore: ScoreWithFinding = { sense: 'size', n: 0, days: 0, estimated: 0 };
const emptyTable = (kinds: readonly JudgedKind[]) => joinScores(kinds, { posted: [], past: undefined });

const factsOf = (scores: readonly KindScore[]) =>
  new Map(
    scores
      .filter(({ horizon, found }) => horizon === cardHorizon && found !== undefined)
      .map((each) => [each.kind, recordFact(each)]),
  );
