import type { ASTNode } from '@marcbachmann/cel-js';
import { quoted, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg, type Text, typed } from '../language/text.ts';
import { type MetricName, metricNames, metricOf } from './metrics.ts';

/** Returns the error for an expression that CEL rejects, in plain words and with what may be meant instead. */
export function expressionError(text: string, cause: unknown): UserError {
  const { code = '', range } = cause as { code?: string; range?: { start: number; end: number } };
  if (code === 'unknown_variable' || code === 'no_such_key')
    return unknownMetricError(
      namesIn(text).find((name) => !metricNames.some((known) => known === name)) ?? text,
    );
  return new UserError(mistakeText(code, text, range), { cause });
}

function mistakeText(code: string, text: string, range: { start: number; end: number } | undefined): Text {
  if (code === 'limit_exceeded')
    return msg('The condition is too long or too deeply nested: make two rules.');
  if (code === 'no_such_overload') {
    return msg(
      'It compares or adds what does not go together: numbers go with numbers, and labels with text in quotation marks, such as {example}.',
      { example: 'regime.state == "RISK_OFF"' },
    );
  }
  if (/(^|[^=!<>])=([^=]|$)/.test(text)) return msg('Write == to ask whether two things are equal.');
  if (/\b(and|or|not)\b/i.test(text)) return msg('Write && for and, || for or, and ! for not.');
  // The quoted part starts at the beginning of a word.
  const from = text.slice(0, range?.start ?? 0).search(/\S{0,15}\s*$/);
  const near = text.slice(from, (range?.end ?? 0) + 10).trim();
  return near === ''
    ? msg('The condition cannot be read. One that can: {example}.', { example: 'funding.z > 2.5' })
    : msg('The condition cannot be read near “{near}”. One that can: {example}.', {
        near,
        example: 'funding.z > 2.5',
      });
}

/** Returns everything in a text that looks like a metric's name. */
const namesIn = (text: string): string[] =>
  text.replaceAll(/"[^"]*"|'[^']*'/g, '').match(/[A-Za-z_]\w*(?:\.\w*)?/g) ?? [];

/** Returns the error for a word in the place of a metric and a market. */
export const unknownNameError = (text: string): UserError =>
  text.includes('.') || closest(text).length > 0
    ? unknownMetricError(text)
    : new UserError(msg('“{text}” is neither a metric nor a market.', { text: text.slice(0, 40) }));

export function unknownMetricError(name: string): UserError {
  const [first, ...others] = closest(name);
  const remedy =
    first === undefined
      ? msg('"{list}" lists them all.', { list: typed('alert metrics') })
      : msg('Did you mean {names}?', { names: listOf([first, ...others]) });
  return new UserError(remedy, { title: msg('Unknown metric {text}', { text: quoted(name) }) });
}

const closest = (name: string): string[] => {
  const space = name.split('.')[0] ?? '';
  const found = rank(name, metricNames, 3);
  return found.length > 0 ? found : rank(`${space}.`, metricNames, 3);
};

export const notANumberError = (metric: MetricName): UserError =>
  new UserError(
    msg('{metric} is not a number: give is=…, one of {labels}.', {
      metric,
      labels: listOf(metricOf(metric).labels ?? []),
    }),
  );

/**
 * Checks that a metric is compared only with labels that it can have.
 *
 * @throws UserError where it is not
 */
export function checkLabel(metric: MetricName | undefined, other: ASTNode): void {
  if (metric === undefined || other.op !== 'value' || typeof other.args !== 'string') return;
  const { labels } = metricOf(metric);
  if (labels === undefined || labels.includes(other.args)) return;
  throw new UserError(
    msg('{metric} is never “{label}”: it is one of {labels}.', {
      metric,
      label: other.args.slice(0, 40),
      labels: listOf(labels),
    }),
  );
}
