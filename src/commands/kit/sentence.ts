import { baseOf } from '../../alert/symbols.ts';
import type { Card } from '../../card/card.ts';
import { didYouMean } from '../../language/closest.ts';
import { UserError } from '../../language/errors.ts';
import { english, type Language } from '../../language/languages.ts';
import { languageName } from '../../language/say.ts';
import { lines, listOf, msg, type Text } from '../../language/text.ts';
import { buildRule, ruleSentence } from '../../places/rules.ts';
import { numeral } from '../../rules/expression.ts';
import { metricOf } from '../../rules/metrics.ts';
import { sentenceLanguages } from '../../rules/sentence/phrases.ts';
import { type ReadSentence, readSentence, type SentenceReading } from '../../rules/sentence/read-sentence.ts';
import { second } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { authorOf } from '../../shell/editing.ts';
import type { Word } from '../../shell/parse.ts';
import { rankSymbols, symbolNamed } from '../../shell/symbols.ts';

/** Inputs that say what an alert is about, so that the words beside them are no sentence. */
const describing = new Set(['metric', 'above', 'below', 'level', 'is', 'when', 'id', 'sentence', 'action']);
const otherActions = new Set(['list', 'show', 'edit', 'pause', 'resume', 'delete', 'metrics']);

/** Puts the words that follow `alert` into one input where they are a sentence, such as `btc above 24000`. */
export function sentenceWords(words: readonly Word[]): readonly Word[] {
  const isDescribed = words.some(({ key }) => key !== undefined && describing.has(key.toLowerCase()));
  const bare = words.filter(({ key }) => key === undefined).map(({ text }) => text);
  const [first = ''] = bare;
  const isMaking = ['new', 'create'].includes(first.toLowerCase());
  const said = isMaking ? bare.slice(1) : bare;
  // What has spaces was in quotation marks: a condition.
  const isCondition = said.length > 1 && said.some((text) => /\s/.test(text));
  if (isDescribed || isCondition || said.length === 0 || otherActions.has(first.toLowerCase())) return words;
  return [
    { text: 'new' },
    { key: 'sentence', text: said.join(' ') },
    ...words.filter(({ key }) => key !== undefined),
  ];
}

const read = (sentence: string, universe: readonly string[]): ReadSentence =>
  readSentence(sentence, { listed: universe, find: (word) => symbolNamed(word, universe) });

/**
 * Returns the words of `alert` that a line stands for which begins with no command's name; with `certain`, whatever it begins with.
 * Undefined: it says no alert.
 */
export function unnamedSentence(
  words: readonly Word[],
  { universe, certain }: { readonly universe: readonly string[]; readonly certain: boolean },
): readonly Word[] | undefined {
  const made = sentenceWords(words);
  const [, sentence] = made;
  if (made === words || sentence?.key !== 'sentence') return undefined;
  const { readings, isExplicit, isNamed } = read(sentence.text, universe);
  if (certain) return isExplicit ? made : undefined;
  return isNamed && (readings.length > 0 || /\d/.test(sentence.text)) ? made : undefined;
}

/**
 * Throws UserError with why a sentence is not understood.
 * @param language the reader's, who is told in which ones sentences are read unless it is among them
 */
function readingsOf(
  sentence: string,
  universe: readonly string[],
  language: Language = english,
): Pick<ReadSentence, 'readings' | 'question'> {
  const { readings, question, problem, unknown } = read(sentence, universe);
  if (problem === undefined) return { readings, question };
  const meant = unknown === undefined ? [] : rankSymbols(unknown, universe, 3).map(baseOf);
  const readIn = listOf(sentenceLanguages.map(languageName));
  const others = sentenceLanguages.includes(language)
    ? undefined
    : msg('Sentences are read in {languages}.', { languages: readIn });
  throw new UserError(lines(problem, didYouMean(meant), others));
}

/** Returns the one meaning of a sentence that nobody can be asked about. Throws UserError if it may have others. */
export function onlyReading(sentence: string, universe: readonly string[]): Omit<SentenceReading, 'level'> {
  const { readings, question } = readingsOf(sentence, universe);
  const [{ level, ...reading } = { symbols: [], level: undefined }] = readings;
  if (question !== undefined) throw new UserError(lines(msg('It may mean several things.'), question));
  if (level !== undefined) throw new UserError(msg('Say above or below the level.'));
  return reading;
}

/** Returns the inputs of `alert` that say what a reading says, and the sentence itself no more. */
const inputsOf = ({ symbols, for: hold, ...rest }: SentenceReading): Record<string, string | undefined> => ({
  sentence: undefined,
  ...Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, typeof value === 'number' ? numeral(value) : value]),
  ),
  symbols: symbols.join() || undefined,
  ...(hold !== undefined && { for: `${hold / second}s` }),
});

/** Says what a reading would watch. */
function readingText(reading: SentenceReading, context: CommandContext): Text {
  const { level, ...known } = reading;
  if (level === undefined) return ruleSentence(buildRule(known, authorOf(context)));
  const [symbol = ''] = reading.symbols;
  return msg('{metric} at {level}, on {market}.', {
    metric: metricOf(reading.metric ?? 'price.last').words,
    level: numeral(level),
    market: baseOf(symbol),
  });
}

/** Returns how a sentence is read, and a `rewriteLine` that writes what was read in its place; or the question which of its readings is meant. */
export function understood(sentence: string, context: CommandContext) {
  const { readings, question } = readingsOf(sentence, context.universe, context.caller.language);
  const [reading] = readings;
  if (reading === undefined || question !== undefined)
    return { question: questionCard({ readings, question }, context) };
  const { symbols, ...inputs } = reading;
  const rewriteLine: CommandContext['rewriteLine'] = (changes) =>
    context.rewriteLine({ ...inputsOf(reading), ...changes });
  return { inputs: { ...inputs, symbols: [...symbols] }, rewriteLine };
}

/** Asks which reading is meant: each is a button that shows what it would have told. */
function questionCard(
  { readings, question }: Pick<ReadSentence, 'readings'> & { readonly question: Text | undefined },
  context: CommandContext,
): Card {
  return {
    title: question ?? msg('Which is meant?'),
    summary: msg('It may mean several things. Nothing is saved.'),
    actions: readings.flatMap((reading) => {
      const command = context.rewriteLine({ action: 'new', ...inputsOf(reading) });
      return command === undefined ? [] : [{ label: readingText(reading, context), command }];
    }),
  };
}
