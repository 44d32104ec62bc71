import { z } from 'zod';
import { whole } from '../command/input.ts';
import { exported } from '../command/transfer.ts';
import { msg } from '../language/text.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'export',
  description: 'Subscriptions, watchlist and settings of this place as JSON, for "import" here or elsewhere',
  settings: true,
  input: z.object({
    part: whole(1, 50).default(1).describe('Which part, where it is too long for one message'),
  }),
  async run({ part }, { store, caller }) {
    const parts = exported(
      await store.subscriptions.of(caller.receiver),
      await store.rules.of(caller.receiver),
      await store.watchlist.of(caller.receiver),
      await store.preferences.of(caller.receiver),
    );
    const text = parts[part - 1];
    if (text === undefined) {
      throw new UserError(
        msg('There is no part {part, number}: there are {parts, number}.', { part, parts: parts.length }),
      );
    }
    return {
      title:
        parts.length === 1
          ? msg('Export')
          : msg('Export, part {part, number} of {parts, number}', { part, parts: parts.length }),
      summary: text,
      ...(part < parts.length && { actions: [{ label: msg('Next part'), command: `export ${part + 1}` }] }),
    };
  },
});
