import { z } from 'zod';
import { type KnownFacts, knownFacts, updateFacts } from './facts.ts';
import type { FeedName } from './feed-names.ts';
import { gather } from './gather.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** The facts that rules need, and when each question was last asked. */
export const ruleInputs = z.object({ facts: knownFacts, asked: z.record(z.string(), z.number()) });
type RuleInputs = z.output<typeof ruleInputs>;

/** The feeds that rules need, each with the symbols that it is needed for. */
export type Needs = ReadonlyMap<FeedName, ReadonlySet<string>>;

/** The needs by which facts were chosen: most rounds have the same, and all facts of the last one are still needed. */
const neededBy = new WeakMap<KnownFacts, Needs>();

/**
 * Asks for the data that is needed and may be newer, and returns what is then known. Facts that are no longer needed
 * are forgotten.
 * @param metrics those that are kept of the feeds' metrics; left out: all
 * @param ask gets the readings; left out: `gather`, which asks the data service
 * @throws ApiError as `gather` does
 */
export async function refreshInputs(
  known: RuleInputs | undefined,
  {
    needs,
    metrics,
    ask = gather,
    ...asking
  }: {
    readonly needs: Needs;
    readonly metrics?: ReadonlySet<MetricName>;
    readonly ask?: typeof gather | undefined;
  } & Omit<Parameters<typeof gather>[1], 'asked' | 'metrics'>,
): Promise<RuleInputs> {
  const { readings, asked } = await ask(needs, { ...asking, metrics, asked: known?.asked ?? {} });
  const before = known?.facts ?? {};
  const facts = updateFacts(before, {
    readings,
    now: asking.now,
    areUseful: neededBy.get(before) === needs,
    isUseful: ({ metric, symbol }) => {
      if (metrics?.has(metric) === false) return false;
      const { feed, about } = metricOf(metric);
      const symbols = needs.get(feed);
      return about === 'market' ? symbols !== undefined : symbols?.has(symbol ?? '') === true;
    },
  });
  neededBy.set(facts, needs);
  return { facts, asked };
}
