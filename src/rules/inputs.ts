import { z } from 'zod';
import { knownFacts, updateFacts } from './facts.ts';
import type { FeedName } from './feed.ts';
import { gather } from './gather.ts';
import { metricOf } from './metrics.ts';

/** The facts that rules need, and when each question was last asked. */
export const ruleInputs = z.object({ facts: knownFacts, asked: z.record(z.string(), z.number()) });
export type RuleInputs = z.output<typeof ruleInputs>;

/** The feeds that rules need, each with the symbols that it is needed for. */
export type Needs = ReadonlyMap<FeedName, ReadonlySet<string>>;

/**
 * Asks for the data that is needed and may be newer, and returns what is then known. Facts that are no longer needed
 * are forgotten.
 * @param ask gets the readings; left out: `gather`, which asks the data service
 * @throws ApiError as `gather` does
 */
export async function refreshInputs(
  known: RuleInputs | undefined,
  {
    needs,
    ask = gather,
    ...asking
  }: { readonly needs: Needs; readonly ask?: typeof gather } & Omit<Parameters<typeof gather>[1], 'asked'>,
): Promise<RuleInputs> {
  const { readings, asked } = await ask(needs, { ...asking, asked: known?.asked ?? {} });
  const facts = updateFacts(known?.facts ?? {}, {
    readings,
    now: asking.now,
    isUseful: ({ metric, symbol }) => {
      const symbols = needs.get(metricOf(metric).feed);
      return metricOf(metric).about === 'market'
        ? symbols !== undefined
        : symbols?.has(symbol ?? '') === true;
    },
  });
  return { facts, asked: { ...asked } };
}
