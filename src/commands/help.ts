import { z } from 'zod';
import { commandName } from '../command/input.ts';
import { helpOn, helpOverview } from '../command/usage.ts';
import { findCommand } from '../command/vocabulary.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'help',
  otherNames: ['?', '？', 'comandos', '命令'],
  description: 'All commands, or one explained',
  input: z.object({
    command: commandName.describe('The command to explain').optional(),
  }),
  run: async ({ command }, { commands, caller: { language } }) =>
    command === undefined
      ? helpOverview(commands, language)
      : helpOn(findCommand(command, commands), language),
});
