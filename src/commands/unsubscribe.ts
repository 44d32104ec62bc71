import { z } from 'zod';
import { msg } from '../language/text.ts';
import { endSubscriptions } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId, whichOf } from '../shell/input.ts';
import { subscriptionsTable } from './kit/subscription-card.ts';

export default defineCommand({
  name: 'unsubscribe',
  topic: 'alerts',
  otherNames: ['desuscribir'],
  description: msg('End a subscription of this chat, or all of them'),
  takes: 'manage',
  input: z.object({
    id: ownId('subscription')
      .meta({ names: 'subscription', offers: ['all'] })
      .describe('Its id, as "subscriptions" shows it, or all'),
  }),
  async run({ id }, context) {
    const { left, known, title, summary } = await endSubscriptions(whichOf(id), editingOf(context));
    return { title, summary, table: subscriptionsTable(left, known) };
  },
});
