import { z } from 'zod';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { wholeNumber } from '../shell/input.ts';

export default defineCommand({
  name: 'audit',
  topic: 'chat',
  description: msg('Who changed what here, and when: for those who manage this chat'),
  takes: 'manage',
  readOnly: true,
  refusal: msg('Only those who manage this chat can see the change log.'),
  input: z.object({
    limit: wholeNumber(1, 100).default(20).describe('How many changes to list'),
  }),
  async run({ limit }, { store, caller }) {
    const lines = await store.audit.of(caller.receiver, limit);
    return {
      title: msg('Changes here'),
      summary: lines.length === 0 ? msg('Nothing has been changed here.') : undefined,
      table: {
        columns: [msg('When'), msg('Who'), msg('What')],
        rows: lines.map(({ at, who, what }) => [time(at), who, what]),
      },
    };
  },
});
