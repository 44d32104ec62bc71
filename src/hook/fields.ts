import type { Hook, HookField } from '../alert/hook.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, maxFacts, maxLengths, type Signal } from './signal.ts';
import { directionOf, isEndWord, severityOf } from './signal-words.ts';
import { fill, type HookBody, valueAt, wordsOf } from './template.ts';

/** The usual names of each field, in order of preference: those that TradingView's scripts, bots and tutorials use. */
const usualNames: Readonly<Record<HookField, readonly string[]>> = {
  name: ['alert_name', 'alertname', 'alert', 'name', 'strategy', 'condition', 'event'],
  symbol: ['symbol', 'ticker', 'pair', 'market', 'instrument', 'coin'],
  direction: [
    'direction',
    'side',
    'action',
    'signal',
    'signal_type',
    'position',
    'order_action',
    'strategy.order.action',
    'market_position',
    'strategy.market_position',
    'type',
  ],
  severity: ['severity', 'priority', 'importance', 'level'],
  title: ['title', 'alert_name', 'alertname', 'alert', 'name', 'strategy', 'condition', 'event'],
  text: ['message', 'text', 'description', 'comment', 'content', 'body'],
  status: ['status', 'state'],
};

/** Words of usual fields that say that a position is closed, whatever the order does that closes it. */
const closings = new Set(['close', 'closed', 'exit', 'flat']);

/** People put such fields into bodies to authenticate themselves, so they are never shown. */
const confidential = /secret|token|passw|passphrase|api_?key|auth/i;

export interface BodyReading extends Pick<Hook, 'template' | 'severity'> {
  /** Returns the tracked market that a text means; undefined if it means none. */
  readonly symbolOf: (text: string) => string | undefined;
}

/** Reads a signal from a JSON object, by the template, and for other fields by their usual names. */
export function signalOf(body: HookBody, { template, severity, symbolOf }: BodyReading): Signal {
  const readField = (field: HookField, fits: (text: string) => boolean = (text) => text !== ''): string => {
    const given = template[field];
    if (given !== undefined) return fill(given, body);
    const found = usualNames[field].map((path) => scalar(valueAt(body, path))).find(fits);
    return found ?? '';
  };
  const symbolText = plain(readField('symbol'), maxLengths.name);
  const symbol = symbolOf(symbolText);
  const directionText = readField('direction', (text) => directionOf(text) !== undefined || isEndWord(text));
  const direction = directionOf(directionText);
  const isClosed =
    template.direction === undefined &&
    usualNames.direction.some((path) => closings.has(scalar(valueAt(body, path)).trim().toLowerCase()));
  const title = plain(readField('title'), maxLengths.title);
  const text = plainLines(readField('text'), maxLengths.text);
  const name = plain(readField('name'), 10 * maxLengths.name);
  const market = symbol !== undefined ? { symbol } : symbolText !== '' ? { ticker: symbolText } : {};
  // Texts often contain changing numbers, so they identify a signal only if nothing else does.
  const identifier = name !== '' || (symbolText !== '' && directionText !== '') ? name : title || text;
  return {
    ended: isEndWord(readField('status', isEndWord)) || isEndWord(directionText) || isClosed,
    identity: { ...(identifier !== '' && { name: labelOf(identifier) }), ...market },
    ...(direction !== undefined && { direction }),
    severity: severityOf(readField('severity', (each) => severityOf(each) !== undefined)) ?? severity,
    title: title === '' && text.length <= maxLengths.title ? plain(text, maxLengths.title) : title,
    text: title === '' && text.length <= maxLengths.title ? '' : text,
    facts: factsOf(body, new Set([title, symbolText, text, directionText])),
    kept: false,
  };
}

/** Reads a signal from unstructured text: its first line is the title, and a trading pair in that line is the market. */
export function signalOfText(text: string, reading: BodyReading): Signal {
  const words = wordsOf(plain(text, 2_000));
  const [line = '', ...otherLines] = plainLines(text, maxLengths.text).split('\n');
  const pair = plain(line, maxLengths.title)
    .split(/[\s,;()]+/)
    .find((word) => /^([A-Z]{2,20}:)?[A-Z0-9]{2,15}(USDT|USDC|USD)(\.P)?$/.test(word));
  const { template } = reading;
  const read = signalOf(
    { ...words },
    {
      ...reading,
      template: {
        symbol: pair ?? '',
        direction: '',
        severity: '',
        status: '',
        name: plain(text, 2_000).replaceAll(/[{}]/g, ''),
        title: '',
        text: '',
        ...template,
      },
    },
  );
  const title = read.title === '' ? plain(line, maxLengths.title) : read.title;
  return { ...read, title, text: read.text === '' ? otherLines.join('\n') : read.text, facts: [] };
}

const scalar = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 4_000) : '';

function factsOf(body: HookBody, shownTexts: ReadonlySet<string>): Signal['facts'] {
  const facts: { name: string; value: string }[] = [];
  for (const [key, given] of Object.entries(body)) {
    if (facts.length === maxFacts) break;
    const name = plain(key, maxLengths.fact);
    const value = plain(given, maxLengths.value);
    if (name !== '' && value !== '' && !shownTexts.has(value) && !confidential.test(key))
      facts.push({ name, value });
  }
  return facts;
}
