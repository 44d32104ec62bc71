import { z } from 'zod';
import { type KnownFacts, knownFacts, updateFacts } from './facts.ts';
import { type Asking, gather, type Needs } from './gather.ts';
import { metricOf } from './metrics.ts';

/** The facts that rules need, and when each question was last asked. */
export const ruleInputs = z.object({ facts: knownFacts, asked: z.record(z.string(), z.number()) });
type RuleInputs = z.output<typeof ruleInputs>;

/** The needs by which facts were chosen: most rounds have the same, and all facts of the last one are still needed. */
const neededBy = new WeakMap<KnownFacts, Needs>();

interface Refreshing extends Omit<Asking, 'asked'> {
  readonly needs: Needs;
  /** Gets the readings. Left out: `gather`, which asks the data service. */
  readonly ask?: typeof gather | undefined;
}

/**
 * Asks for the data that is needed and may be newer, and returns what is then known. Facts that are no longer needed
 * are forgotten, and so are metrics that are not among `metrics`.
 * @throws ApiError as `gather` does
 */
export async function refreshInputs(
  known: RuleInputs | undefined,
  { needs, ask = gather, ...asking }: Refreshing,
): Promise<RuleInputs> {
  const { readings, asked } = await ask(needs, { ...asking, asked: known?.asked ?? {} });
  const before = known?.facts ?? {};
  const facts = updateFacts(before, {
    readings,
    now: asking.now,
    areUseful: neededBy.get(before) === needs,
    isUseful: ({ metric, symbol }) => {
      if (asking.metrics?.has(metric) === false) return false;
      const { feed, about } = metricOf(metric);
      const symbols = needs.get(feed);
      return about === 'market' ? symbols !== undefined : symbols?.has(symbol ?? '') === true;
    },
  });
  neededBy.set(facts, needs);
  return { facts, asked };
}
