import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { LivePrices } from '../client/live-prices.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { LostRole, type RoleWork } from '../runtime/role.ts';
import { minute, second } from '../runtime/units.ts';
import { endedRuleIds } from './entries.ts';
import { gatherEvidence, noEvidence } from './evidence.ts';
import { liveReading } from './extension-feeds.ts';
import { type KnownFacts, maxClockSkew, updateFacts } from './facts.ts';
import type { LiveRules } from './live.ts';
import { emptyRuleMemory, judgeRound, ruleMemory } from './round.ts';
import type { RuleIndex } from './rule-index.ts';

interface JudgingOptions {
  readonly ruleIndex: LiveRules;
  /** Returns what the detector that reads the market for all rules has found. Undefined: nothing newer than `at`, market ms. */
  readonly readFacts: (
    at: number | undefined,
  ) => Promise<{ readonly facts: KnownFacts; readonly at: number } | undefined>;
  readonly readState: () => Promise<unknown>;
  readonly storeState: (given: {
    readonly state: unknown;
    readonly changes: readonly Change[];
  }) => Promise<void>;
  /** Called with the ids of rules that fire only once and have fired. It is called again until they are gone from the index. */
  readonly endRules: (ids: readonly string[]) => Promise<void>;
  readonly data: DataClient;
  /** The prices that are streamed. Left out: none are. */
  readonly live?: LivePrices | undefined;
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

export interface Judging extends RoleWork {
  /** Judges at once if there are new facts. */
  wake(): void;
}

/** The time between two looks for new facts, wall ms. */
const lookInterval = second;
/**
 * The longest time for which prices that made no difference are not stored, wall ms. After a restart, a rule is judged by the
 * prices that were stored last: whatever began or ended an alert is stored with it.
 */
const storeInterval = minute;
/** How long alerts wait for what is shown beside them, wall ms. */
const evidencePatience = second / 2;

/** Starts to judge people's own rules, from what was remembered of them last. */
export async function startJudging(options: JudgingOptions): Promise<Judging> {
  const { ruleIndex, readFacts, readState, storeState, endRules, data, live, universe, now, wall, log } =
    options;
  const stopping = new AbortController();
  // A state that cannot be read is from another version: the rules start afresh, without firing for what is true already.
  let judged = ruleMemory.safeParse(await readState()).data ?? emptyRuleMemory;
  /** The time of the facts that the rules were last judged by here, market ms. */
  let judgedAt: number | undefined;

  /** The facts that were read last, and the time of the streamed prices that the rules were last judged by, market ms. */
  let known: KnownFacts = {};
  let livedAt: number | undefined;
  let storedAt = Number.NEGATIVE_INFINITY;

  const turn = async () => {
    const latest = await readFacts(judgedAt);
    const rules = await ruleIndex();
    const streamed = live?.now(pricedBy(rules, universe()));
    const isStreamNew = streamed !== undefined && streamed.at !== livedAt;
    if (latest === undefined && !isStreamNew) return lookInterval;
    // If judging fails, the rules are judged again once newer facts are known, and compared with what they were last judged by.
    if (latest !== undefined) ({ facts: known, at: judgedAt } = latest);
    livedAt = streamed?.at;
    const endedIds = endedRuleIds(judged.entries, rules);
    if (endedIds.length > 0) await endRules(endedIds);
    const { signal } = stopping;
    const at = now();
    const facts = withLivePrices(newerOf(judged.facts, known, at), {
      streamed,
      rules,
      tracked: universe(),
      now: at,
    });
    const round = await judgeRound(rules, {
      judged,
      facts,
      tracked: universe(),
      now: at,
      gatherEvidence: (subjects) =>
        Promise.race([
          gatherEvidence(subjects, { data, now: at, signal }),
          wall.sleep(evidencePatience, signal).then(
            () => noEvidence,
            () => noEvidence,
          ),
        ]),
    });
    const isSame = round.changes.length === 0 && isDeepStrictEqual(round.judged.entries, judged.entries);
    const isStored = isDeepStrictEqual(round.judged.facts, judged.facts);
    const isRecent = latest === undefined && Math.abs(wall.now() - storedAt) < storeInterval;
    if (!isSame || !(isStored || isRecent)) {
      await storeState({ state: round.judged, changes: round.changes });
      storedAt = wall.now();
    }
    judged = round.judged;
    return lookInterval;
  };
  const loop = startLoop(turn, {
    wall,
    onError(error) {
      if (stopping.signal.aborted || error instanceof LostRole) return;
      log.error({ err: error }, 'could not check own alerts; retrying');
    },
  });
  const unsubscribe = live?.onChange(loop.wake);
  return {
    wake: loop.wake,
    async stop() {
      unsubscribe?.();
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}

/** Returns the facts without any that is older than what the rules were judged by: a price must not go back when its stream ends. */
function newerOf(judged: KnownFacts, known: KnownFacts, now: number): KnownFacts {
  const newer = Object.entries(judged).filter(([key, { time }]) => {
    const fact = known[key];
    return fact !== undefined && fact.time < time && time <= now + maxClockSkew;
  });
  return newer.length === 0 ? known : { ...known, ...Object.fromEntries(newer) };
}

/** Returns the markets whose prices the rules need. */
function pricedBy(rules: RuleIndex, tracked: readonly string[]): ReadonlySet<string> {
  const needs = rules.needs(tracked);
  return new Set([...(needs.get('overview') ?? []), ...(needs.get('prices') ?? [])]);
}

/** Returns the facts with the streamed prices that rules need. */
function withLivePrices(
  facts: KnownFacts,
  given: {
    readonly streamed: ReturnType<LivePrices['now']>;
    readonly rules: RuleIndex;
    readonly tracked: readonly string[];
    readonly now: number;
  },
): KnownFacts {
  const { streamed, rules, tracked, now } = given;
  if (streamed === undefined) return facts;
  const metrics = rules.metrics();
  const readings = [...pricedBy(rules, tracked)].flatMap((symbol) => {
    const price = streamed.prices.get(symbol);
    // What has not changed is known to hold up to the last event.
    return price === undefined ? [] : [liveReading({ ...price, time: Math.max(price.time, streamed.at) })];
  });
  return updateFacts(facts, {
    readings,
    now,
    areUseful: true,
    areConfirmed: true,
    isUseful: ({ metric }) => metrics.has(metric),
  });
}
