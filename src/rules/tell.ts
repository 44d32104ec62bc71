import type { Annotations, Change } from '../alert/alert.ts';
import { ownRule, type Rule, ruleName } from '../alert/rule.ts';
import { marketName, span, time } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import type { Pair } from './book.ts';
import { excessOf } from './excess.ts';
import { factKey, type KnownFacts } from './facts.ts';
import { metricOf } from './metrics.ts';

/** A rule's condition became true; or it is over, after `lasted` ms. */
export function told(
  { compiled, symbol }: Pair,
  facts: KnownFacts,
  { now, lasted }: { readonly now: number; readonly lasted?: number },
): Change {
  const { rule, condition, clear, metrics } = compiled;
  const known = metrics.flatMap((metric) => {
    const fact = facts[factKey(metric, symbol)];
    return fact === undefined ? [] : [{ metric, ...fact }];
  });
  const values = known.map(({ metric, value }) => ({ name: metric, value: metricOf(metric).show(value) }));
  // As old as the oldest of them.
  const dataTime = known.length === 0 ? now : Math.min(...known.map((fact) => fact.time));
  const excess = excessOf(condition, (metric) => facts[factKey(metric, symbol)]?.value);
  const name = ruleName(rule);
  const row = join(
    values.map((each) => join([each.name, each.value], ' ')),
    ', ',
  );
  return change(lasted === undefined ? 'firing' : 'resolved', rule, symbol, {
    title: symbol === undefined ? name : msg('{symbol}: {name}', { symbol: marketName(symbol), name }),
    summary: summary(rule, lasted),
    facts: [
      ...values,
      ...(lasted === undefined ? [{ name: msg('Clears when'), value: clear().text }] : []),
      { name: msg('As of'), value: time(dataTime) },
      { name: msg('Rule'), value: rule.id },
    ],
    ...(excess !== undefined && { prominence: excess }),
    ...(symbol !== undefined && {
      inGroup: { name, row: msg('{symbol}: {name}', { symbol: marketName(symbol), name: row }) },
    }),
    dataTime,
  });
}

function summary({ condition, hold }: Rule, lasted: number | undefined): Text {
  if (lasted !== undefined)
    return msg('Over after {length}: {condition}.', { length: span(lasted), condition });
  return hold > 0
    ? msg('Your own alert: {condition}, for {hold}.', { condition, hold: span(hold) })
    : msg('Your own alert: {condition}.', { condition });
}

/** Its rule is no more, or paused, while it fires: whether it is over is not known, and nobody looks any more. */
export const endedUnseen = (
  rule: Pick<Rule, 'id' | 'receiver' | 'severity'>,
  symbol: string | undefined,
  now: number,
): Change =>
  change('resolved', rule, symbol, {
    title:
      symbol === undefined
        ? msg('Your alert has ended')
        : msg('{symbol}: your alert has ended', { symbol: marketName(symbol) }),
    summary: msg('It was deleted, paused, changed or has expired, so it is no longer watched.'),
    facts: [{ name: msg('Rule'), value: rule.id }],
    dataTime: now,
  });

const change = (
  status: Change['status'],
  { id, receiver, severity }: Pick<Rule, 'id' | 'receiver' | 'severity'>,
  symbol: string | undefined,
  annotations: Annotations,
): Change => ({
  status,
  labels: { kind: ownRule, rule: id, ...(symbol !== undefined && { symbol }) },
  severity,
  only: receiver,
  annotations,
});

/** What one rule begins to tell of several symbols in one round is one post; of one symbol it is told at once. */
export function inBursts(changes: readonly Change[], now: number): readonly Change[] {
  const rounds = new Map<string | undefined, number>();
  for (const { status, labels } of changes)
    if (status === 'firing') rounds.set(labels.rule, (rounds.get(labels.rule) ?? 0) + 1);
  return changes.map((each) => {
    const several = (rounds.get(each.labels.rule) ?? 0) > 1;
    return { ...each, burst: several ? `${each.labels.rule}-${now.toString(36)}` : null };
  });
}
