import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { type Lease, LostRole, type RoleWork } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import { endedRuleIds } from './entries.ts';
import { gatherEvidence } from './evidence.ts';
import type { KnownFacts } from './facts.ts';
import type { LiveRules } from './live.ts';
import { judgeRound } from './round.ts';
import { emptyRuleMemory, type RuleMemory, shardRole, shardState } from './shards.ts';

interface JudgingOptions {
  /** How many shards there are in all. */
  readonly shardCount: number;
  readonly ruleIndexes: LiveRules;
  /** Returns what the detector that reads the market for all rules has found. Undefined: nothing newer than `at`, market ms. */
  readonly readFacts: (
    at: number | undefined,
  ) => Promise<{ readonly facts: KnownFacts; readonly at: number } | undefined>;
  /** Returns the state that is stored under a shard's role. */
  readonly readState: (role: string) => Promise<unknown>;
  /** Stores a shard's state, and the changes of its alerts, under the shard's lease. */
  readonly storeState: (
    lease: Lease,
    given: { readonly state: unknown; readonly changes: readonly Change[] },
  ) => Promise<void>;
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

export interface Judging {
  /**
   * Makes this process judge the rules of a shard.
   *
   * @throws Error where other processes divide the rules into another number of shards
   */
  hold(shard: number, lease: Lease): Promise<RoleWork>;
  /** Judges at once if there are new facts. */
  wake(): void;
  stop(): Promise<void>;
}

interface Held {
  readonly shard: number;
  readonly lease: Lease;
  judged: RuleMemory;
  /** The time of the facts that the shard was last judged by, market ms. Undefined: this process has not judged it yet. */
  at: number | undefined;
}

/** The time between two looks for new facts, wall ms. */
const lookInterval = second;

/**
 * Starts to judge people's own rules: those of the shards that this process holds. All are judged in one round, so that
 * the cost of a round is spent once. The outcome is stored shard by shard, each under its own lease.
 */
export function startJudging(options: JudgingOptions): Judging {
  const {
    shardCount,
    ruleIndexes,
    readFacts,
    readState,
    storeState,
    endRules,
    data,
    universe,
    now,
    wall,
    log,
  } = options;
  const stopping = new AbortController();
  const held = new Map<number, Held>();
  let latest: { readonly facts: KnownFacts; readonly at: number } | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  async function round({ facts, at }: NonNullable<typeof latest>, due: readonly Held[]): Promise<void> {
    // The shards are marked before they are judged. If judging fails, they are judged again once newer facts are known,
    // and compared with the facts that they were last judged by.
    for (const each of due) each.at = at;
    const indexes = await ruleIndexes(due.map(({ shard }) => shard));
    const shares = due.flatMap((each, index) => {
      const ruleIndex = indexes[index];
      return ruleIndex === undefined ? [] : [{ ruleIndex, judged: each.judged, held: each }];
    });
    const endedIds = shares.flatMap(({ ruleIndex, judged }) => endedRuleIds(judged.entries, ruleIndex));
    if (endedIds.length > 0) await endRules(endedIds);
    const { signal } = stopping;
    const rounds = await judgeRound(shares, {
      facts,
      tracked: universe(),
      now: now(),
      gatherEvidence: (subjects) => gatherEvidence(subjects, { data, now: now(), signal }),
    });
    for (const [index, { judged, changes }] of rounds.entries()) {
      const share = shares[index];
      if (share === undefined || (changes.length === 0 && isDeepStrictEqual(judged, share.judged))) continue;
      try {
        await storeState(share.held.lease, { state: { of: shardCount, ...judged }, changes });
        share.held.judged = judged;
      } catch (error) {
        if (!(error instanceof LostRole)) logFailure(error);
      }
    }
  }

  const logFailure = (error: unknown) => {
    if (!stopping.signal.aborted) log.error({ err: error }, 'could not check own alerts; retrying');
  };
  const loop = startLoop(
    async () => {
      if (held.size === 0) return Number.POSITIVE_INFINITY;
      latest = (await readFacts(latest?.at)) ?? latest;
      const due = [...held.values()].filter(({ at }) => at !== latest?.at);
      if (latest !== undefined && due.length > 0) {
        underWay = round(latest, due);
        await underWay;
      }
      return lookInterval;
    },
    { wall, onError: logFailure },
  );

  return {
    async hold(shard, lease) {
      // What a shard remembers is deleted with the alerts of a market that the database is bound to no more.
      const stored = (await readState(shardRole(shard))) ?? { of: shardCount, ...emptyRuleMemory };
      const { of: storedCount, ...judged } = shardState.parse(stored);
      if (storedCount !== shardCount)
        throw new Error(`own alerts are divided by ${storedCount}, and by ${shardCount} here: end one`);
      const mine: Held = { shard, lease, judged, at: undefined };
      held.set(shard, mine);
      // The facts that are known here may be of the market before, and are read again.
      latest = undefined;
      loop.wake();
      return {
        async stop() {
          if (held.get(shard) === mine) held.delete(shard);
          await underWay.catch(() => {});
        },
      };
    },
    wake: loop.wake,
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}
