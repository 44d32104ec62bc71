import type { Change, Severity } from '../alert/alert.ts';
import { ownRule, type Rule, ruleName } from '../alert/rule.ts';
import type { Receiver } from '../alert/subscription.ts';
import { span, time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Compiled } from './compile.ts';
import { factKey, type KnownFacts } from './facts.ts';
import { metricOf } from './metrics.ts';

const labels = (id: string, symbol: string | undefined): Change['labels'] => ({
  kind: ownRule,
  rule: id,
  ...(symbol !== undefined && { symbol }),
});

/** What the rule is about, as it is now. */
function values(
  { metrics }: Compiled,
  symbol: string | undefined,
  facts: KnownFacts,
): {
  readonly lines: readonly { readonly name: Text; readonly value: Text }[];
  readonly dataTime: number | undefined;
} {
  const known = metrics.flatMap((metric) => {
    const fact = facts[factKey(metric, symbol)];
    return fact === undefined ? [] : [{ metric, ...fact }];
  });
  return {
    lines: known.map(({ metric, value }) => ({ name: metric, value: metricOf(metric).show(value) })),
    // As old as the oldest of them.
    dataTime: known.length === 0 ? undefined : Math.min(...known.map((fact) => fact.time)),
  };
}

/** A rule's condition became true. */
export function fired(
  compiled: Compiled,
  symbol: string | undefined,
  facts: KnownFacts,
  now: number,
): Change {
  const { rule, clear } = compiled;
  const { lines, dataTime = now } = values(compiled, symbol, facts);
  return {
    status: 'firing',
    labels: labels(rule.id, symbol),
    severity: rule.severity,
    only: rule.receiver,
    annotations: {
      title: titled(rule, symbol),
      summary:
        rule.hold > 0
          ? msg('Your own alert: {condition}, for {hold}.', {
              condition: rule.condition,
              hold: span(rule.hold),
            })
          : msg('Your own alert: {condition}.', { condition: rule.condition }),
      facts: [
        ...lines,
        { name: msg('Ends when'), value: clear().text },
        { name: msg('As of'), value: time(dataTime) },
        { name: msg('Rule'), value: rule.id },
      ],
      dataTime,
    },
  };
}

/** It is over: the message says so. */
export function resolved(
  compiled: Compiled,
  symbol: string | undefined,
  facts: KnownFacts,
  { since, now }: { readonly since: number; readonly now: number },
): Change {
  const { rule } = compiled;
  const { lines, dataTime = now } = values(compiled, symbol, facts);
  return {
    status: 'resolved',
    labels: labels(rule.id, symbol),
    severity: rule.severity,
    only: rule.receiver,
    annotations: {
      title: titled(rule, symbol),
      summary: msg('No longer, after {length}: {condition}.', {
        length: span(now - since),
        condition: rule.condition,
      }),
      facts: [...lines, { name: msg('As of'), value: time(dataTime) }, { name: msg('Rule'), value: rule.id }],
      dataTime,
    },
  };
}

const titled = (rule: Rule, symbol: string | undefined): Text =>
  symbol === undefined ? ruleName(rule) : msg('{symbol}: {name}', { symbol, name: ruleName(rule) });

/** Its rule is no more, or paused, while it fires: whether it is over is not known, and nobody looks any more. */
export const endedUnseen = (
  id: string,
  symbol: string,
  { receiver, severity }: { readonly receiver: Receiver; readonly severity: Severity },
  now: number,
): Change => ({
  status: 'resolved',
  labels: labels(id, symbol === '' ? undefined : symbol),
  severity,
  only: receiver,
  annotations: {
    title:
      symbol === ''
        ? msg('An alert of your own has ended')
        : msg('{symbol}: an alert of your own has ended', { symbol }),
    summary: msg('Its rule was deleted or paused, or its time is over. It is not watched any more.'),
    facts: [{ name: msg('Rule'), value: id }],
    dataTime: now,
  },
});
