import type { Ports } from '#src/platforms/ports.ts';
import type { Caller, CommandContext } from '#src/shell/command.ts';
import { completeLine } from '#src/shell/complete.ts';
import { readOwnThings } from '#src/shell/own-things.ts';
import { readerOf } from '#src/shell/reader.ts';
import { runCommand } from '#src/shell/run.ts';
import { commands } from './commands.ts';

/** The ports by which a conversation runs the real commands, over this context. */
export function commandPorts(
  context: CommandContext,
  report: (error: unknown) => string = (error) => {
    throw error;
  },
) {
  const of = (caller: Caller): CommandContext => ({ ...context, caller });
  return {
    commands,
    kinds: context.kinds,
    universe: () => context.universe,
    ask: (request, caller) => runCommand(commands, { request, context: of(caller), report }),
    complete: async (line, caller) =>
      completeLine(line, { context: { ...context, own: await readOwnThings(of(caller)) } }),
    listOwn: (caller) => readOwnThings(of(caller)),
    reader: (caller) => readerOf(caller, context.store),
  } satisfies Partial<Ports>;
}
