import { baseOf } from '../alert/symbols.ts';
import { type Text, typed } from '../language/text.ts';
import type { Command } from './command.ts';
import { fieldsOf } from './fields.ts';
import type { ParsedLine, Word } from './parse.ts';
import { resolveSymbol, symbolNamed } from './symbols.ts';
import { commandNamed, type NamesContext } from './vocabulary.ts';

/**
 * Translates what people type to the line that is meant: a command by another name (`帮助`), with its market first
 * (`btc funding`), markets alone (`BTC`, `btc eth`), or a command's own short form, named or not (`btc above 24000`). Any other line is returned unchanged.
 */
export function interpretLine(
  line: ParsedLine,
  context: Pick<NamesContext, 'commands' | 'universe'>,
): ParsedLine {
  const { commands, universe } = context;
  const { name, words } = line;
  const all: readonly Word[] = [{ text: name }, ...words];
  const command = commandNamed(name, commands);
  const [second, ...rest] = words;
  const later = second?.key === undefined ? commandNamed(second?.text ?? '', commands) : undefined;
  const unnamed = (certain: boolean) =>
    commands.flatMap(({ name, unnamed }) => {
      const stoodFor = unnamed?.(all, { universe, certain });
      return stoodFor === undefined ? [] : [{ name, words: stoodFor }];
    })[0];
  const named = command ?? later;
  const sentence = named === undefined || named.unnamed !== undefined ? undefined : unnamed(true);
  if (sentence !== undefined) return sentence;
  if (command !== undefined) return { name: command.name, words: command.shorthand?.(words) ?? words };
  if (later !== undefined)
    return interpretLine({ name: later.name, words: [{ text: name }, ...rest] }, context);

  if (!all.every(({ key, text }) => key === undefined && isMarket(text, universe)))
    return unnamed(false) ?? line;
  const marketCount = words.length === 0 ? 'one' : 'several';
  const marketCommand = commands.find(({ ofMarkets }) => ofMarkets === marketCount);
  return marketCommand === undefined ? line : { name: marketCommand.name, words: all };
}

const isMarket = (text: string, universe: readonly string[]): boolean =>
  universe.length > 0 && symbolNamed(text, universe) !== undefined;

const bare = ({ text }: Word): string => text.toLowerCase().replaceAll(/^\p{P}+|\p{P}+$/gu, '');
/** Brings the forms of an English word together: dump, dumps, dumped; drop, dropping. */
const stem = (word: string): string =>
  word.length < 4 ? word : word.replace(/(e|es|ed|ing|s)$/, '').replace(/(.)\1$/, '$1');
const questionWord =
  /^(is|are|was|were|do|does|did|has|have|will|would|can|could|should|what|whats|where|who|why|how|when|which)$/;

/** Returns whether a line begins as a question does in English. */
export const isQuestion = ({ name }: ParsedLine): boolean => questionWord.test(bare({ text: name }));

/**
 * Returns the lines that may answer a question in a person's own words, for the market that it names: `is btc crowded?` names
 * `leverage btc`, and `what does btc do?` its card. Of several words that are markets too, the market with the largest volume is meant.
 */
export function answersOf(
  { name, words }: ParsedLine,
  { commands, universe }: Pick<NamesContext, 'commands' | 'universe'>,
): readonly Text[] {
  const said = [{ text: name }, ...words].map(bare).filter((word) => !questionWord.test(word));
  const topics = [...new Set(said.flatMap((word) => commandsAbout(word, commands)))];
  const markets = new Set(
    said.filter((word) => isMarket(word, universe)).map((word) => resolveSymbol(word, universe)),
  );
  const market = universe.find((symbol) => markets.has(symbol));
  const isOfMarket = topics.length === 0 && market !== undefined && isQuestion({ name, words });
  const meant = isOfMarket ? commands.filter(({ ofMarkets }) => ofMarkets === 'one') : topics;
  const isComplete = (command: Command) =>
    fieldsOf(command).every(
      ({ required, names }) => !required || (names === 'symbol' && market !== undefined),
    );
  return meant
    .filter((command) => command.takes !== 'operate' && isComplete(command))
    .flatMap((command) => {
      if (market === undefined) return [typed(command.name)];
      const field = fieldsOf(command).find(({ names }) => names === 'symbol');
      // Other topics have markets too, but their commands do not tell of one.
      if (field === undefined || command.topic !== undefined) return [];
      const coin = baseOf(market).toLowerCase();
      return [typed(`${command.name} ${coin}`, `${command.name} ${field.key}:${coin}`)];
    });
}

function commandsAbout(word: string, commands: readonly Command[]): readonly Command[] {
  const named = commandNamed(word, commands);
  const resembles = (other: string) => stem(other) === stem(word);
  return commands.filter((command) => {
    const { name, otherNames = [], questionWords = [] } = command;
    const isNamed = named === undefined ? [name, ...otherNames].some(resembles) : command === named;
    return isNamed || questionWords.some(resembles);
  });
}
