import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { metricAt, numeral, readExpression } from './expression.ts';
import { clearOf, numberAt } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';
import { notANumber } from './mistakes.ts';

/** What people give: either a metric and its level, or a condition of their own; and when it is over. */
export interface AskedCondition {
  readonly metric?: MetricName | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly is?: string | undefined;
  readonly when?: string | undefined;
  /** A level, of a metric; or a condition. */
  readonly clear?: string | undefined;
}

/** Both forms → one, that can be read. Throws UserError with what is missing, too much, or wrong. */
export function conditionOf(asked: AskedCondition): {
  readonly condition: string;
  readonly clear: string | null;
} {
  const { when, clear } = asked;
  if (when !== undefined) {
    if ([asked.metric, asked.above, asked.below, asked.is].some((given) => given !== undefined)) {
      throw new UserError(
        msg(
          'Give either a metric with above, below or is, or a condition of your own with when, in quotation marks, not both.',
        ),
      );
    }
    return read(when, clear ?? null);
  }
  const { metric, above, below, is } = asked;
  if (metric === undefined) {
    throw new UserError(
      msg('What is it about? Give a metric and a level, such as {simple}, or a condition, such as {free}.', {
        simple: 'metric=funding.z above=2.5',
        free: 'when="funding.z > 2.5 && oi.ratePct > 1"',
      }),
    );
  }
  if ([above, below, is].filter((given) => given !== undefined).length !== 1) {
    throw new UserError(
      msg('Give one of above, below and is; for more than one, write a condition: {example}.', {
        example: `when="${metric} > 2 || ${metric} < -2"`,
      }),
    );
  }
  if (is !== undefined) {
    return read(
      `${metric} == "${is
        .trim()
        .toUpperCase()
        .replaceAll(/[\s-]+/g, '_')
        .replaceAll('"', '')}"`,
      clear ?? null,
    );
  }
  if (metricOf(metric).labels !== undefined) throw notANumber(metric);
  const level = above ?? below ?? 0;
  const condition = `${metric} ${above === undefined ? '<' : '>'} ${numeral(level)}`;
  const clearLevel = clear === undefined ? undefined : readNumber(clear);
  if (clear === undefined || clearLevel === undefined) return read(condition, clear ?? null);
  if (above === undefined ? clearLevel < level : clearLevel > level) {
    throw new UserError(
      above === undefined
        ? msg('It fires below {level}, so it can only clear at or above that: give a higher clear.', {
            level: numeral(level),
          })
        : msg('It fires above {level}, so it can only clear at or below that: give a lower clear.', {
            level: numeral(level),
          }),
    );
  }
  return read(condition, `${metric} ${above === undefined ? '>=' : '<='} ${numeral(clearLevel)}`);
}

function read(condition: string, clear: string | null) {
  const expression = readExpression(condition);
  readExpression(clear ?? clearOf(expression));
  return { condition: expression.text, clear };
}

/** What a condition in the simple form says; undefined where it is of another. */
export function simpleOf(condition: string): Pick<AskedCondition, 'metric' | 'above' | 'below'> | undefined {
  const { ast } = readExpression(condition);
  if (ast.op !== '>' && ast.op !== '<') return undefined;
  const [metric, level] = [metricAt(ast.args[0]), numberAt(ast.args[1])];
  if (metric === undefined || level === undefined) return undefined;
  return { metric, ...(ast.op === '>' ? { above: level } : { below: level }) };
}

const sizes: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/** `100k`, `2.5`, `-3`, `1,000`, `5M` → a number; undefined where it is none. */
export function readNumber(text: string): number | undefined {
  const [, digits, size = ''] =
    /^([+-]?\d+(?:\.\d+)?)([kKmMbB]?)%?$/.exec(
      text.trim().replaceAll(',', '').replace('$', '').replace('−', '-'),
    ) ?? [];
  return digits === undefined ? undefined : Number(digits) * (sizes[size.toLowerCase()] ?? 1);
}
