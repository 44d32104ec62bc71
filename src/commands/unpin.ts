import { z } from 'zod';
import { msg } from '../language/text.ts';
import { endBoards } from '../places/boards.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId, whichOf } from '../shell/input.ts';

export default defineCommand({
  name: 'unpin',
  topic: 'alerts',
  description: msg('End a board of this chat, or all of them'),
  takes: 'manage',
  input: z.object({
    id: ownId('board')
      .meta({ names: 'board', offers: ['all'] })
      .describe('Its id, as "pin" shows it, or all'),
  }),
  run: ({ id }, context) => endBoards(whichOf(id), editingOf(context)),
});
