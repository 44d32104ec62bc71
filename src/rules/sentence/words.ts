import { day, hour, minute } from '../../runtime/units.ts';
import { isMetric, metricNames } from '../metrics.ts';
import { correction, phraseAt } from './phrases.ts';

/** A number with what stands beside it. `span`: it may also be this many ms, as `5m`, which is five million or five minutes. */
export interface NumberWord {
  readonly kind: 'number';
  /** What it may be: `24.000` is 24 thousand or 24. */
  readonly values: readonly number[];
  readonly signed: boolean;
  readonly percent: boolean;
  readonly currency: boolean;
  readonly span?: number | undefined;
}

/**
 * A line on the chart that prices are compared with: `ema200`; `ms` if its timeframe is part of its name, as in "20 day high".
 * `isSimple`: what was asked for may be another average than the exponential one.
 */
interface LineWord {
  readonly kind: 'line';
  readonly name: string;
  readonly ms?: number | undefined;
  readonly isSimple?: boolean;
}

/** What a piece of a sentence says. */
export type SentenceWord =
  | { readonly kind: 'means'; readonly roles: readonly string[] }
  | { readonly kind: 'market'; readonly symbol: string }
  | { readonly kind: 'group'; readonly name: string }
  /** `isNamed`: a day or a week, which may be one of the calendar. `isPast`: one that is over, `yesterday`. */
  | { readonly kind: 'span'; readonly ms: number; readonly isNamed?: boolean; readonly isPast?: boolean }
  | NumberWord
  | LineWord;

/** The words of a sentence up to the first piece of it that means nothing here. */
interface SplitSentence {
  readonly words: readonly SentenceWord[];
  readonly unknown?: string | undefined;
}

const sizes: Readonly<Record<string, number>> = { m: minute, h: hour, d: day, w: 7 * day };

/** Returns the length of a span such as `15m` or `7d`, ms. */
const spanOf = (text: string): number => Number.parseInt(text, 10) * (sizes[text.at(-1) ?? ''] ?? 0);

/** Writes what is written in several ways in one: full width, quotes, and marks that end a sentence. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[’‘´`]/g, "'")
    .replaceAll('−', '-')
    .replaceAll(/[¡¿"“”]/g, '')
    .replace(/[\s.!?…。]+$/u, '')
    .replaceAll(/[,;:!。、](?=\s|$|\p{Script=Han})/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\brsi ?\(14\)/gi, 'rsi')
    .replaceAll(thousandsBySpaces, (number) => number.replaceAll(' ', ''))
    .trim();

/** `30 000`, but not `ema 50 200`. */
const thousandsBySpaces = /(?<!(?:ma|rsi|top) ?|[\d.,])[1-9]\d{0,2}(?: \d{3})+(?![\d.,]|[\p{L}%])/giu;

const day20 = /(\d+)[ -](?:(hour|day|week)s?|candles?)[ -](high|low)\b/y;
/** `ema 200`, `200 day moving average`, `media móvil de 200 días`, `200日均线`. */
const movingAverages = [
  /(?<kind>e|s|)ma[ -]?\(?(?<count>\d+)\)?(?![\d.%]|[a-z])/y,
  /(?<count>\d+)[ -]?(?:(?<unit>[dhw]|day|hour|week|period)s?[ -]?)?(?<kind>e|s|exponential |simple |)(?:ma|moving average)\b(?![ -]?\d+(?![\da-z]))/y,
  /media(?: m[óo]vil)? (?<kind>exponencial |simple |)de (?<count>\d+)(?: (?<unit>d|h|s)[íi]?[\p{L}]+)?/uy,
  /(?<count>\d+)(?<unit>日|天|周|小时)?(?<kind>指数|)(?:移动平均线?|均线)/uy,
];
const averageUnits: Readonly<Record<string, number>> = {
  ...{ d: day, h: hour, w: 7 * day, s: 7 * day, 日: day, 天: day, 周: 7 * day, 小: hour },
};
const top = /top ?(\d{1,3})(?![\w.])/y;
const digits = /([+-]?) ?(\$?)([+-]?)(\d+(?:[.,]\d+)*)/y;
const run = /[\p{L}\p{N}$#][\p{L}\p{N}$#/.:_-]*/uy;

const matchAt = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(text);
};

interface Found {
  readonly word: SentenceWord;
  readonly end: number;
  readonly isSpanish?: boolean;
}

/**
 * Splits a sentence into words that mean something here. Every piece of it must.
 *
 * @param market returns the symbol that a word names exactly; undefined: it names none
 */
export function splitSentence(sentence: string, market: (text: string) => string | undefined): SplitSentence {
  const text = plain(sentence);
  const first = scan(text, { market, isSpanish: false });
  const isSpanish = first.found.some((each) => each.isSpanish === true);
  const { found, unknown } = isSpanish ? scan(text, { market, isSpanish }) : first;
  return { words: found.map(({ word }) => word), unknown };
}

interface Reading {
  readonly market: (text: string) => string | undefined;
  /** Whether the sentence is Spanish, where a point groups thousands. */
  readonly isSpanish: boolean;
}

function scan(
  original: string,
  reading: Reading,
): { readonly found: readonly Found[]; readonly unknown?: string } {
  const text = original.toLowerCase();
  const found: Found[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const next = nameAt(text, at, reading) ?? numberAt(text, at, reading) ?? wordAt(text, at, reading);
    if (typeof next === 'string') return { found, unknown: original.slice(at, at + next.length) };
    // It joins two numbers, and nothing else: not two markets.
    const isJoint = next.word.kind === 'means' && next.word.roles[0] === 'and';
    if (isJoint && found.at(-1)?.word.kind !== 'number')
      return { found, unknown: original.slice(at, next.end) };
    found.push(next);
    at = next.end;
  }
  return { found };
}

/** Finds what has digits in its name: `ema 200`, `top 20`, `1000pepe`. */
function nameAt(text: string, at: number, { market }: Reading): Found | undefined {
  const range = matchAt(day20, text, at);
  if (range !== null) {
    const [whole, count = '', unit, side = ''] = range;
    const ms = unit === undefined ? {} : { ms: spanOf(`1${unit[0]}`) };
    return { word: { kind: 'line', name: `${side}${count}`, ...ms }, end: at + whole.length };
  }
  const isInWord = /\p{Script=Latin}/u.test(text[at - 1] ?? '');
  for (const pattern of isInWord ? [] : movingAverages) {
    const { 0: whole = '', groups: { count, unit = '', kind = '' } = {} } = matchAt(pattern, text, at) ?? {};
    if (whole === '') continue;
    const ms = averageUnits[unit[0] ?? ''];
    const isSimple = !/^(e|指数)/.test(kind);
    const word = { kind: 'line', name: `ema${count}`, isSimple, ms } as const;
    return { word, end: at + whole.length };
  }
  const group = matchAt(top, text, at);
  if (group !== null)
    return { word: { kind: 'group', name: `top${Number(group[1])}` }, end: at + group[0].length };
  const [name = ''] = /^\d+\p{L}/u.test(text.slice(at)) ? (matchAt(run, text, at) ?? []) : [];
  const symbol = /^\d+\p{L}{3,}/u.test(name) ? market(name) : undefined;
  return symbol === undefined ? undefined : { word: { kind: 'market', symbol }, end: at + name.length };
}

/** Finds a number with its sign, currency, scale, unit of time and percent sign. A string: a number that means nothing here. */
function numberAt(text: string, at: number, reading: Reading): Found | string | undefined {
  const match = matchAt(digits, text, at);
  if (match === null) return undefined;
  const [whole, sign, dollar, inner = '', written = ''] = match;
  let end = at + whole.length;
  let isSpanish = false;
  const rolesNext = (): readonly string[] => {
    const from = text[end] === ' ' ? end + 1 : end;
    const next = phraseAt(text, from);
    return next === undefined ? [] : next.phrase.roles;
  };
  const take = () => {
    const from = text[end] === ' ' ? end + 1 : end;
    const next = phraseAt(text, from);
    if (next === undefined) return;
    isSpanish ||= next.phrase.isSpanish;
    end = next.end;
  };
  let scale = 1;
  let span: number | undefined;
  const [suffix, unit] = ['scale ', 'unit '].map((kind) => rolesNext().find((role) => role.startsWith(kind)));
  if (suffix !== undefined) scale = Number(suffix.slice(6));
  if (unit !== undefined) span = Number(written.replace(',', '.')) * (sizes[unit.slice(5)] ?? 0);
  if (suffix !== undefined || unit !== undefined) take();
  else if (
    /[\p{Script=Latin}\d]/u.test(text[end] ?? '') &&
    !rolesNext().some((role) => /^(percent|currency)$/.test(role))
  )
    return (matchAt(run, text, at) ?? [whole])[0];
  const percent = rolesNext().includes('percent');
  if (percent) take();
  const currency = rolesNext().includes('currency');
  if (currency) take();
  const isSpan = unit !== undefined && suffix === undefined;
  if (isSpan) {
    if (sign !== '' || percent || currency || dollar !== '') return whole;
    return { word: { kind: 'span', ms: span ?? 0 }, end, isSpanish };
  }
  const minus = sign === '-' || inner === '-' ? -1 : 1;
  const values = readings(written, reading).map((value) => Number((value * scale * minus).toPrecision(15)));
  if (values.length === 0) return whole;
  return {
    word: {
      kind: 'number',
      values,
      signed: sign !== '' || inner !== '',
      percent,
      currency: currency || dollar !== '',
      span,
    },
    end,
    isSpanish,
  };
}

/**
 * Returns what a number may be. Points and commas are read as people of both habits write them. Several groups of three are thousands,
 * and so are three zeros after a comma or, in Spanish, a point; other single groups of three may be thousands or decimals where both are
 * written.
 */
function readings(written: string, { isSpanish }: Reading): readonly number[] {
  const marks = written.replaceAll(/\d/g, '');
  const [mark = ''] = marks;
  const isGrouped = (text: string) => new RegExp(`^[1-9]\\d{0,2}(\\${mark}\\d{3})+$`).test(text);
  const grouped = (text: string) => Number(text.replaceAll(mark, ''));
  if (marks === '') return [Number(written)];
  if (marks.length === 1) {
    const decimal = Number(written.replace(mark, '.'));
    if (!isGrouped(written)) return [decimal];
    const isThousands = mark === ',' ? !isSpanish : isSpanish && written.endsWith('000');
    return isThousands || (mark === ',' && written.endsWith('000'))
      ? [grouped(written)]
      : [grouped(written), decimal];
  }
  if (isGrouped(written)) return [grouped(written)];
  // Groups by one mark, and the decimals after the other.
  const [, whole = '', decimals] = /^(.*)[.,](\d+)$/.exec(written) ?? [];
  return marks.at(-1) === mark || !isGrouped(whole) ? [] : [Number(`${grouped(whole)}.${decimals}`)];
}

/** Finds a phrase, the name of a metric, a market, or a misspelt word. A string: a word that means nothing here. */
function wordAt(text: string, at: number, { market }: Reading): Found | string {
  // `$me` is a market, whatever else the word means.
  const known = /^\$\p{L}/u.test(text.slice(at, at + 3)) ? undefined : phraseAt(text, at);
  const [word = text[at] ?? ''] = matchAt(run, text, at) ?? [];
  const whole = word.replace(/[.:/_-]+$/, '');
  // A market of Chinese letters goes on where a Latin name ends.
  const name =
    market(whole) === undefined
      ? whole.replace(/(?<=^[\p{Script=Latin}\d$#/.:_-]+)\p{Script=Han}.*$/u, '')
      : whole;
  const metric = metricNames.find((each) => each.toLowerCase() === name);
  if (metric !== undefined && isMetric(metric))
    return { word: { kind: 'means', roles: [`metric ${metric}`] }, end: at + name.length };
  if (known !== undefined) {
    const { phrase, end } = known;
    if (phrase.roles.includes('stop')) return text.slice(at, end);
    const ofKind = (kind: string) => phrase.roles.find((role) => role.startsWith(kind))?.slice(kind.length);
    const [group, span, line, coin, past] = ['group ', 'span ', 'line ', 'market ', 'past '].map(ofKind);
    const symbol = coin === undefined ? undefined : market(coin);
    const word: SentenceWord =
      group !== undefined
        ? { kind: 'group', name: group }
        : span !== undefined
          ? { kind: 'span', ms: spanOf(span), isNamed: span === '1d' || span === '7d' }
          : past !== undefined
            ? { kind: 'span', ms: past === 'all' ? Number.POSITIVE_INFINITY : spanOf(past), isPast: true }
            : line !== undefined
              ? { kind: 'line', name: line }
              : symbol !== undefined
                ? { kind: 'market', symbol }
                : { kind: 'means', roles: phrase.roles };
    return { word, end, isSpanish: phrase.isSpanish };
  }
  const symbol = market(name);
  if (symbol !== undefined) return { word: { kind: 'market', symbol }, end: at + name.length };
  const corrected = correction(name);
  return corrected === undefined
    ? name || word
    : { word: { kind: 'means', roles: corrected }, end: at + name.length };
}
