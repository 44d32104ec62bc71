import { z } from 'zod';
import { defineCommand } from '../shell/command.ts';
import { commandName } from '../shell/input.ts';
import { helpOn, helpOverview } from '../shell/usage.ts';
import { findCommand } from '../shell/vocabulary.ts';

export default defineCommand({
  name: 'help',
  topic: 'chat',
  otherNames: ['?', '？', 'comandos', '命令'],
  description: 'All commands, or one explained',
  input: z.object({
    command: commandName.describe('The command to explain').optional(),
  }),
  run: async ({ command }, { commands, operator, caller: { language } }) =>
    command === undefined
      ? helpOverview(operator ? commands : commands.filter((each) => each.operator !== true), language)
      : helpOn(findCommand(command, commands), language),
});
