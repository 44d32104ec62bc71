import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type Completion, completeLine } from './command/complete.ts';
import { ownOf } from './command/own.ts';
import { readerOf } from './command/reader.ts';
import type { CommandRequest } from './command/request.ts';
import { runCommand } from './command/run.ts';
import type { Caller, CommandContext } from './commands/command.ts';
import type { PlatformPorts } from './platforms/platform.ts';

/** What every place to talk asks of the bot. */
export interface Answering extends Pick<PlatformPorts, 'ask' | 'own' | 'reader'> {
  complete(line: string, caller: Caller): Promise<Completion[]>;
}

export function createAnswering(context: (caller: Caller) => CommandContext, log: Logger): Answering {
  const reader: Answering['reader'] = async (caller) =>
    readerOf(caller, context({ user: '', manages: false, ...caller }).store);
  const own: Answering['own'] = async (caller) => ownOf(context({ ...caller, ...(await reader(caller)) }));
  return {
    reader,
    own,
    ask(request: CommandRequest, caller) {
      const asked = context(caller);
      return runCommand(asked.commands, request, asked, (error) => {
        const reference = randomBytes(4).toString('hex');
        log.error({ err: error, reference }, 'a command failed');
        return reference;
      });
    },
    async complete(line, caller) {
      const { language } = await reader(caller);
      return completeLine(line, { ...context(caller), own: await own(caller), language });
    },
  };
}
