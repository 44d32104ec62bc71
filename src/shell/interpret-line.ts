import { UserError } from '../language/errors.ts';
import type { ParsedLine, Word } from './parse.ts';
import { resolveSymbol } from './symbols.ts';
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

function isMarket(text: string, universe: readonly string[]): boolean {
  if (universe.length === 0) return false;
  try {
    resolveSymbol(text, universe);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
