import type { Logger } from 'pino';
import { z } from 'zod';
import type { Change, Labels } from '../alert/alert.ts';
import { ownRule } from '../alert/rule.ts';
import { askEach } from '../client/ask-each.ts';
import type { Client } from '../client/create-client.ts';
import type { LivePrices } from '../client/live-prices.ts';
import { type Detector, defineDetector } from '../detectors/detector.ts';
import { marketName, percent, share, time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import {
  fundingCost,
  fundingLimitOf,
  isPosition,
  type PositionRule,
  positionText,
} from '../places/positions.ts';
import { ruleInputs } from '../rules/inputs.ts';
import { type Judging, startJudging } from '../rules/keep-judging.ts';
import { liveRules } from '../rules/live.ts';
import { factsDetector, ruleGroupWait } from '../rules/rules-detector.ts';
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
    async named(): Promise<readonly string[]> {
      return [...(await ruleIndex()).needs(noMarkets).values()].flatMap((symbols) => [...symbols]);
    },
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
          live,
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

/** The most settlements that the service returns. */
const maxSettlements = 1_000;

/** An alert ends below this share of its level, so that it does not flap. */
const endShare = 0.9;

const fundingName = 'position-funding';

const paidState = z.record(
  z.string(),
  z.object({
    symbol: z.string(),
    /** Sum of the rates since the position was noted, up to the settlement `until`, market ms. */
    rates: z.number(),
    until: z.number(),
    firing: z.boolean(),
  }),
);

interface Settled {
  readonly positions: readonly PositionRule[];
  readonly settlements: ReadonlyMap<string, readonly { readonly at: number; readonly rate: number }[]>;
}

/**
 * Alerts when funding has cost a position, since it was noted, more than its share of the margin, and ends that when it is paid back,
 * or the position is no longer watched.
 */
export const createPositionFunding = (
  positions: () => Promise<readonly PositionRule[]>,
): Detector<z.ZodObject, typeof paidState, Settled> =>
  defineDetector({
    name: fundingName,
    description: fundingName,
    preset: 'quiet',
    // Settlements come on the hour, and are published within minutes.
    schedule: '40 7,22 * * * *',
    prediction: null,
    options: z.object({}),
    state: paidState,
    async observe({ data, signal }) {
      const held = await positions();
      const symbols = [...new Set(held.map(symbolOf))];
      const settlements = await askEach(symbols, async (symbol) => {
        const { data: rows } = await data.fundingHistory({ symbol, limit: maxSettlements }, signal);
        return rows.map(({ timestamp, rate }) => ({ at: Date.parse(timestamp), rate: Number(rate) }));
      });
      return { positions: held, settlements };
    },
    step(before = {}, { positions, settlements }, { now }) {
      const changes: Change[] = [];
      const after = Object.fromEntries(
        positions.map((rule) => {
          const symbol = symbolOf(rule);
          const last = before[rule.id] ?? { rates: 0, until: rule.createdAt, firing: false };
          const more = (settlements.get(symbol) ?? []).filter(({ at }) => at > last.until && at <= now);
          const rates = more.reduce((sum, { rate }) => sum + rate, last.rates);
          const until = more.at(-1)?.at ?? last.until;
          const cost = fundingCost(rule.position, rates);
          const firing = cost >= fundingLimitOf(rule.position) * (last.firing ? endShare : 1);
          if (firing !== last.firing) changes.push(costChange(rule, { firing, cost, until }));
          return [rule.id, { symbol, rates, until, firing }];
        }),
      );
      for (const [id, { firing, symbol }] of Object.entries(before))
        if (firing && after[id] === undefined) changes.push(endOf(id, { symbol, now }));
      return { state: after, changes };
    },
  });

const symbolOf = ({ symbols: [symbol = ''] }: PositionRule): string => symbol;

const labelsOf = (rule: string, symbol: string): Labels => ({
  kind: ownRule,
  rule,
  symbol,
  about: 'funding',
});

function costChange(
  rule: PositionRule,
  { firing, cost, until }: { readonly firing: boolean; readonly cost: number; readonly until: number },
): Change {
  const symbol = symbolOf(rule);
  const values = { market: marketName(symbol), share: share(fundingLimitOf(rule.position) / 100, 1) };
  const title: Text = firing
    ? msg('{market}: funding has cost {share} of the margin', values)
    : msg('{market}: funding has cost less than {share} of the margin again', values);
  return {
    status: firing ? 'firing' : 'resolved',
    labels: labelsOf(rule.id, symbol),
    severity: 'warning',
    only: rule.receiver,
    burst: null,
    annotations: {
      title,
      summary: positionText(rule.position, symbol),
      facts: [
        { name: msg('Funding since then'), value: percent(-cost, 2) },
        { name: msg('As of'), value: time(until) },
      ],
      dataTime: until,
    },
  };
}

const endOf = (id: string, { symbol, now }: { readonly symbol: string; readonly now: number }): Change => ({
  status: 'resolved',
  labels: labelsOf(id, symbol),
  severity: 'warning',
  burst: null,
  annotations: {
    title: msg('{symbol}: your alert has ended', { symbol: marketName(symbol) }),
    summary: msg('It was deleted, paused, changed or has expired, so it is no longer watched.'),
    unknown: true,
    facts: [],
    dataTime: now,
  },
});
