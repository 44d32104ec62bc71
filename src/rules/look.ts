import type { Rule } from '../alert/rule.ts';
import { expandGroups } from '../alert/symbols.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { Text } from '../language/text.ts';
import { compile } from './compile.ts';
import { factKey, type KnownFacts, updateFacts, viewsOf } from './facts.ts';
import { gather } from './gather.ts';
import { metricOf } from './metrics.ts';
import { ruleIndexOf } from './rule-index.ts';
import { valueWords } from './words.ts';

/**
 * Whether a rule's condition holds for a symbol (undefined: the whole market), and the values that it names. `holds`
 * undefined: not known.
 */
export interface Standing {
  readonly symbol: string | undefined;
  readonly holds: boolean | undefined;
  readonly values: readonly { readonly name: Text; readonly value: Text }[];
}

/** The most requests about single symbols in one look. */
const maxRequests = 6;

interface Looking {
  readonly data: DataClient;
  readonly universe: readonly string[];
  /** The symbols that the rule's place follows. */
  readonly followed: readonly string[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Returns how a rule stands by the present data.
 *
 * @throws UserError where the rule cannot be read
 * @throws ApiError where no data came
 */
export async function look(
  rule: Rule,
  { data, universe, followed, now, signal }: Looking,
): Promise<Standing[]> {
  const symbols = expandGroups(rule.symbols, universe, followed);
  const compiled = compile({ ...rule, symbols });
  const needs = ruleIndexOf([{ ...rule, symbols, paused: false }]).needs(universe);
  const { readings } = await gather(needs, { data, asked: {}, requests: maxRequests, now, signal });
  const facts = updateFacts({}, { readings, now, isUseful: () => true });
  const view = viewsOf(facts, now);
  const about = compiled.about === 'market' ? [undefined] : symbols.includes('*') ? universe : symbols;
  return about.map((symbol) => ({
    symbol,
    holds: compiled.condition.test(view(symbol)),
    values: valuesOf(compiled, symbol, facts),
  }));
}

const valuesOf = (
  { metrics, levels }: ReturnType<typeof compile>,
  symbol: string | undefined,
  facts: KnownFacts,
): Standing['values'] =>
  metrics.flatMap((metric) => {
    const fact = facts[factKey(metric, symbol)];
    return fact === undefined
      ? []
      : [
          {
            name: metricOf(metric).words,
            value: valueWords({ metric, value: fact.value }, levels.get(metric) ?? []),
          },
        ];
  });
