import type { Logger } from 'pino';
import { ownRule } from '../alert/rule.ts';
import type { Client } from '../client/create-client.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { factsDetector, ruleGroupWait } from '../rules/detector.ts';
import { ruleInputs } from '../rules/inputs.ts';
import { startJudging } from '../rules/judging.ts';
import { liveRules } from '../rules/live.ts';
import { needsOf } from '../rules/rule-index.ts';
import { divide, shardPrefix, shardRole } from '../rules/shards.ts';
import type { WallClock } from '../runtime/clock.ts';
import { divideRoles } from '../runtime/divide-roles.ts';
import { keepRole, type Leases, type RoleOptions } from '../runtime/role.ts';
import type { Store } from '../store/ports.ts';

interface OwnRulesOptions {
  /** False: this process judges no rules. */
  readonly watch: boolean;
  readonly store: Pick<Store, 'rules' | 'detectors' | 'leases' | 'requests'>;
  readonly data: Client['polls'];
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

/**
 * The number of shards, and so the most processes that can share the rules of a database. Judging 100,000 rules takes one
 * core less than a second per minute; each shard costs a renewal of its lease every other second.
 */
const maxShards = 4;

/**
 * Opens people's own rules. The process with the role `watch` gathers the data that the rules need; the rules are judged in
 * shards, which all processes divide among themselves.
 */
export function openOwnRules({ watch, store, data, universe, now, wall, log }: OwnRulesOptions) {
  // A SQLite file belongs to one process.
  const shardCount = store.requests.shared ? maxShards : 1;
  const shards = Array.from({ length: watch ? shardCount : 0 }, (_, shard) => shard);
  const ruleIndexes = liveRules(store.rules, shardCount);
  const roles = shards.map(shardRole);
  let judging: ReturnType<typeof startJudging> | undefined;
  return {
    roles,
    detector: factsDetector(async (at) => {
      const all = await ruleIndexes(shards);
      for (const ruleIndex of all) ruleIndex.expire(at);
      return needsOf(all, universe());
    }),
    /** Has the rules judged soon, because new facts are known. */
    wake: () => judging?.wake(),
    /** Starts to judge the rules of the shards whose roles this process gets. */
    async start(
      pipeline: Pick<Pipeline, 'dispatch'>,
      options: RoleOptions,
    ): Promise<{ stop(): Promise<void> }> {
      const started = startJudging({
        shardCount,
        ruleIndexes,
        async readFacts(before) {
          const row = await store.detectors.since(ownRule, before);
          const parsed = ruleInputs.safeParse(row?.state);
          return row === undefined || !parsed.success ? undefined : { facts: parsed.data.facts, at: row.at };
        },
        readState: store.detectors.state,
        storeState: (lease, { state, changes }) =>
          pipeline.dispatch(
            { name: lease.role, groupWait: ruleGroupWait },
            { state, changes, watching: lease },
          ),
        endRules: store.rules.end,
        data,
        universe,
        now,
        wall,
        log,
      });
      judging = started;
      const keptRoles: { stop(): Promise<void> }[] = [];
      const leases = divideBeforeTaking(divideRoles(store.leases, roles), () =>
        store.detectors.remake(shardPrefix, (storedShards) => divide(storedShards, shardCount)),
      );
      for (const shard of shards)
        keptRoles.push(
          await keepRole(shardRole(shard), {
            ...options,
            leases,
            shared: true,
            start: ({ lease }) => started.hold(shard, lease),
          }),
        );
      return {
        async stop() {
          await Promise.all(keptRoles.map((part) => part.stop()));
          await started.stop();
        },
      };
    },
  };
}

/** Divides the stored state into shards before the first role is taken. If that fails, it is retried with the next attempt. */
function divideBeforeTaking(leases: Leases, divide: () => Promise<void>): Leases {
  let division: Promise<void> | undefined;
  return {
    ...leases,
    async take(role, given) {
      division ??= divide();
      await division.catch((error: unknown) => {
        division = undefined;
        throw error;
      });
      return leases.take(role, given);
    },
  };
}

export type OwnRules = ReturnType<typeof openOwnRules>;
