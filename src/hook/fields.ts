import type { Hook, HookField } from '../alert/hook.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, longest, mostFacts, type Signal } from './signal.ts';
import { fill, type HookBody, valueAt, wordsOf } from './template.ts';
import { directionOf, saysEnded, severityOf } from './words.ts';

/** The usual names of each field, in order of preference: those that TradingView's scripts, bots and tutorials use. */
const usual: Readonly<Record<HookField, readonly string[]>> = {
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

/** People put such fields into bodies to authenticate themselves, so they are never shown. */
const confidential = /secret|token|passw|passphrase|api_?key|auth/i;

export interface BodyReading extends Pick<Hook, 'template' | 'severity'> {
  /** Returns the tracked market that a text means; undefined if it means none. */
  readonly symbolOf: (text: string) => string | undefined;
}

/** Reads a signal from a JSON object, by the template, and for other fields by their usual names. */
export function signalOf(body: HookBody, { template, severity, symbolOf }: BodyReading): Signal {
  const first = (field: HookField, fits: (text: string) => boolean = (text) => text !== ''): string => {
    const given = template[field];
    if (given !== undefined) return fill(given, body);
    const found = usual[field].map((path) => scalar(valueAt(body, path))).find(fits);
    return found ?? '';
  };
  const said = plain(first('symbol'), longest.name);
  const symbol = symbolOf(said);
  const way = first('direction', (text) => directionOf(text) !== undefined || saysEnded(text));
  const direction = directionOf(way);
  const title = plain(first('title'), longest.title);
  const text = plainLines(first('text'), longest.text);
  const name = plain(first('name'), 10 * longest.name);
  const market = symbol !== undefined ? { symbol } : said !== '' ? { ticker: said } : {};
  // Texts often contain changing numbers, so they identify a signal only if nothing else does.
  const known = name !== '' || (said !== '' && way !== '') ? name : title || text;
  return {
    ended: saysEnded(first('status', saysEnded)) || saysEnded(way),
    identity: { ...(known !== '' && { name: labelOf(known) }), ...market },
    ...(direction !== undefined && { direction }),
    severity: severityOf(first('severity', (each) => severityOf(each) !== undefined)) ?? severity,
    title: title === '' && text.length <= longest.title ? plain(text, longest.title) : title,
    text: title === '' && text.length <= longest.title ? '' : text,
    facts: factsOf(body, new Set([title, said, text, way])),
    kept: false,
  };
}

/** Reads a signal from unstructured text: its first line is the title, and a trading pair in that line is the market. */
export function signalOfText(whole: string, reading: BodyReading): Signal {
  const words = wordsOf(plain(whole, 2_000));
  const [line = '', ...more] = plainLines(whole, longest.text).split('\n');
  const pair = plain(line, longest.title)
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
        name: plain(whole, 2_000).replaceAll(/[{}]/g, ''),
        title: '',
        text: '',
        ...template,
      },
    },
  );
  const title = read.title === '' ? plain(line, longest.title) : read.title;
  return { ...read, title, text: read.text === '' ? more.join('\n') : read.text, facts: [] };
}

const scalar = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 4_000) : '';

function factsOf(body: HookBody, said: ReadonlySet<string>): Signal['facts'] {
  const facts: { name: string; value: string }[] = [];
  for (const [key, given] of Object.entries(body)) {
    if (facts.length === mostFacts) break;
    const name = plain(key, longest.fact);
    const value = plain(given, longest.value);
    if (name !== '' && value !== '' && !said.has(value) && !confidential.test(key))
      facts.push({ name, value });
  }
  return facts;
}
