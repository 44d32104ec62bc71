import { z } from 'zod';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { commandName } from '../shell/input.ts';
import { mayRun } from '../shell/rights.ts';
import { helpOn, helpOverview } from '../shell/usage.ts';
import { findCommand } from '../shell/vocabulary.ts';

export default defineCommand({
  name: 'help',
  topic: 'chat',
  otherNames: ['?', 'commands', 'menu', 'start'],
  description: msg('All commands, or one explained'),
  input: z.object({
    command: commandName.describe('The command to explain').optional(),
  }),
  run: async ({ command }, { commands, caller }) =>
    command === undefined
      ? helpOverview(commands.filter((each) => mayRun(each, caller)))
      : helpOn(findCommand(command, commands)),
});
