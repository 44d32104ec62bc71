import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { LostRole, type RoleWork } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import { endedRuleIds } from './entries.ts';
import { gatherEvidence } from './evidence.ts';
import type { KnownFacts } from './facts.ts';
import type { LiveRules } from './live.ts';
import { emptyRuleMemory, judgeRound, ruleMemory } from './round.ts';

interface JudgingOptions {
  readonly ruleIndex: LiveRules;
  /** Returns what the detector that reads the market for all rules has found. Undefined: nothing newer than `at`, market ms. */
  readonly readFacts: (
    at: number | undefined,
  ) => Promise<{ readonly facts: KnownFacts; readonly at: number } | undefined>;
  /** Returns the state that was stored last. */
  readonly readState: () => Promise<unknown>;
  /** Stores the state and the changes of alerts. */
  readonly storeState: (given: {
    readonly state: unknown;
    readonly changes: readonly Change[];
  }) => Promise<void>;
  /** Called with the ids of rules that fire only once and have fired. It is called again until they are gone from the index. */
  readonly endRules: (ids: readonly string[]) => Promise<void>;
  readonly data: DataClient;
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

/** Starts to judge people's own rules, from what was remembered of them last. */
export async function startJudging(options: JudgingOptions): Promise<Judging> {
  const { ruleIndex, readFacts, readState, storeState, endRules, data, universe, now, wall, log } = options;
  const stopping = new AbortController();
  // A state that cannot be read is from another version: the rules start afresh, without firing for what is true already.
  let judged = ruleMemory.safeParse(await readState()).data ?? emptyRuleMemory;
  /** The time of the facts that the rules were last judged by here, market ms. */
  let judgedAt: number | undefined;

  const turn = async () => {
    const latest = await readFacts(judgedAt);
    if (latest === undefined) return lookInterval;
    const { facts } = latest;
    // If judging fails, the rules are judged again once newer facts are known, and compared with what they were last judged by.
    judgedAt = latest.at;
    const rules = await ruleIndex();
    const endedIds = endedRuleIds(judged.entries, rules);
    if (endedIds.length > 0) await endRules(endedIds);
    const { signal } = stopping;
    const round = await judgeRound(rules, {
      judged,
      facts,
      tracked: universe(),
      now: now(),
      gatherEvidence: (subjects) => gatherEvidence(subjects, { data, now: now(), signal }),
    });
    if (round.changes.length === 0 && isDeepStrictEqual(round.judged, judged)) return lookInterval;
    await storeState({ state: round.judged, changes: round.changes });
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
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}
