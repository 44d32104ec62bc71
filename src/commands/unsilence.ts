import { z } from 'zod';
import { msg } from '../language/text.ts';
import { endSilences } from '../places/silences.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId, whichOf } from '../shell/input.ts';

export default defineCommand({
  name: 'unsilence',
  topic: 'alerts',
  otherNames: ['unmute'],
  description: msg('End a silence of this chat before its time, or all of them'),
  takes: 'manage',
  input: z.object({
    id: ownId('silence')
      .meta({ names: 'silence', offers: ['all'] })
      .describe('Its id, as "subscriptions" shows it, or all'),
  }),
  run: ({ id }, context) => endSilences(whichOf(id), editingOf(context)),
});
