import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { checkLabel, expressionError, unknownMetricError } from './expression-errors.ts';
import { type MetricName, metricNames, metricOf } from './metrics.ts';

/** The greatest length of an expression, characters. */
export const maxLength = 500;

/**
 * The facts that an expression is tested with. Facts that are not known are not in it. `context` nests them as CEL
 * reads names.
 */
export interface View {
  readonly has: (name: MetricName) => boolean;
  readonly context: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
}

export interface Expression {
  readonly text: string;
  readonly ast: ASTNode;
  /** The metrics that the expression names, each once. */
  readonly metrics: readonly MetricName[];
  /** Whether it is about the moment at which a value passes another. */
  readonly crosses: boolean;
  /** Returns whether the expression is true. Undefined: a metric that it names is not known. */
  test(view: View): boolean | undefined;
}

/**
 * Limits to the cost of an expression: no loops, no text search, no call but `abs`. An expression of so many nodes
 * takes some microseconds.
 */
const limits = {
  maxAstNodes: 80,
  maxDepth: 24,
  maxListElements: 12,
  maxMapEntries: 0,
  maxCallArguments: 4,
};
const allowedOperators = new Set('&& || !_ -_ ?: == != < <= > >= + - * / in . id value list call'.split(' '));

/** The functions that test whether a value has just passed another, which people write as `crosses above` and `crosses below`. */
const crossings = new Set(['crossed_above', 'crossed_below']);
/** The names under which an expression finds the values before the last. They are not known at first: then nothing has crossed. */
export const beforeSpace = (space: string): string => `before_${space}`;

// biome-ignore-start lint/complexity/useMaxParams: the shape is CEL’s
const environment = new Environment({ limits })
  .registerFunction('abs(double): double', (value: number) => Math.abs(value))
  .registerFunction(
    'crossed_above(double, double, double, double): bool',
    (value: number, level: number, valueBefore: number, levelBefore: number) =>
      valueBefore <= levelBefore && value > level,
  )
  .registerFunction(
    'crossed_below(double, double, double, double): bool',
    (value: number, level: number, valueBefore: number, levelBefore: number) =>
      valueBefore >= levelBefore && value < level,
  );
// biome-ignore-end lint/complexity/useMaxParams: the shape is CEL’s
for (const [space, names] of Map.groupBy(metricNames, (name) => splitName(name)[0])) {
  const schema = Object.fromEntries(
    names.map((name) => [splitName(name)[1], metricOf(name).labels === undefined ? 'double' : 'string']),
  );
  environment.registerVariable(space, { schema });
  environment.registerVariable(beforeSpace(space), { schema });
}

/** Splits the name of a metric as CEL names it: `funding.z` → `funding`, `z`, and `rsi.4h` → `rsi`, `_4h`. */
export function splitName(name: MetricName): readonly [string, string] {
  const [space = '', field = ''] = name.split('.');
  return [space, /^\d/.test(field) ? `_${field}` : field];
}

const token = /"[^"]*"|'[^']*'|[A-Za-z_]\w*|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([kKmMbB]?)(?!\w)/g;
const multipliers: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** Returns a number as it is written in a condition, without the digits that binary fractions add. */
export const numeral = (value: number): string => String(Number(value.toPrecision(12)));

/**
 * Returns a number as CEL writes one that is no integer, such as `2.0`: CEL tells integers from other numbers, and
 * people do not.
 */
function celNumber(value: number): string {
  const text = numeral(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** A timeframe after the name of a metric: CEL has no names that begin with a digit. */
const timeframe = /(?<=\b[A-Za-z]\w*\.)(?=\d+[mhd]\b)/g;

const crossing = /([A-Za-z]\w*\.\w+)\s+crosses\s+(above|below)\s+([A-Za-z]\w*\.\w+|[+-]?\d[\w.]*)/g;
const crossed = /crossed_(above|below)\(([^,()]+), ([^,()]+), [^()]*\)/g;
/** What stands for a crossing in CEL, and is no name that people give. */
const ofCrossings = /\b(?:crossed_(?:above|below)|before_\w+)\b/;
/** Writes a condition as if each crossing asked on which side the value is. */
export const withoutCrossings = (text: string): string =>
  // biome-ignore lint/complexity/useMaxParams: the shape is replaceAll’s
  text.replaceAll(crossing, (_, value: string, side: string, level: string) =>
    [value, side === 'above' ? '>' : '<', level].join(' '),
  );
const before = (operand: string): string => (/^[A-Za-z]/.test(operand) ? `before_${operand}` : operand);

/** Writes a part of a condition in CEL as people write it. */
export const fromCel = (text: string): string =>
  text
    .replaceAll(crossed, '$2 crosses $1 $3')
    .replaceAll(/(\d)\.0(?!\d)/g, '$1')
    .replaceAll(/(?<=\w\.)_(?=\d+[mhd]\b)/g, '');

/** Converts a condition as people write it to CEL: every number becomes a fraction, and `5M` five million. */
const toCel = (text: string): string =>
  text
    .replaceAll(
      crossing,
      // biome-ignore lint/complexity/useMaxParams: the shape is replaceAll’s
      (_, value: string, side: string, level: string) =>
        `crossed_${side}(${value}, ${level}, ${before(value)}, ${before(level)})`,
    )
    .replaceAll(timeframe, '_')
    .replaceAll(token, (match: string, digits: string | undefined, size = '') =>
      digits === undefined ? match : celNumber(Number(digits) * (multipliers[size.toLowerCase()] ?? 1)),
    );

/**
 * Reads a condition.
 *
 * @throws UserError that says in plain words what is wrong with it, and what may be meant
 */
export function readExpression(text: string): Expression {
  const trimmed = text.trim();
  if (trimmed.length > maxLength) {
    throw new UserError(
      msg('A condition has at most {longest, number} characters; this one has {length, number}.', {
        longest: maxLength,
        length: trimmed.length,
      }),
    );
  }
  const [inner] = ofCrossings.exec(trimmed) ?? [];
  if (inner !== undefined) throw unknownMetricError(inner);
  const program = parse(trimmed);
  const names = new Set<MetricName>();
  const crossing = new Set<MetricName>();
  let bareName: string | undefined;
  visit(program.ast, (node) => {
    if (
      !allowedOperators.has(node.op) ||
      (node.op === 'call' && node.args[0] !== 'abs' && crossingAt(node) === undefined)
    ) {
      throw new UserError(
        msg('abs is the only function: a condition compares metrics, joined by && and ||, negated by !.'),
      );
    }
    // Integers, bytes and null are refused. With integers, adding and dividing may fail when the condition is tested.
    if (node.op === 'value' && !['number', 'string', 'boolean'].includes(typeof node.args)) {
      throw expressionError(trimmed, { range: node.range });
    }
    const name = metricAt(node);
    if (name !== undefined) names.add(name);
    for (const side of crossingAt(node)?.sides ?? []) {
      const crosses = metricAt(side);
      if (crosses !== undefined) crossing.add(crosses);
    }
    if (node.op === 'id') bareName = node.args;
    if (node.op === '==' || node.op === '!=') checkLabel(metricAt(node.args[0]), node.args[1]);
    if (node.op === '==' || node.op === '!=') checkLabel(metricAt(node.args[1]), node.args[0]);
    if (node.op === 'in' && node.args[1].op === 'list')
      for (const each of node.args[1].args) checkLabel(metricAt(node.args[0]), each);
  });
  const checked = program.check();
  if (!checked.valid) throw expressionError(trimmed, checked.error);
  // A bare name, as in `oi in [oi]`, is refused: nothing of that name may be known when the condition is tested.
  if (bareName !== undefined) throw unknownMetricError(bareName);
  if (checked.type !== 'bool') {
    throw new UserError(msg('A condition says what must be true, such as {example}.', { example }));
  }
  const metrics = [...names];
  if (metrics.length === 0) {
    throw new UserError(msg('A condition names at least one metric, such as {example}.', { example }));
  }
  return {
    text: trimmed,
    ast: program.ast,
    metrics,
    crosses: crossing.size > 0,
    test: ({ has, context }) =>
      metrics.every(has) ? program(withBefore(context, crossing)) === true : undefined,
  };
}

const example = 'funding.z > 2.5';

function parse(text: string): ParseResult {
  try {
    return environment.parse(toCel(text));
  } catch (error) {
    throw expressionError(text, error);
  }
}

/** Metrics by the two parts of their names: space → field → metric. */
const fields = new Map(
  [...Map.groupBy(metricNames, (name) => splitName(name)[0])].map(([space, names]) => [
    space,
    new Map(names.map((name) => [splitName(name)[1], name])),
  ]),
);

/** Returns the metric that a node reads. Undefined: it reads none. */
export function metricAt(node: ASTNode): MetricName | undefined {
  if (node.op !== '.' || node.args[0].op !== 'id') return undefined;
  return fields.get(node.args[0].args)?.get(node.args[1]);
}

/** Returns what crosses what, if a node says so. */
export function crossingAt(
  node: ASTNode,
): { readonly above: boolean; readonly sides: readonly [ASTNode, ASTNode] } | undefined {
  if (node.op !== 'call' || !crossings.has(node.args[0])) return undefined;
  const [value, level] = node.args[1];
  return value === undefined || level === undefined
    ? undefined
    : { above: node.args[0] === 'crossed_above', sides: [value, level] };
}

/** Adds what is missing of the values before the last: a number that compares with nothing. */
function withBefore(context: View['context'], crossing: ReadonlySet<MetricName>): View['context'] {
  if (crossing.size === 0) return context;
  const all: Record<string, Record<string, number | string>> = { ...context };
  for (const name of crossing) {
    const [space, field] = splitName(name);
    all[beforeSpace(space)] = { [field]: Number.NaN, ...all[beforeSpace(space)] };
  }
  return all;
}

/**
 * Calls `visitor` with every node, each before its parts. The node of a metric is not taken apart, and of a crossing only what crosses
 * and what is crossed are parts.
 */
export function visit(node: ASTNode, visitor: (node: ASTNode) => void): void {
  visitor(node);
  if (metricAt(node) === undefined) visitParts(crossingAt(node)?.sides ?? node.args, visitor);
}

function visitParts(parts: unknown, visitor: (node: ASTNode) => void): void {
  if (Array.isArray(parts)) for (const part of parts) visitParts(part, visitor);
  else if (isNode(parts)) visit(parts, visitor);
}

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
