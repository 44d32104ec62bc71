import { z } from 'zod';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { commandName } from '../shell/input.ts';
import { helpOn, helpOverview } from '../shell/usage.ts';
import { findCommand } from '../shell/vocabulary.ts';

export default defineCommand({
  name: 'help',
  topic: 'chat',
  otherNames: ['?'],
  description: msg('All commands, or one explained'),
  input: z.object({
    command: commandName.describe('The command to explain').optional(),
  }),
  run: async ({ command }, { commands, operator }) =>
    command === undefined
      ? helpOverview(operator ? commands : commands.filter((each) => each.operator !== true))
      : helpOn(findCommand(command, commands)),
});
