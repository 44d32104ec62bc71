import type { Logger } from 'pino';
import { ownRule } from '../alert/rule.ts';
import type { Client } from '../client/create-client.ts';
import type { LivePrices } from '../client/live-prices.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { isPosition, type PositionRule } from '../places/positions.ts';
import { factsDetector, ruleGroupWait } from '../rules/detector.ts';
import { ruleInputs } from '../rules/inputs.ts';
import { type Judging, startJudging } from '../rules/keep-judging.ts';
import { liveRules } from '../rules/live.ts';
import type { WallClock } from '../runtime/clock.ts';
import { keepRole, type RoleOptions, type RoleWork } from '../runtime/role.ts';
import type { Store } from '../store/ports.ts';

interface OwnRulesOptions {
  /** False: this process judges no rules. */
  readonly watch: boolean;
  readonly store: Pick<Store, 'rules' | 'detectors'>;
  readonly data: Client['polls'];
  /** The prices that are streamed. Left out: none are. */
  readonly live?: LivePrices;
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

/** Of rules about all markets, or the largest, none is named. */
const noMarkets: readonly string[] = [];

/** The role of the process that judges the rules, and the name under which it stores their state. */
const judgingRole = 'rules';

/**
 * Opens people's own rules. The process with the role `watch` gathers the data that the rules need, and the one with the role
 * `rules` judges them.
 */
export function openOwnRules({ watch, store, data, live, universe, now, wall, log }: OwnRulesOptions) {
  const ruleIndex = liveRules(store.rules);
  let judging: Judging | undefined;
  return {
    roles: watch ? [judgingRole] : [],
    detector: factsDetector(async (at) => {
      const rules = await ruleIndex();
      rules.expire(at);
      return rules.needs(universe());
    }),
    /** Returns the markets that rules name. */
    async named(): Promise<readonly string[]> {
      return [...(await ruleIndex()).needs(noMarkets).values()].flatMap((symbols) => [...symbols]);
    },
    /** Returns the positions that are held now. */
    async positions(): Promise<readonly PositionRule[]> {
      const rules = await ruleIndex();
      rules.expire(now());
      return rules.positions().filter(isPosition);
    },
    /** Has the rules judged soon, because new facts are known. */
    wake: () => judging?.wake(),
    /** Judges the rules while this process has the role. */
    async start(pipeline: Pick<Pipeline, 'dispatch'>, options: RoleOptions): Promise<RoleWork> {
      if (!watch) return { stop: async () => {} };
      return keepRole(judgingRole, options, async ({ lease }) => {
        judging = await startJudging({
          ruleIndex,
          async readFacts(before) {
            const row = await store.detectors.since(ownRule, before);
            const parsed = ruleInputs.safeParse(row?.state);
            return row === undefined || !parsed.success
              ? undefined
              : { facts: parsed.data.facts, at: row.at };
          },
          readState: () => store.detectors.state(judgingRole),
          storeState: (given) =>
            pipeline.dispatch({ name: judgingRole, groupWait: ruleGroupWait }, { ...given, watching: lease }),
          endRules: store.rules.end,
          data,
          ...(live !== undefined && { live }),
          universe,
          now,
          wall,
          log,
        });
        return judging;
      });
    },
  };
}

export type OwnRules = ReturnType<typeof openOwnRules>;
