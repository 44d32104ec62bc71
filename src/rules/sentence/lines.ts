import { span } from '../../language/format.ts';
import { listOf, msg, type Text } from '../../language/text.ts';
import { day } from '../../runtime/units.ts';
import { extremeWindows, timeframeLengths, timeframes } from '../candle-metrics.ts';
import { isMetric, type MetricName, metricNames } from '../metrics.ts';
import type { ConditionInput } from '../simple.ts';
import { type Operator, type Parts, Unread } from './parts.ts';

/** What a sentence watches. `level`: to be reached from where the metric is. */
export interface SentenceCondition extends Pick<ConditionInput, 'metric' | 'above' | 'below' | 'when'> {
  readonly level?: number;
}

/** What may be meant, and what to ask if that is more than one. */
export interface Meant {
  readonly conditions: readonly SentenceCondition[];
  readonly question?: Text | undefined;
}

/** The timeframes that are offered where none is given. */
const usualTimeframes = ['1h', '4h', '1d'];

export const notSo = (): Unread =>
  new Unread(
    msg('It cannot be read as a market, what is watched and a level, such as {example}.', {
      example: 'btc above 24000',
    }),
  );

export const windowProblem = (windows: readonly { readonly ms: number }[]): Unread =>
  new Unread(msg('It is known for {windows} only.', { windows: listOf(windows.map(({ ms }) => span(ms))) }));

/**
 * Reads a price that leaves the range of a time: a new 24 h high. Undefined: it says no such thing. A day or a week by name may be
 * one of the calendar, so the range that is known is offered for it.
 */
export function extremeMeaning({
  metric,
  lines,
  order,
  side,
  span: ms,
  isNamed,
  isPast,
  isAt,
}: Parts): Meant | undefined {
  const [line = '', ...others] = lines;
  const [, name, count] = /^(high|low)(\d*)$/.exec(line) ?? [];
  if (name === undefined || (count !== '' && isMetric(`${line}.1h`))) return undefined;
  const isHigh = name === 'high';
  const isConflict = isHigh
    ? /[DL]/.test(order) || side?.startsWith('<') === true
    : /U/.test(order) || side?.startsWith('>') === true;
  const isSaid = /^R?[UD]?F?S?F?E$|^LF?E$/.test(order) && (metric === undefined || metric === 'price');
  if (others.length > 0 || isConflict || !isSaid) throw notSo();
  const windows = Object.entries(extremeWindows);
  const length = ms === undefined || count === '' ? ms : ms * Number(count);
  const known = windows.filter(([, each]) => (length === undefined ? each >= day : each === length));
  if (known.length === 0) throw windowProblem(windows.map(([, each]) => ({ ms: each })));
  const conditions = known.map(([window]) => ({
    when: `price.last ${isHigh ? '>' : '<'} price.${name}${window}`,
  }));
  if (length === undefined) return { conditions, question: msg('Over what time?') };
  if (isPast || isNamed)
    return { conditions, question: msg('Of the last {length}?', { length: span(length) }) };
  // Without a word for what happens it may be a question for the price.
  return order === 'E' && !isAt
    ? { conditions, question: msg('To be alerted when the price leaves it?') }
    : { conditions };
}

/** Returns the timeframes that are meant. With none given, each of the usual ones may be. */
export function timeframesOf(ms: number | undefined): readonly string[] {
  if (ms === undefined) return usualTimeframes;
  const known = timeframes.find((name) => timeframeLengths[name] === ms);
  if (known === undefined) throw windowProblem(timeframes.map((name) => ({ ms: timeframeLengths[name] })));
  return [known];
}

const ofEach = (
  names: readonly string[],
  condition: (timeframe: string) => SentenceCondition,
  isSimple = false,
): Meant => ({
  conditions: names.map(condition),
  question: isSimple
    ? msg('By exponential averages?')
    : names.length > 1
      ? msg('On which timeframe?')
      : undefined,
});

/** Reads a close that is compared with a line, or a line with a line. */
export function lineMeaning({ metric, lines, order, side, span: ms, state, isSimple }: Parts): Meant {
  if (!(metric === undefined || metric === 'close' || metric === 'price')) throw notSo();
  const names = timeframesOf(ms);
  const isOffered = (line: string) => isMetric(`${line}.1h`);
  const unknown = lines.find((line) => !isOffered(line));
  if (unknown !== undefined)
    throw new Unread(
      msg('{line} is not offered; these are: {lines}.', {
        line: unknown,
        lines: listOf(
          metricNames.flatMap((name) =>
            /^(ema|high|low|bollinger)\w*\.1h$/.test(name) ? [name.split('.')[0] ?? ''] : [],
          ),
        ),
      }),
    );
  const operator = lineSide(order, side);
  if (order === 'X' && metric === undefined) {
    const sign = state === 'goldenCross' ? '>' : '<';
    const { conditions } = ofEach(names, (name) => ({ when: `ema50.${name} ${sign} ema200.${name}` }));
    return { conditions, question: msg('By exponential averages?') };
  }
  const [first = '', second] = lines;
  if (/^E[RV]?S?E$/.test(order) && order.includes('S') && second !== undefined && operator !== undefined)
    return ofEach(names, (name) => ({ when: `${first}.${name} ${operator} ${second}.${name}` }), isSimple);
  if (order === 'RE') {
    const sides = ['>', '<'].flatMap((sign) =>
      names.map((name) => ({ when: `close.${name} ${sign} ${first}.${name}` })),
    );
    return { conditions: sides, question: msg('In which direction?') };
  }
  if (!/^([RVUD]?S|L)E$/.test(order) || operator === undefined) throw notSo();
  return ofEach(names, (name) => ({ when: `close.${name} ${operator} ${first}.${name}` }), isSimple);
}

function lineSide(order: string, side: Operator | undefined): Operator | undefined {
  if (order.startsWith('L')) return '<';
  const isConflict =
    (order.startsWith('U') && side?.startsWith('<')) || (order.startsWith('D') && side?.startsWith('>'));
  return isConflict === true ? undefined : side;
}

export function macdMeaning({ order, state, span: ms }: Parts): Meant {
  const names = timeframesOf(ms);
  const isUp = order === 'RU' || state === 'bullish' || state === 'goldenCross';
  const isDown = order === 'RD' || state === 'bearish' || state === 'deathCross';
  const up = (name: string): SentenceCondition => ({ metric: `macd.${name}` as MetricName, above: 0 });
  const down = (name: string): SentenceCondition => ({ metric: `macd.${name}` as MetricName, below: 0 });
  if (isUp) return ofEach(names, up);
  if (isDown) return ofEach(names, down);
  return {
    conditions: names.flatMap((name) => [up(name), down(name)]),
    question: msg('In which direction?'),
  };
}
