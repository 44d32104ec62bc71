import { z } from 'zod';
import { change } from '../command/change.ts';
import { matcherText, subscriptionsTable } from '../command/settings.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'unsubscribe',
  description: 'End a subscription of this place, or all of them',
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
    const { ending, left } = await change(context, async (places, record) => {
      const existing = await places.subscriptions.of(receiver);
      const ending = id.toLowerCase() === 'all' ? existing : existing.filter((each) => each.id === id);
      if (ending.length === 0) {
        throw new UserError(
          existing.length === 0
            ? 'Nothing is subscribed here.'
            : `No subscription here has that id. There are: ${existing.map((each) => each.id).join(', ')}.`,
        );
      }
      for (const each of ending) {
        await places.subscriptions.remove(each.id, receiver);
        record(`ended subscription ${each.id}: ${matcherText(each)}`);
      }
      return { ending, left: existing.filter((each) => !ending.includes(each)) };
    });
    return {
      title: ending.length === 1 ? 'Subscription ended' : `${ending.length} subscriptions ended`,
      summary: ending.map((each) => `No longer: ${matcherText(each)}.`).join('\n'),
      ...(left.length > 0 && { table: subscriptionsTable(left) }),
    };
  },
});
