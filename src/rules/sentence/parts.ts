import { msg, type Text } from '../../language/text.ts';
import type { NumberWord, SentenceWord } from './words.ts';

export type Operator = '>' | '<' | '>=' | '<=';

/** Thrown within this folder only: why a sentence cannot be read. */
export class Unread extends Error {
  readonly text: Text;
  constructor(text: Text) {
    super();
    this.text = text;
  }
}

/** The words of a sentence by their part in it. Of each there is at most one. */
export interface Parts {
  readonly symbol?: string;
  readonly once?: boolean;
  readonly hold?: number;
  /** A window or a timeframe, ms. */
  readonly span?: number;
  /** Whether the window may be a day or a week of the calendar, and whether that is over. */
  readonly isNamed?: boolean;
  readonly isPast?: boolean;
  /** Whether the price is said to be at something. */
  readonly isAt?: boolean;
  readonly yearly?: boolean;
  readonly metric?: string | undefined;
  /** The order of what is left: S side, P side after its number, N number, W between two numbers, R reaches, U rises, D falls, L loses, V moves, t to, E line, F new, O state, B bullish or bearish, X golden or death cross, Q label. */
  readonly order: string;
  readonly side?: Operator;
  readonly number?: NumberWord;
  /** The two that it is to be between. */
  readonly range?: readonly [NumberWord, NumberWord] | undefined;
  readonly lines: readonly string[];
  /** Whether another average than the exponential one may be meant. */
  readonly isSimple?: boolean;
  /** `oversold`, `goldenCross`, or a label. */
  readonly state?: string;
}

const sides: Readonly<Record<string, Operator>> = {
  above: '>',
  below: '<',
  atLeast: '>=',
  atMost: '<=',
  postAbove: '>',
  postBelow: '<',
};
const letters: Readonly<Record<string, string>> = {
  ...{ above: 'S', below: 'S', atLeast: 'S', atMost: 'S', postAbove: 'P', postBelow: 'P', reach: 'R' },
  ...{ rise: 'U', fall: 'D', lose: 'L', move: 'V', to: 't', oversold: 'O', overbought: 'O' },
  new: 'F',
  ...{
    negative: 'O',
    positive: 'O',
    double: 'O',
    bullish: 'B',
    bearish: 'B',
    goldenCross: 'X',
    deathCross: 'X',
  },
};

const twoThings = (): Unread =>
  new Unread(msg('It says two things where one can be meant: make two alerts.'));

const has = (word: SentenceWord | undefined, role: string): boolean =>
  word?.kind === 'means' && word.roles.includes(role);

/** Takes the two numbers out of `between 80k and 85k`. */
function takeRange(
  words: readonly SentenceWord[],
): Pick<Parts, 'range'> & { words: readonly SentenceWord[] } {
  if (!words.some((word) => has(word, 'between'))) return { words, range: undefined };
  for (const [at, low] of words.entries()) {
    const [joint, high] = [words[at + 1], words[at + 2]];
    const isJoint = ['and', 'to', 'reach'].some((role) => has(joint, role));
    if (low.kind === 'number' && isJoint && high?.kind === 'number')
      return {
        words: words.toSpliced(at, 3).filter((word) => !has(word, 'between')),
        range: [low, high],
      };
  }
  return { words, range: undefined };
}

export function partsOf(given: readonly SentenceWord[]): Parts {
  const { words, range } = takeRange(given);
  const taken: { -readonly [Part in keyof Parts]?: Parts[Part] } = {};
  const take = <Part extends keyof Parts>(part: Part, value: Parts[Part]) => {
    if (taken[part] !== undefined && taken[part] !== value) throw twoThings();
    taken[part] = value;
  };
  const lines: string[] = [];
  let order = range === undefined ? '' : 'W';
  const numbers = words.filter((word) => word.kind === 'number');
  const states = ['oversold', 'overbought', 'bullish', 'bearish', 'goldenCross', 'deathCross'];
  const isState = words.some((word) => word.kind === 'line' || states.some((role) => has(word, role)));
  const isSpan = (word: SentenceWord): boolean =>
    word.kind === 'span' ||
    (word.kind === 'number' &&
      word.span !== undefined &&
      (numbers.length > 1 || isState) &&
      word !== numbers.find(isLevel));
  const isLevel = (word: NumberWord): boolean => {
    const before = words[words.indexOf(word) - 1];
    return (
      word.span === undefined || ['above', 'below', 'atLeast', 'atMost'].some((role) => has(before, role))
    );
  };
  for (const [index, word] of words.entries()) {
    const [before, next] = [words[index - 1], words[index + 1]];
    if (isSpan(word)) {
      const ms = word.kind === 'span' ? word.ms : word.kind === 'number' ? (word.span ?? 0) : 0;
      take(has(before, 'hold') ? 'hold' : 'span', ms);
      if (word.kind === 'span' && word.isPast) take('isPast', true);
      if (word.kind === 'span' && word.isNamed) take('isNamed', true);
    } else if (word.kind === 'number') {
      take('number', word);
      order += 'N';
    } else if (word.kind === 'line') {
      lines.push(word.name);
      if (word.isSimple) take('isSimple', true);
      if (word.ms !== undefined) take('span', word.ms);
      order += 'E';
    } else if (word.kind === 'market' || word.kind === 'group') {
      // A market that is named again is a unit: `20 sol`.
      if (taken.symbol !== undefined) throw twoThings();
      take('symbol', word.kind === 'market' ? word.symbol : word.name);
    } else if (word.kind === 'means') {
      const { roles } = word;
      const role = roles[0] ?? '';
      const isTo = roles.includes('to') && next?.kind === 'number' && /[UD]$/.test(order);
      if (isTo) order += 't';
      else if (roles.some((each) => each === 'filler' || each === 'currency' || each === 'to')) {
        // A question asks for an answer, not for an alert.
        if (index === 0 && roles.includes('question')) throw new Unread(msg('That is a question.'));
      } else if (role === 'hold') {
        if (next === undefined || !isSpan(next)) throw new Unread(msg('For how long?'));
      } else if (role === 'once') take('once', true);
      else if (role === 'onceOrWhen') {
        // "Alert me once btc is above 24k" says when, not how often.
        if (index > 0 && (next === undefined || has(next, 'when') || has(next, 'hold'))) take('once', true);
      } else if (role === 'always') take('once', false);
      else if (role === 'at') take('isAt', true);
      else if (role === 'yearly') take('yearly', true);
      else if (role.startsWith('metric ')) taken.metric = metricWith(role.slice(7), taken.metric);
      else if (role.startsWith('label ')) {
        take('state', role.slice(6));
        order += 'Q';
      } else if (letters[role] !== undefined) {
        order += letters[role];
        if (sides[role] !== undefined) take('side', sides[role]);
        else if (/[OBX]/.test(letters[role])) take('state', role);
      } else
        throw new Unread(
          msg('It has a word that changes its meaning in a way that an alert cannot express.'),
        );
    }
  }
  return { ...taken, order, range, lines };
}

/** Returns the metric that two words for it mean together: "price change" is one, and so is "close price". @throws Unread */
function metricWith(name: string, before: string | undefined): string {
  if (before === undefined || before === name || before === 'price') return name;
  if (name === 'price' || (before === 'oi' && name === 'change')) return before;
  throw twoThings();
}
