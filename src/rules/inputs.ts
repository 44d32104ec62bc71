import { z } from 'zod';
import { knownFacts, learn } from './facts.ts';
import type { FeedName } from './feed.ts';
import { gather } from './gather.ts';
import { metricOf } from './metrics.ts';

/** What is known of the market as far as rules are about it, and when it was asked. */
export const ruleInputs = z.object({ facts: knownFacts, asked: z.record(z.string(), z.number()) });
export type RuleInputs = z.output<typeof ruleInputs>;

/** What rules need, by feed, and of which symbols. */
export type Needs = ReadonlyMap<FeedName, ReadonlySet<string>>;

/**
 * What is known once that was asked which is needed and may be newer. What is not needed any more is forgotten.
 * @param ask of the data service, where nothing else is said
 * @throws ApiError as gather
 */
export async function lookAround(
  known: RuleInputs | undefined,
  {
    needs,
    ask = gather,
    ...asking
  }: { readonly needs: Needs; readonly ask?: typeof gather } & Omit<Parameters<typeof gather>[1], 'asked'>,
): Promise<RuleInputs> {
  const { readings, asked } = await ask(needs, { ...asking, asked: known?.asked ?? {} });
  const facts = learn(known?.facts ?? {}, {
    readings,
    now: asking.now,
    useful: ({ metric, symbol }) => {
      const symbols = needs.get(metricOf(metric).feed);
      return metricOf(metric).about === 'market'
        ? symbols !== undefined
        : symbols?.has(symbol ?? '') === true;
    },
  });
  return { facts, asked: { ...asked } };
}
