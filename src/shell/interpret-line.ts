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
  const command = commandNamed(name, commands);
  if (command !== undefined) return { name: command.name, words: command.shorthand?.(words) ?? words };

  const first: Word = { text: name };
  const [second, ...rest] = words;
  const laterCommand = second?.key === undefined ? commandNamed(second?.text ?? '', commands) : undefined;
  if (laterCommand !== undefined)
    return interpretLine({ name: laterCommand.name, words: [first, ...rest] }, context);

  const markets = [first, ...words];
  if (!isMarket(name, universe)) return line;
  if (!words.every(({ key, text }) => key === undefined && isMarket(text, universe))) {
    const [meant] = commands.flatMap(({ name, unnamed }) => {
      const stoodFor = unnamed?.(markets);
      return stoodFor === undefined ? [] : [{ name, words: stoodFor }];
    });
    return meant ?? line;
  }
  const marketCount = words.length === 0 ? 'one' : 'several';
  const marketCommand = commands.find(({ ofMarkets }) => ofMarkets === marketCount);
  return marketCommand === undefined ? line : { name: marketCommand.name, words: markets };
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
