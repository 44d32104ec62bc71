import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { day, hour, minute } from '../../runtime/units.ts';
import { numeral } from '../expression.ts';
import { isMetric, type MetricName, metricNames, metricOf } from '../metrics.ts';
import {
  extremeMeaning,
  lineMeaning,
  type Meant,
  macdMeaning,
  notSo,
  type SentenceCondition,
  timeframesOf,
  windowProblem,
} from './lines.ts';
import { type Operator, type Parts, Unread } from './parts.ts';
import type { NumberWord } from './words.ts';

type Condition = SentenceCondition;

/** The windows that are offered where none is given. */
const usualWindows = ['15m', '1h', '24h'];

export function meaningOf(given: Parts): Meant {
  const parts: Parts = { ...given, metric: given.metric ?? impliedMetric(given) };
  const { metric, lines, yearly } = parts;
  if (yearly && metric !== 'funding') throw notSo();
  if (parts.state === 'double') return doubleMeaning(parts);
  const extreme = extremeMeaning(parts);
  if (extreme !== undefined) return extreme;
  // "New" says nothing of anything else.
  if (parts.isPast || parts.order.includes('F')) throw notSo();
  if (metric === 'macd' && /^(RU|RD|[BR]|BR|RB|X|XR)$/.test(parts.order)) return macdMeaning(parts);
  if (lines.length > 0 || parts.order === 'X') return lineMeaning(parts);
  const order = orderOf(parts);
  const isMove = /^[UDVL]S?N$|^N$/.test(order) && parts.number?.percent === true;
  if (isMove && isOfMoves(metric)) return moveMeaning(parts, order);
  const isChange = order === 'SN' && metric === undefined && parts.number?.percent === true;
  // "less than 5%" may also mean that it hardly moves.
  if (isChange && parts.side?.startsWith('<') && !parts.number.signed) throw notSo();
  return levelMeaning(isChange ? { ...parts, metric: 'change' } : parts, order);
}

/** Returns what a state is a state of, where nothing else can be meant: oversold is a market by its RSI. */
const impliedMetric = ({ order, state }: Parts): string | undefined =>
  order === 'O' && (state === 'oversold' || state === 'overbought')
    ? 'rsi'
    : /^V?Q$/.test(order)
      ? 'regime.state'
      : undefined;

/** Joins what is said by two words: "crosses above", "moves below", "crosses up". A change of so many percent stays one. */
const orderOf = ({ order, number, metric }: Parts): string =>
  order
    .replace(number?.percent === true && isOfMoves(metric) ? /^RS/ : /^[RV]S/, 'S')
    .replace(/^RNP$/, 'NP')
    .replace(/^RU/, 'U')
    .replace(/^RD/, 'D')
    .replace(/^S([UD])/, '$1S');

/** Whether a percentage of it is a change. */
const isOfMoves = (metric: string | undefined): boolean =>
  [undefined, 'price', 'change', 'oi'].includes(metric);

/** Reads a price's or the open interest's change over a window. */
function moveMeaning({ metric, side = '>', span: ms, number, order: said }: Parts, order: string): Meant {
  const [amount = 0, ...more] = number?.values ?? [];
  const [kind = ''] = order;
  const falls = kind === 'D' || kind === 'L';
  const isSigned = number?.signed === true;
  const isConflict =
    (falls && isSigned && amount > 0) || (kind === 'U' && amount < 0) || (kind === 'V' && isSigned);
  if (more.length > 0 || side.startsWith('<') || isConflict || amount === 0 || said.includes('t'))
    throw notSo();
  const isEither = kind === 'V' || (kind === 'N' && !isSigned);
  const size = Math.abs(amount);
  const isDown = falls || amount < 0;
  const windows = metric === 'oi' ? oiWindows : priceWindows();
  const of = (name: MetricName): Condition =>
    isEither
      ? { when: `abs(${name}) ${side} ${numeral(size)}` }
      : comparison(name, isDown ? (side === '>' ? '<' : '<=') : side, isDown ? -size : size);
  if (ms !== undefined) {
    const known = windows.find((each) => each.ms === ms);
    if (known === undefined) throw windowProblem(windows);
    return { conditions: [of(known.metric)] };
  }
  if (metric === 'oi') return { conditions: [of('oi.change1hPct')] };
  const usual = windows.filter(({ name }) => usualWindows.includes(name));
  return {
    conditions: usual.map((each) => of(each.metric)),
    question: msg('Over what time?'),
  };
}

interface Window {
  readonly name: string;
  readonly ms: number;
  readonly metric: MetricName;
}

const oiWindows: readonly Window[] = [
  { name: '5m', ms: 5 * minute, metric: 'oi.ratePct' },
  { name: '1h', ms: hour, metric: 'oi.change1hPct' },
];
/** Returns the windows over which changes of prices are known. */
const priceWindows = (): readonly Window[] =>
  metricNames.flatMap((metric) => {
    const [, count, unit = ''] = /^price\.change(\d+)([mhd])Pct$/.exec(metric) ?? [];
    const size = { m: minute, h: hour, d: day }[unit];
    return count === undefined || size === undefined
      ? []
      : [{ name: `${count}${unit}`, ms: Number(count) * size, metric }];
  });

function comparison(metric: MetricName, operator: Operator, level: number): Condition {
  if (operator === '>') return { metric, above: level };
  if (operator === '<') return { metric, below: level };
  return { when: `${metric} ${operator} ${numeral(level)}` };
}

/** The families of metrics that a timeframe completes. */
const ofTimeframe = new Set(['close', 'rsi', 'macd', 'atrPct']);

/** Reads a metric that is compared with a level, or is to reach it. */
function levelMeaning(parts: Parts, order: string): Meant {
  const { metric = 'price', state, span: ms, number } = parts;
  if (metric === 'regime.state') {
    if (!/^V?Q$/.test(order) || ms !== undefined) throw notSo();
    return { conditions: [{ when: `regime.state == "${state}"` }] };
  }
  if (parts.range !== undefined) return rangeMeaning(parts, parts.range);
  const { operator, level } = sideAndLevel(parts, order);
  const subjects = subjectsOf(parts, level);
  const conditions = subjects.names.flatMap((subject) =>
    level.map((value): Condition => {
      if (operator !== undefined && !isMetric(subject))
        return { when: `${subject} ${operator} ${numeral(value)}` };
      if (!isMetric(subject)) return { when: `${subject} > ${numeral(value)}` };
      return operator === undefined
        ? { metric: subject, level: value }
        : comparison(subject, operator, value);
    }),
  );
  const doubt = number === undefined ? undefined : unitDoubt(subjects.names[0] ?? '', number, level);
  const question = level.length > 1 ? msg('Which number is meant?') : (subjects.question ?? doubt);
  return { conditions, question };
}

/** What is said to be positive or negative. */
const signed = ['funding', 'basis.pct', 'macd'];

/** The most that two levels differ by that something is between: "20 and 22k" leaves a unit out. */
const widestRange = 10;

function rangeMeaning(parts: Parts, [low, high]: readonly [NumberWord, NumberWord]): Meant {
  const [from = Number.NaN, ...others] = low.values;
  const [to = Number.NaN, ...more] = high.values;
  const isTooWide = from > 0 && to > widestRange * from;
  if (parts.order !== 'W' || others.length + more.length > 0 || !(from < to) || isTooWide) throw notSo();
  const { names, question } = subjectsOf(parts, [from]);
  const doubt = unitDoubt(names[0] ?? '', high, [from, to]);
  return {
    conditions: names.map((name) => ({
      when: `${name} > ${numeral(from)} && ${name} < ${numeral(to)}`,
    })),
    question: question ?? doubt,
  };
}

/** Reads "twice the usual", which is said of the volume. */
function doubleMeaning({ metric, order, span: ms = hour }: Parts): Meant {
  if (metric !== 'volume.quote24h' || order !== 'O' || ms !== hour) throw notSo();
  return { conditions: [{ metric: 'volume.vsUsualPct', above: 100 }] };
}

function sideAndLevel(
  { metric, side, number, state }: Parts,
  order: string,
): { readonly operator: Operator | undefined; readonly level: readonly number[] } {
  const level = number?.values ?? [];
  const [first] = order;
  if (order === 'O') {
    const isSign = state === 'negative' || state === 'positive';
    if (!(isSign ? signed : ['rsi']).includes(metric ?? '')) throw notSo();
    if (isSign) return { operator: state === 'negative' ? '<' : '>', level: [0] };
    return { operator: state === 'oversold' ? '<' : '>', level: [state === 'oversold' ? 30 : 70] };
  }
  const isConflict =
    (first === 'U' && side?.startsWith('<')) || ((first === 'D' || first === 'L') && side?.startsWith('>'));
  if (isConflict === true) throw notSo();
  if (/^[UDL]?SN$|^NP$/.test(order)) return { operator: side, level };
  if (/^[UD]tN$/.test(order)) return { operator: first === 'U' ? '>' : '<', level };
  if (order === 'LN' && number?.percent === false) return { operator: '<', level };
  if (/^R?N$/.test(order)) return { operator: undefined, level };
  throw notSo();
}

/** Returns the metrics that may be meant, or sums of them. */
function subjectsOf(
  { metric = 'price', span: ms, yearly, order, number }: Parts,
  [level = 0]: readonly number[],
): { readonly names: readonly string[]; readonly question?: Text | undefined } {
  if (ofTimeframe.has(metric)) {
    const names = timeframesOf(ms).map((name) => `${metric}.${name}`);
    return { names, question: names.length > 1 ? msg('On which timeframe?') : undefined };
  }
  if (metric === 'change') {
    const known = priceWindows().filter((each) => ms === undefined || each.ms === ms);
    if (known.length === 0) throw windowProblem(priceWindows());
    if (ms !== undefined) return { names: known.map((each) => each.metric) };
    const usual = known.filter(({ name }) => usualWindows.includes(name));
    return { names: usual.map((each) => each.metric), question: msg('Over what time?') };
  }
  if (metric === 'funding') {
    if (yearly && ms === undefined) return { names: ['funding.perYearPct'] };
    if (ms !== undefined && (ms !== 8 * hour || yearly)) throw notSo();
    if (ms !== undefined || Math.abs(level) < mostASettlement || order === 'O')
      return { names: ['funding.ratePct'] };
    return { names: ['funding.ratePct', 'funding.perYearPct'], question: msg('Per settlement or per year?') };
  }
  if (metric === 'oi' && ms !== undefined) {
    if (number?.percent !== true) throw notSo();
    const known = oiWindows.find((each) => each.ms === ms);
    if (known === undefined) throw windowProblem(oiWindows);
    return { names: [known.metric] };
  }
  if (metric === 'volume.quote24h' && (ms === undefined || ms === day))
    return {
      names: [metric],
      question: ms === undefined ? msg('Of the last {length}?', { length: span(day) }) : undefined,
    };
  if (metric.startsWith('liquidations')) {
    if (ms !== undefined && ms !== hour) throw windowProblem([{ ms: hour }]);
    const both = 'liquidations.longUsd1h + liquidations.shortUsd1h';
    return { names: [metric === 'liquidations' ? both : metric] };
  }
  if (ms !== undefined)
    throw new Unread(
      metric === 'price'
        ? msg('A price has no window. For closed candles say: {example}.', {
            example: 'btc 4h close above 24000',
          })
        : msg('It has no window: leave the time out.'),
    );
  return { names: [metric === 'price' ? 'price.last' : metric === 'oi' ? 'oi.valueUsd' : metric] };
}

/** The funding a settlement, percent, from which on a number without its period may rather be meant for a year. */
const mostASettlement = 3;

/** Checks a number's unit against the metric's. Returns a question where it has none and could be meant otherwise. @throws Unread */
function unitDoubt(
  subject: string,
  { percent, currency }: NumberWord,
  level: readonly number[],
): Text | undefined {
  const unit = isMetric(subject) ? metricOf(subject).unit : 'USD';
  const isMoney = unit === 'USD' || unit === 'USDT';
  if ((percent && unit !== '%') || (currency && !isMoney) || (isMoney && level.some((value) => value <= 0)))
    throw new Unread(msg('The unit does not fit what is watched.'));
  const isShare = isMetric(subject) && metricOf(subject).range !== undefined;
  return unit === '%' && !percent && !isShare && level.some((value) => value !== 0)
    ? msg('In percent?')
    : undefined;
}
