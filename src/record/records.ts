import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Fact } from '../alert/alert.ts';
import { horizons, type Outcome } from '../alert/outcome.ts';
import type { Text } from '../language/text.ts';
import { day } from '../runtime/units.ts';
import type { Store } from '../store/store.ts';
import { seeded } from './bootstrap.ts';
import { recordFact } from './record-fact.ts';
import { type Score, score } from './score.ts';
import { type Usual, usualMoves } from './usual.ts';

/** How long outcomes and hourly prices are kept, market ms: both alike, so that they are of the same days. */
export const recordKept = 90 * day;

/** The record of one kind over one horizon (ms). */
export interface KindScore extends Score {
  readonly kind: string;
  readonly horizon: number;
  /** Where its alerts say which way: ends "the price had gone …". */
  readonly way?: Text;
}

/** A kind whose alerts say something of the price. */
export interface JudgedKind {
  readonly name: string;
  /** As a score's. */
  readonly way?: Text;
}

export interface Records {
  /** Every kind over every horizon, or one kind. Without a symbol as of the last refresh. */
  scores(of?: { readonly kind?: string; readonly symbol?: string }): Promise<readonly KindScore[]>;
  /** What an alert's card says of its kind as of the last refresh; undefined for a kind that is not judged. */
  factOf(kind: string): Fact | undefined;
  /** Reckons everything anew, with pauses: it may take a second, and nothing waits for it. */
  refresh(): Promise<void>;
}

/** Over which an alert's card tells its kind's record. */
const told = day;

export function createRecords({
  outcomes,
  market,
  kinds,
  now,
}: {
  readonly outcomes: Pick<Store['outcomes'], 'posted' | 'prices'>;
  readonly market: string;
  readonly kinds: readonly JudgedKind[];
  /** Market time, ms. */
  readonly now: () => number;
}): Records {
  let all: readonly KindScore[] = kinds.flatMap((kind) =>
    horizons.map((horizon) => scoreOf(kind, horizon, [], () => undefined)),
  );
  let facts: ReadonlyMap<string, Fact> = factsOf(all);
  /** `symbol/horizon`, as of the last refresh and what was asked for since. */
  let usual = new Map<string, Usual | undefined>();

  async function usualOf(rows: readonly Outcome[], known: typeof usual) {
    for (const symbol of new Set(rows.map((row) => row.symbol))) {
      if (known.has(`${symbol}/${told}`)) continue;
      const prices = await outcomes.prices(market, symbol, now() - recordKept);
      for (const horizon of horizons) known.set(`${symbol}/${horizon}`, usualMoves(prices, horizon));
      await setImmediate();
    }
    return (symbol: string, horizon: number) => known.get(`${symbol}/${horizon}`);
  }

  return {
    async scores({ kind, symbol } = {}) {
      const wanted = kinds.filter(({ name }) => kind === undefined || name === kind);
      if (symbol === undefined) return all.filter((each) => wanted.some(({ name }) => name === each.kind));
      const rows = await outcomes.posted(market, { symbol, ...(kind !== undefined && { kind }) });
      const own = await usualOf(rows, usual);
      const scores: KindScore[] = [];
      for (const each of wanted) scores.push(...(await scoresOf(each, ofKind(rows, each.name), own)));
      return scores;
    },
    factOf: (kind) => facts.get(kind),
    async refresh() {
      const fresh: typeof usual = new Map();
      const next: KindScore[] = [];
      for (const kind of kinds) {
        const rows = await outcomes.posted(market, { kind: kind.name });
        next.push(...(await scoresOf(kind, rows, await usualOf(rows, fresh))));
      }
      usual = fresh;
      all = next;
      facts = factsOf(all);
    },
  };
}

const ofKind = (rows: readonly Outcome[], kind: string) => rows.filter((row) => row.kind === kind);

/** The same outcomes always give the same interval: the randomness is the kind's own. */
const scoreOf = (
  { name: kind, way }: JudgedKind,
  horizon: number,
  rows: readonly Outcome[],
  usual: (symbol: string, horizon: number) => Usual | undefined,
): KindScore => ({
  kind,
  horizon,
  ...(way !== undefined && { way }),
  ...score(
    rows,
    horizon,
    usual,
    seeded(createHash('sha256').update(`${kind}/${horizon}`).digest().readUInt32LE()),
  ),
});

/** With a pause after each: thousands of outcomes take some 20 ms a horizon. */
async function scoresOf(
  kind: JudgedKind,
  rows: readonly Outcome[],
  usual: Parameters<typeof scoreOf>[3],
): Promise<KindScore[]> {
  const scores: KindScore[] = [];
  for (const horizon of horizons) {
    scores.push(scoreOf(kind, horizon, rows, usual));
    await setImmediate();
  }
  return scores;
}

const factsOf = (scores: readonly KindScore[]) =>
  new Map(scores.filter(({ horizon }) => horizon === told).map((each) => [each.kind, recordFact(each)]));
