import { isAction } from './action.ts';
import { lineFieldOf } from './body.ts';
import { type BodyReading, onlyTextOf, signalOf } from './fields.ts';
import { readJson } from './loose-json.ts';
import { plain, plainLines } from './plain.ts';
import { maxLengths, type Signal } from './signal.ts';
import { type HookBody, isBody, wordsOf } from './template.ts';

/** What TradingView sends for a strategy unless its user writes another message. */
const strategyMessage =
  /^(?<strategy>.{0,200}?):?\s*order (?<action>buy|sell) @ (?<contracts>\S+) filled on (?<ticker>\S+?)\.? New strategy position is (?<size>-?[\d.,]+)/is;

const pair =
  /^[#$]?(?:[A-Z]{2,20}:)?[A-Z0-9]{2,15}[/_-]?(?:USDT|USDC|USD)(?::USD[TC])?(?:\.P|-SWAP|-PERP)?$/i;

/** Reads a signal from a text without fields. */
export function signalOfText(text: string, reading: BodyReading): Signal {
  const body = Object.keys(reading.template).length === 0 ? bodyOf(text) : undefined;
  return body === undefined ? signalOfWords(text, reading) : signalOf(body, reading);
}

/** Returns the body that is written in the text of another, as in a message of Amazon SNS; otherwise the body itself. */
export function unwrapped(body: HookBody): HookBody {
  const [only, ...others] = Object.values(body);
  const text = (others.length === 0 && typeof only === 'string' ? only : onlyTextOf(body))?.trim() ?? '';
  const [inner] = text.startsWith('{') ? (readJson(text) ?? []) : [bodyOf(text)];
  return isBody(inner) ? inner : body;
}

/** A longer text is no command. */
const longestCommand = 500;

const bodyOf = (text: string): HookBody | undefined =>
  text.length > longestCommand ? undefined : (strategyOf(text) ?? commandOf(text));

function strategyOf(text: string): HookBody | undefined {
  const { strategy = '', action, contracts, ticker, size } = strategyMessage.exec(text)?.groups ?? {};
  return ticker === undefined
    ? undefined
    : {
        strategy: strategy.trim(),
        action,
        ticker,
        contracts,
        'strategy.position_size': size?.replaceAll(',', ''),
      };
}

/** A licence or an account is often the first word. */
const licence = /^\d{6,}$/;

/** A market, words about a position, and otherwise only numbers and settings: `closelong,BTCUSDT`, `buy BTCUSDT q=0.1`. */
function commandOf(text: string): HookBody | undefined {
  const words = text.split(/[\s,;()|]+/).filter((word) => word !== '');
  const markets = words.filter((word) => pair.test(word));
  const settings = words.filter((word) => /^[A-Za-z_]\w*=\S*$/.test(word));
  const action = words.filter((word) => ![...markets, ...settings].includes(word) && !licence.test(word));
  const isCommand =
    markets.length === 1 && action.length > 0 && words.length <= 20 && isAction(action.join(' '));
  return isCommand
    ? {
        symbol: markets[0],
        action: action.join(' '),
        title: words.filter((word) => !licence.test(word)).join(' '),
        ...Object.fromEntries(settings.map((each) => each.split('=', 2))),
      }
    : undefined;
}

/** The first line is the title, a trading pair in it is the market, and the whole text identifies the signal. */
function signalOfWords(text: string, reading: BodyReading): Signal {
  const words = wordsOf(plain(text, 2_000));
  const [line = '', ...otherLines] = plainLines(text, maxLengths.text).split('\n');
  const market = plain(line, maxLengths.title)
    .split(/[\s,;()]+/)
    .find((word) => pair.test(word) && word === word.toUpperCase());
  const sides = text.split(/[\r\n]+/, 50).flatMap((each) => lineFieldOf(each.trim()) ?? []);
  const side = sides.find(
    ([name, value]) => /^(direction|position|side|(signal|trade) type)$/i.test(name) && isAction(value),
  );
  const { template } = reading;
  const read = signalOf(
    { ...words },
    {
      ...reading,
      template: {
        symbol: market ?? '',
        direction: market === undefined ? '' : (side?.[1] ?? ''),
        severity: '',
        status: '',
        name: plain(text, 2_000),
        title: '',
        text: '',
        ...template,
      },
    },
  );
  const title = read.title === '' ? plain(line, maxLengths.title) : read.title;
  return { ...read, title, text: read.text === '' ? otherLines.join('\n') : read.text, facts: [] };
}
