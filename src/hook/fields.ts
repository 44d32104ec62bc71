import type { Hook, HookField } from '../alert/hook.ts';
import { type Action, isAction, isUnknown, opposite, type Position, readAction, sideOf } from './action.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, maxFacts, maxLengths, type Signal } from './signal.ts';
import { isEndWord, isEventType, isUpWord, leadOf, saysEnd, severityOf } from './signal-words.ts';
import { fill, type HookBody, isConfidential, type Leaf, leavesOf, nameOf } from './template.ts';

/**
 * The usual names of each field, in order of preference, without separators: those that TradingView's scripts, bots, monitors
 * and tutorials use.
 */
const usual = {
  name: 'alertname alarmname rulename monitorname monitorfriendlyname alarm alertrule checkname searchname servicedesc triggername eventname alert name friendlyname strategy condition dedupkey alias event',
  symbol: 'symbol ticker tvinstrument pair instrument instid market coin',
  exchange: 'exchange tvexchange venue',
  price:
    'price lastprice markprice currentprice signalprice triggerprice orderprice strategyorderprice openrate currentrate closerate',
  severity: 'severity priority importance level triggerseverity eventseverity priorityname severityname',
  /** A level may also say that there is no trouble any more. */
  level: 'severity level',
  title:
    'title alertname alarmname rulename monitorname monitorfriendlyname alarm alertrule checkname searchname servicedesc triggername eventname alert name friendlyname strategy condition event',
  text: 'message text description comment content body msg summary alarmdescription newstatereason',
  status:
    'status state currentstate currentstatus newstate newstatevalue eventstatus triggerstatus alertstatus alerttransition alerttypefriendlyname eventaction monitorcondition servicestate hoststate notificationtype actiongroup statusname',
  endedAt: 'resolvedat recoveredat',
  id: 'alertid alertuid incidentid issueid triggerid',
  /** What is done: the first of them is shown as not understood where it is not. */
  action: 'action strategyorderaction orderaction tradeaction command cmd operation intent',
  side: 'side orderside direction',
  /** Fields that often say something else: they count only where all of their words are understood. */
  type: 'type event eventtype eventname webhookevent tradetype alerttype',
  hint: 'signal signaltype code position positionside order alert name title condition orderid id comment strategyorderid strategyordercomment',
  sentiment: 'sentiment',
  marketPosition: 'marketposition strategymarketposition newmarketposition',
  previousPosition:
    'prevmarketposition strategyprevmarketposition previousmarketposition prevposition previousposition',
  /** Negative where the position is short. */
  signedSize: 'strategypositionsize',
  size: 'marketpositionsize strategymarketpositionsize',
  previousSize: 'prevmarketpositionsize strategyprevmarketpositionsize',
  instance: 'hostname host instance server node device monitorid checkid',
} as const satisfies Record<string, string>;
type Usual = keyof typeof usual;
const namesOf = Object.fromEntries(
  Object.entries(usual).map(([field, names]) => [field, names.split(' ')]),
) as unknown as Readonly<Record<Usual, readonly string[]>>;

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

/** Objects beside what a body is about: who sends it or acts, and kinds of things. */
const asides = new Set(
  'source sender user actor author agent creator owner assignee reporter integration installation app application team teams organization client account priority severity status state type'.split(
    ' ',
  ),
);
const isAside = (path: readonly string[]): boolean => asides.has(nameOf(path.at(-2) ?? ''));

/** Returns what finds the texts of a body by the usual names of their fields, the preferred ones first. */
function finderOf(leaves: readonly Leaf[]) {
  const byName = new Map<string, string>();
  // The name alone, and with those around it: `order.action`. The name of a person is not that of what happened.
  for (const { path, value } of leaves)
    for (const key of [isAside(path) ? [] : path.slice(-1), path.slice(-2), path].map((names) =>
      nameOf(...names),
    ))
      if (typeof value !== 'boolean' && !isMissing(value))
        byName.getOrInsert(key, String(value).slice(0, 4_000));
  return (field: Usual): readonly string[] =>
    namesOf[field].flatMap((name) => {
      const text = byName.get(name) ?? '';
      return text === '' ? [] : [text];
    });
}
type Finder = ReturnType<typeof finderOf>;

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
    .map(Number)
    .find((each) => each > 0);
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
  const isPart =
    (action?.act === 'begin' && flagOf(leaves, 'reduceonly') === true) ||
    (action?.act === 'end' && flagOf(leaves, 'isfinalexit') === false);
  if (!isPart || position !== undefined) return read;
  // An order that only reduces is against the position.
  const held = action.act === 'end' ? action.direction : action.direction && opposite[action.direction];
  return { ...read, action: { act: 'change', change: 'reduced', direction: held, isPosition: true } };
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
  const reported = [...find('marketPosition'), ...(find('action').length > 0 ? find('sentiment') : [])];
  const [size, previous, signed] = (['size', 'previousSize', 'signedSize'] as const).map((field) =>
    Math.abs(Number(find(field)[0] ?? Number.NaN)),
  );
  const [signedText] = find('signedSize');
  const now =
    sides(...reported) ??
    (signedText === undefined || Number.isNaN(signed)
      ? undefined
      : signed === 0
        ? 'flat'
        : signedText.trim().startsWith('-')
          ? 'down'
          : 'up');
  if (now === undefined) return undefined;
  const growth = (size ?? Number.NaN) - (previous ?? Number.NaN);
  return {
    now,
    before: sides(...find('previousPosition')),
    growth: Number.isFinite(growth) ? growth : undefined,
  };
}

/** What languages print where there is no number. */
const isMissing = (value: Leaf['value']): boolean =>
  typeof value === 'number' ? !Number.isFinite(value) : /^\s*(nan|[+-]?inf(inity)?)\s*$/i.test(String(value));

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
