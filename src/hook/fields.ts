import type { Hook, HookField } from '../alert/hook.ts';
import { type Action, isAction, isUnknown, opposite, type Position, readAction, sideOf } from './action.ts';
import { type Finder, finderOf, isMissing } from './names.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, maxFacts, maxLengths, type Signal } from './signal.ts';
import { isEndWord, isEventType, isUpWord, leadOf, saysEnd, severityOf } from './signal-words.ts';
import { fill, type HookBody, isConfidential, type Leaf, leavesOf, nameOf } from './template.ts';

export interface MarketReading {
  /**
   * Returns the tracked market that a text means; undefined if it means none.
   * @param given the exchange and the price that the sender names: another exchange or price may be another asset's
   */
  readonly symbolOf: (
    text: string,
    given?: { readonly exchange?: string | undefined; readonly price?: number | undefined },
  ) => string | undefined;
}

export interface BodyReading extends MarketReading, Pick<Hook, 'template' | 'severity'> {}

/** Reads a signal from a JSON object, by the template, and for other fields by their usual names. */
export function signalOf(body: HookBody, { template, severity, symbolOf }: BodyReading): Signal {
  const leaves = leavesOf(body);
  const find = finderOf(leaves);
  const filled = (field: HookField) => template[field] && fill(template[field], body);
  const symbolTexts = find('symbol');
  const symbolText = (
    filled('symbol') ??
    symbolTexts.find((each) => !isQuote(each)) ??
    symbolTexts[0] ??
    ''
  ).trim();
  const isMarket = symbolText !== '';
  const [exchange] = template.symbol === undefined ? find('exchange') : [];
  const price = find('price')
    .map((each) => Number(each.normalize('NFKC').replaceAll(/[^\d.e+-]/gi, '')))
    .find((each) => each > 0 && each < Number.POSITIVE_INFINITY);
  const symbol = isMarket ? symbolOf(symbolText, { exchange, price }) : undefined;
  const ticker = symbol === undefined ? plain(tickerOf(symbolText, exchange), maxLengths.name) : '';
  const direction = filled('direction');
  const isTrade =
    isMarket ||
    direction !== undefined ||
    [...find('action'), ...find('side'), ...find('marketPosition')].some(isTradeWord);
  const { action, unknown, texts } = isTrade ? tradeOf(find, leaves, direction) : overOf(find);
  const text = plainLines(filled('text') ?? find('text')[0], maxLengths.text);
  const titled = plain(filled('title') ?? find('title')[0] ?? '', maxLengths.title);
  // A short text says as much as a title.
  const isShort = titled === '' && text !== '' && text.length <= maxLengths.title;
  const title = isShort ? plain(text, maxLengths.title) : titled || ticker;
  const name = plain(
    filled('name') ?? find('name').find((each) => !(isTrade && isAction(each)) && !isEventType(each)) ?? '',
    10 * maxLengths.name,
  );
  const isSaid = isTrade && (action !== undefined || unknown !== undefined);
  const positions = action === undefined ? [] : [...find('marketPosition'), ...find('previousPosition')];
  const [id = ''] = isTrade ? [] : find('id');
  const [lead, subject] = leadOf(
    name || plain(id, maxLengths.name) || (isAction(titled) ? '' : titled || (isShort ? title : '')),
  );
  // Texts often contain changing numbers, so they identify a signal only if nothing else does.
  const identifier =
    isMarket && isSaid ? name : subject || (isSaid ? '' : text || (action ? '' : wordsIn(leaves)));
  const [instance = ''] = isTrade ? [] : find('instance');
  const said = template.status === undefined ? find('status') : [filled('status') ?? ''];
  const statuses = [...said, lead].filter((each) => each !== '');
  const levels = isMarket ? [] : find('level');
  const isOver = [...statuses, ...levels].some(
    (each) => isEndWord(each) || ((template.status !== undefined || !isMarket) && isUpWord(each)),
  );
  return {
    ended: isOver || action?.act === 'end',
    identity: {
      ...(identifier !== '' && { name: labelOf(identifier) }),
      ...(symbol !== undefined ? { symbol } : ticker !== '' && { ticker: labelOf(ticker) }),
      ...(instance !== '' && { instance: plain(instance, maxLengths.name) }),
      ...(unknown !== undefined && { action: labelOf(plain(unknown.toLowerCase(), maxLengths.name)) }),
    },
    direction: action?.direction,
    change: isOver ? undefined : action?.change,
    isCancelled: action?.isCancelled,
    severity:
      severityOf(
        filled('severity') ?? find('severity').find((each) => severityOf(each) !== undefined) ?? '',
      ) ?? severity,
    title,
    text: isShort ? '' : text,
    facts: factsOf(leaves, new Set([titled, symbolText, text, ...(isSaid ? texts : []), ...positions])),
    kept: false,
    endSaidFor: action?.isPosition ? 'position' : statuses.length > 0 ? 'status' : undefined,
  };
}

const findOuter = (body: HookBody) => finderOf(leavesOf(body).filter(({ path }) => path.length === 1));

/** Returns whether a body says by itself what it is about. */
export function isSignal(body: HookBody): boolean {
  const find = findOuter(body);
  return (['symbol', 'action', 'name', 'title', 'text'] as const).some((field) => find(field).length > 0);
}

/** Returns the text of a body that says everything in its text. */
export function onlyTextOf(body: HookBody): string | undefined {
  const find = findOuter(body);
  const isMore = (['symbol', 'action', 'name', 'title'] as const).some((field) => find(field).length > 0);
  return isMore ? undefined : find('text')[0];
}

/** Returns the name of what is no tracked market, with the exchange before it: `AMEX:BTC`. */
const tickerOf = (text: string, exchange: string | undefined): string =>
  text === '' || exchange === undefined || text.includes(':') ? text : `${exchange}:${text}`;

/** Returns what tells bodies apart in which nothing is understood: the names in them and the texts without digits. */
const wordsIn = (leaves: readonly Leaf[]): string =>
  plain(
    leaves
      .filter(({ path }) => !path.some(isConfidential))
      .map(
        ({ path, value }) =>
          `${path.join('.')}${typeof value === 'string' && !/\d/.test(value) ? ` ${value}` : ''}`,
      )
      .join(' '),
    4_000,
  );

interface Said {
  readonly action?: Action | undefined;
  /** An action that is not understood. */
  readonly unknown?: string | undefined;
  readonly texts: readonly string[];
}

/** What a market is quoted in, where the coin has a field of its own. */
const isQuote = (text: string): boolean => /^(USD|USDT|USDC|BUSD|EUR)$/i.test(text.trim());

/** Returns whether a text says something of a position, where no market is named. */
function isTradeWord(text: string): boolean {
  // What is watched goes up and down as well, and is closed.
  return readAction([text])?.direction !== undefined && !/^\W*(up|down)\W*$/i.test(text);
}

/** What is not about a market has no position: it goes on or is over. */
function overOf(find: Finder): Said {
  const isOver =
    find('endedAt').some((each) => Date.parse(each) > 0 || Number(each) > 0) ||
    find('action').some((each) => isEndWord(each) || isUpWord(each)) ||
    find('type').some((each) => /^\S+$/.test(each) && (saysEnd(each) || isUpWord(each)));
  return isOver ? { action: { act: 'end' }, texts: [] } : { texts: [] };
}

/** Types of orders and of trades of others, not of what is done. */
const otherType = /^(stop|take|trail|limit|market|liquidation$)/i;

/** Returns what a signal about a market says of a position. @param direction the text that the template reads it from */
function tradeOf(find: Finder, leaves: readonly Leaf[], direction: string | undefined): Said {
  if (direction !== undefined) return saidBy(direction.trim() === '' ? [] : [direction]);
  const [act] = find('action');
  const position = positionOf(find);
  const isClear = position?.now === 'flat' || (position?.before ?? position?.now) !== position?.now;
  if (act !== undefined && isUnknown(act) && !isClear) return saidBy([act]);
  const hints = [...find('type').filter((each) => !otherType.test(each)), ...find('hint')].filter(
    (each) => isAction(each) && readAction([each])?.change !== 'levels',
  );
  const texts = [...find('action'), ...find('side')];
  const read = saidBy([...texts, ...hints], position);
  const { action } = read;
  const isWhole = action?.act === 'begin' && flagOf(leaves, 'closeposition') === true;
  const isPart =
    (action?.act === 'begin' && flagOf(leaves, 'reduceonly') === true) ||
    (action?.act === 'end' && flagOf(leaves, 'isfinalexit') === false);
  if (position !== undefined || (!isWhole && !isPart)) return read;
  // An order that only reduces is against the position.
  const held = action.act === 'end' ? action.direction : action.direction && opposite[action.direction];
  const said: Action = isWhole ? { act: 'end' } : { act: 'change', change: 'reduced' };
  return { ...read, action: { ...said, direction: held, isPosition: true } };
}

const flagOf = (leaves: readonly Leaf[], name: string): boolean | undefined => {
  const value = leaves.find(({ path }) => nameOf(...path.slice(-1)) === name)?.value;
  return value === undefined ? undefined : /^(true|1|yes)$/i.test(String(value));
};

function saidBy(texts: readonly string[], position?: Position): Said {
  const action = readAction(texts, position);
  const unknown = action === undefined ? texts.find(isUnknown) : undefined;
  return unknown !== undefined && isEndWord(unknown)
    ? { action: { act: 'end', isPosition: true }, texts }
    : { action, unknown, texts };
}

function positionOf(find: Finder): Position | undefined {
  const sides = (...texts: readonly string[]) => texts.map(sideOf).find((each) => each !== undefined);
  const [own] = find('ownSize');
  const [ownBefore] = find('ownBefore');
  const isOwn = !(Number(own) > 0) || ownBefore !== undefined || find('orderSize').length > 0;
  const signed = find('signedSize')[0] ?? (isOwn ? own : undefined);
  const reported = sides(...find('marketPosition'), ...(find('action').length > 0 ? find('sentiment') : []));
  const now = reported ?? heldBy(signed);
  if (now === undefined) return undefined;
  const [size, previous] = [find('size')[0] ?? signed, find('previousSize')[0] ?? ownBefore].map((each) =>
    Math.abs(Number(each ?? Number.NaN)),
  );
  const growth = (size ?? Number.NaN) - (previous ?? Number.NaN);
  return {
    now,
    before: sides(...find('previousPosition')) ?? (reported === undefined ? heldBy(ownBefore) : undefined),
    growth: Number.isFinite(growth) ? growth : undefined,
  };
}

/** Returns the position that a size with a sign means. */
function heldBy(signed = ''): Position['now'] | undefined {
  const size = Number.parseFloat(signed);
  return size === 0 ? 'flat' : size > 0 ? 'up' : size < 0 ? 'down' : undefined;
}

function factsOf(leaves: readonly Leaf[], shownTexts: ReadonlySet<string>): Signal['facts'] {
  const facts: { name: string; value: string }[] = [];
  for (const { path, value: given } of leaves) {
    if (facts.length === maxFacts) break;
    const name = plain(path.join('.'), maxLengths.fact);
    const isKnown = shownTexts.has(String(given)) || shownTexts.has(plain(given, maxLengths.value));
    const value = isMissing(given) ? '' : plain(given, maxLengths.value);
    if (name !== '' && (value !== '' || isMissing(given)) && !isKnown && !path.some(isConfidential))
      facts.push({ name, value });
  }
  return facts;
}
