import type { SignalDirection } from './signal.ts';

/** What a signal says about a position: it begins, it ends, or it goes on and has changed. */
export interface Action {
  readonly act: 'begin' | 'end' | 'change';
  /** The direction of the position, not of the order. */
  readonly direction?: SignalDirection | undefined;
  /** How a position that goes on has changed. */
  readonly change?: PositionChange;
  /** The sender takes its own entry back. */
  readonly isCancelled?: true;
  /** It is said what becomes of a position, so that its end will be said too: `enter_long`, not only `buy`. */
  readonly isPosition?: true;
}

export const positionChanges = ['reduced', 'increased', 'levels', 'exit-cancelled'] as const;
export type PositionChange = (typeof positionChanges)[number];

/** The words of senders' documents: TradingView, freqtrade, 3Commas, OKX, TradersPost, PineConnector, WunderTrading and others. */
const words = {
  up: 'long longs bull bullish up uptrend upward upwards',
  down: 'short shorts bear bearish down downtrend downward downwards',
  buy: 'buy buys bought buying purchase',
  sell: 'sell sells sold selling',
  open: 'enter enters entry entries entered entering open opens opened opening start started begin go initiate',
  close:
    'exit exits exited exiting close closes closed closing closure flat flatten flattened liquidate liquidated liquidation square squared end ended finish finished stopped unwind',
  cover: 'cover covers covered covering',
  reverse: 'reverse reversed reversal flip flipped switch turn turned',
  reduce:
    'reduce reduced reduces reducing partial partially trim trimmed decrease decreased half pct percent vol',
  add: 'add added adds adding increase increased pyramid pyramiding dca average averaging',
  cancel:
    'cancel cancelled canceled cancellation cancelling abort aborted rejected expired revoked withdrawn',
  level: 'tp sl takeprofit stoploss target targets stop stops profit loss',
  set: 'set move moved update updated modify modified adjust adjusted change changed edit edited trail breakeven',
  all: 'all full fully whole entire everything',
  new: 'new',
  filler:
    'fill filled fills order orders position positions trade trades trading strong weak confirmed signal signals strategy market limit alert now the my to and on at of for a by in out off hit reached triggered trigger executed execute done force forced emergency regular type side deal deals bot level price take net webhook request',
} as const;
/** What a word is; a number is a price, the place of a target, or a share. */
type Kind = keyof typeof words | 'number' | 'index' | 'share';
const kindByWord: ReadonlyMap<string, Kind> = new Map(
  Object.entries(words).flatMap(([kind, list]) =>
    list.split(' ').map((each) => [each, kind as Kind] as const),
  ),
);

/** `TP3` is the third target; a greater number is a price. */
const maxTargets = 10;

/** A longer text is no action. */
const longestText = 60;

/**
 * Splits a text into words, however they are joined: `exit_long`, `exitLong`, `EXIT-LONG`, `exitlong`, `TP1`. Returns the kind of
 * each; undefined if one is not in the vocabulary.
 */
function kindsOf(text: string): readonly Kind[] | undefined {
  if (text.length > longestText) return undefined;
  const tokens = text
    .normalize('NFKC')
    // TradingView's own id of an order that closes: `Close entry(s) order Long`.
    .replace(/close entry\(s\) order/i, 'close')
    // A pending order of MetaTrader, and no stop.
    .replace(/(buy|sell)[\s_-]*stop(?![\s_-]*loss)/i, '$1')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/scal(?:e|ed|ing)[\s_-]*(in|out)(?![a-z])/g, (_, way) => (way === 'in' ? ' add ' : ' reduce '))
    .match(/\p{L}+|\d+(?:\.\d+)?\s*%?/gu);
  const kinds = (tokens ?? []).map((token): readonly Kind[] | undefined => {
    if (!/^\d/.test(token)) return split(token);
    const value = Number.parseFloat(token);
    if (token.endsWith('%')) return [value < 100 ? 'share' : 'number'];
    return [Number.isInteger(value) && value <= maxTargets ? 'index' : 'number'];
  });
  return kinds.includes(undefined) ? undefined : kinds.flatMap((each) => each ?? []);
}

/** Splits words that were written as one; the longest word first. */
function split(token: string): readonly Kind[] | undefined {
  const kind = kindByWord.get(token);
  if (kind !== undefined) return [kind];
  for (let end = token.length - 1; end > 1; end -= 1) {
    const first = kindByWord.get(token.slice(0, end));
    const rest = first === undefined ? undefined : split(token.slice(end));
    if (first !== undefined && rest !== undefined) return [first, ...rest];
  }
  return undefined;
}

interface Clause {
  verb?: 'open' | 'close' | undefined;
  readonly kinds: Set<Kind>;
}

/** Splits what is said of closing from what is said of opening: `close_short_open_long`. */
function clausesOf(kinds: readonly Kind[]): readonly Clause[] {
  const clauses: Clause[] = [{ kinds: new Set() }];
  for (const kind of kinds) {
    const verb =
      kind === 'open' || kind === 'reverse'
        ? 'open'
        : kind === 'close' || kind === 'cover'
          ? 'close'
          : undefined;
    let clause = clauses.at(-1) as Clause;
    if (verb !== undefined && clause.verb !== undefined && clause.verb !== verb) {
      clause = { kinds: new Set() };
      clauses.push(clause);
    }
    clause.verb ??= verb;
    clause.kinds.add(kind);
  }
  return clauses;
}

const only = (kinds: ReadonlySet<Kind>, [up, down]: readonly [Kind, Kind]): SignalDirection | undefined =>
  kinds.has(up) === kinds.has(down) ? undefined : kinds.has(up) ? 'up' : 'down';
export const opposite = { up: 'down', down: 'up' } as const;

/** Returns whether a text consists of words about positions and says something. */
export const isAction = (text: string): boolean =>
  kindsOf(text)?.some((kind) => kind !== 'filler' && kind !== 'number' && kind !== 'index') === true;

/** Returns whether a text has a word that is not in the vocabulary. */
export const isUnknown = (text: string): boolean => /\p{L}/u.test(text) && kindsOf(text) === undefined;

/** Returns the side that a text names alone: `long`, `SHORT`, `flat`. */
export function sideOf(text: string): SignalDirection | 'flat' | undefined {
  const kinds = new Set(kindsOf(text));
  return (
    only(kinds, ['up', 'down']) ??
    (kinds.has('close') || /^\W*(none|neutral|0)\W*$/i.test(text) ? 'flat' : undefined)
  );
}

/** The position after a signal, as the strategies of TradingView report it. It says more than the order that led to it. */
export interface Position {
  readonly now: SignalDirection | 'flat';
  readonly before?: SignalDirection | 'flat' | undefined;
  /** The size now minus the size before; undefined if it is not known. */
  readonly growth?: number | undefined;
}

/**
 * Returns what the words of a signal say, or undefined if they say nothing of a position.
 * @param texts the texts that say what is done, in order of preference; those with unknown words are ignored
 * @param position it outranks the words
 */
export function readAction(texts: readonly string[], position?: Position): Action | undefined {
  const read = texts.flatMap((text) => {
    const kinds = kindsOf(text);
    return kinds === undefined || kinds.length === 0 ? [] : [clausesOf(kinds)];
  });
  const clauses = read
    .map((each) => each.find(({ verb }) => verb === 'open') ?? each.at(-1))
    .filter((each) => each !== undefined);
  const all = new Set(clauses.flatMap(({ kinds }) => [...kinds]));
  const verb = clauses.find((clause) => clause.verb !== undefined)?.verb;
  const side =
    firstOf(clauses, ['up', 'down']) ?? (verb === 'close' && all.has('cover') ? 'down' : undefined);
  const order = firstOf(clauses, ['buy', 'sell']);
  if (position !== undefined)
    return { ...actionOfPosition(position, { all, verb, order }), isPosition: true };
  const action = actionOfWords({ all, verb, side, order });
  return action && { ...action, ...((verb !== undefined || action.act !== 'begin') && { isPosition: true }) };
}

interface Said {
  readonly all: ReadonlySet<Kind>;
  readonly verb: Clause['verb'];
  readonly side?: SignalDirection | undefined;
  /** The direction of the order: an order that sells makes a long position smaller. */
  readonly order: SignalDirection | undefined;
}

function actionOfWords({ all, verb, side, order }: Said): Action | undefined {
  const change = (change: PositionChange, direction = side): Action => ({ act: 'change', change, direction });
  const held = side ?? (order && opposite[order]);
  const isPart = all.has('reduce') || (verb === 'close' && all.has('share'));
  if (all.has('cancel'))
    return verb === 'close'
      ? change('exit-cancelled')
      : { act: 'end', isCancelled: true, direction: side ?? order };
  if (all.has('set') || (all.has('new') && all.has('level'))) return change('levels');
  if (isPart) return change('reduced', held);
  if (verb === 'close') return { act: 'end', direction: side };
  if (all.has('add')) return change('increased', side ?? order);
  // `TP1` is one of several targets, `SL 95` a stop that is set; after `TP` or `SL` nothing is left.
  if (verb === undefined && all.has('level'))
    return all.has('index')
      ? change('reduced', held)
      : all.has('number')
        ? change('levels')
        : { act: 'end', direction: side };
  if (verb === undefined && side !== undefined && order !== undefined && side !== order)
    return change('reduced');
  if (verb === undefined && side === undefined && order === undefined) return undefined;
  return { act: 'begin', direction: side ?? order };
}

function firstOf(clauses: readonly Clause[], pair: readonly [Kind, Kind]): SignalDirection | undefined {
  for (const { kinds } of clauses) {
    const found = only(kinds, pair);
    if (found !== undefined) return found;
  }
  return undefined;
}

function actionOfPosition({ now, before, growth }: Position, { all, verb, order }: Said): Action {
  if (now === 'flat') return { act: 'end', direction: before === 'flat' ? undefined : before };
  if (before !== undefined && before !== now) return { act: 'begin', direction: now };
  const isSmaller =
    growth === undefined || growth === 0
      ? order === opposite[now] || verb === 'close' || all.has('reduce') || all.has('level')
      : growth < 0;
  if (isSmaller) return { act: 'change', change: 'reduced', direction: now };
  if (all.has('add') || (before === now && (order === now || verb === 'open' || (growth ?? 0) > 0)))
    return { act: 'change', change: 'increased', direction: now };
  return { act: 'begin', direction: now };
}
