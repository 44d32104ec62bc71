import { z } from 'zod';
import { change } from '../command/change.ts';
import { matcherText } from '../command/settings.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'unsilence',
  description: 'End a silence of this place before its time, or all of them',
  settings: true,
  input: z.object({
    id: z
      .string()
      .trim()
      .min(1)
      .meta({ offers: ['all'] })
      .describe('Its id, as "subscriptions" shows it, or all'),
  }),
  async run({ id }, context) {
    const { receiver } = context.caller;
    const ending = await change(context, async ({ silences }, record) => {
      // Those of the operator have no receiver: they are not this place's to end.
      const own = (await silences.of(receiver, context.now)).filter((each) => each.receiver !== null);
      const ending = id.toLowerCase() === 'all' ? own : own.filter((each) => each.id === id);
      if (ending.length === 0) {
        throw new UserError(
          own.length === 0
            ? 'Nothing is silenced here.'
            : `No silence here has that id. There are: ${own.map((each) => each.id).join(', ')}.`,
        );
      }
      for (const each of ending) {
        await silences.remove(each.id, receiver);
        record(`ended silence ${each.id}: ${matcherText(each)}`);
      }
      return ending;
    });
    return {
      title: ending.length === 1 ? 'Silence ended' : `${ending.length} silences ended`,
      summary: ending.map((each) => `Told again: ${matcherText(each)}.`).join('\n'),
    };
  },
});
