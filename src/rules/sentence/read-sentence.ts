import { quoted } from '../../language/closest.ts';
import { msg, type Text } from '../../language/text.ts';
import { type MetricName, metricNames, metricOf } from '../metrics.ts';
import type { SentenceCondition } from './lines.ts';
import { meaningOf } from './meaning.ts';
import { type Parts, partsOf, Unread } from './parts.ts';
import { splitSentence } from './words.ts';

/** What a sentence may mean, in the inputs of an own alert. `for`: ms. */
export interface SentenceReading extends SentenceCondition {
  readonly symbols: readonly string[];
  readonly for?: number;
  readonly mode?: 'once';
}

/** How a sentence is read. With a question, one of the readings is to be chosen; with a problem, there is none. */
export interface ReadSentence {
  readonly readings: readonly SentenceReading[];
  readonly question?: Text | undefined;
  readonly problem?: Text;
  /** The word that is not understood. */
  readonly unknown?: string;
  /** Whether it names a market or a metric. */
  readonly isNamed: boolean;
  /** Whether it can be nothing but an alert: it has a level and on which side. */
  readonly isExplicit: boolean;
}

interface Markets {
  /** Returns the symbol that a word names exactly. Undefined: it names none. */
  readonly find: (word: string) => string | undefined;
  /** The markets that are offered where a sentence names none, the largest first. */
  readonly listed: readonly string[];
}

/**
 * Reads a sentence such as `btc above 24000` as an own alert, by a grammar in which each word has to mean something: a word that it does
 * not know, or a second market, level or window, and nothing is read. What could mean several things is never chosen.
 */
export function readSentence(sentence: string, markets: Markets): ReadSentence {
  const { words, unknown } = splitSentence(sentence, markets.find);
  const isNamed = words.some(
    (word) =>
      ['market', 'group', 'line'].includes(word.kind) || (word.kind === 'means' && isMetricWord(word)),
  );
  const nothing = { readings: [], isNamed, isExplicit: false };
  if (unknown !== undefined)
    return {
      ...{ ...nothing, unknown },
      problem: msg('{word} is not understood here.', {
        word: quoted(unknown),
      }),
    };
  try {
    const parts = partsOf(words);
    return {
      ...read(parts, markets),
      ...{ isNamed, isExplicit: isNamed && /N/.test(parts.order) && /[SPUDLV]/.test(parts.order) },
    };
  } catch (error) {
    if (error instanceof Unread) return { ...nothing, problem: error.text };
    throw error;
  }
}

const isMetricWord = ({ roles }: { readonly roles: readonly string[] }): boolean =>
  roles.some((role) => role.startsWith('metric '));

function read(parts: Parts, { listed }: Markets): Pick<ReadSentence, 'readings' | 'question'> {
  const { conditions, question } = meaningOf(parts);
  const [first] = conditions;
  const metrics = first === undefined ? [] : metricNames.filter((name) => isIn(name, first));
  const isOfMarket = metrics.every((name) => metricOf(name).about === 'market');
  if (isOfMarket && parts.symbol !== undefined)
    throw new Unread(msg('That is about the whole market: leave the market’s name out.'));
  const places = isOfMarket ? [[]] : parts.symbol !== undefined ? [[parts.symbol]] : offered(listed);
  const terms = {
    // It is merged over what was given beside the sentence.
    ...(parts.hold !== undefined && { for: parts.hold }),
    ...(parts.once && { mode: 'once' as const }),
  };
  const readings = places.flatMap((symbols) => conditions.map((each) => ({ ...each, symbols, ...terms })));
  const asked = question ?? (places.length > 1 ? msg('In which market?') : undefined);
  return { readings: readings.slice(0, maxReadings), question: asked };
}

/** The most readings that are offered: a card has room for so many buttons. */
const maxReadings = 6;
const offered = (listed: readonly string[]) => [...listed.slice(0, 2).map((each) => [each]), ['*']];

const isIn = (name: MetricName, { metric, when }: SentenceCondition): boolean =>
  metric === name || when?.split(/[\s()]+/).includes(name) === true;
