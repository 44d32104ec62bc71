import { z } from 'zod';
import { msg } from '../language/text.ts';
import { readPreferences } from '../places/arrival.ts';
import { editSubscription } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId } from '../shell/input.ts';
import { subscriptionChange } from '../shell/place-inputs.ts';
import { subscriptionCard } from './kit/subscription-card.ts';

export default defineCommand({
  name: 'edit',
  topic: 'alerts',
  description: msg('Change how alerts of a subscription arrive, pause it or resume it'),
  takes: 'manage',
  input: z.object({
    id: ownId('subscription').describe('Its id, as "subscriptions" shows it'),
    ...subscriptionChange.shape,
  }),
  async run({ id, paused, ...given }, context) {
    const { subscription, title } = await editSubscription(
      id,
      (before) => ({
        ...readPreferences(given, { ...context.caller, before }),
        ...(paused !== undefined && { paused: paused === 'yes' }),
      }),
      editingOf(context),
    );
    return subscriptionCard(subscription, { title, known: context, manages: true });
  },
});
