import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { change } from './kit/change.ts';
import { noSuchId } from './kit/no-such-id.ts';
import { preferencesInput } from './kit/preferences-input.ts';
import { requireChangeable } from './kit/set-by-file.ts';
import { preferencesText, subscriptionCard } from './kit/settings.ts';
import { readPreferences } from './kit/subscription-preferences.ts';

export default defineCommand({
  name: 'edit',
  topic: 'alerts',
  description: msg('Change how alerts of a subscription arrive, pause it or resume it'),
  takes: 'manage',
  input: z.object({
    id: ownId('subscription').describe('Its id, as "subscriptions" shows it'),
    ...preferencesInput,
    paused: z.enum(['yes', 'no']).optional().describe('Paused: kept but silent'),
  }),
  async run({ id, paused, ...given }, context) {
    const { receiver } = context.caller;
    const changed = await change(context, async (places, record) => {
      const existing = await places.subscriptions.of(receiver);
      const before = existing.find((each) => each.id === id);
      if (before === undefined) {
        throw existing.length === 0
          ? new UserError(msg('Nothing is subscribed here.'))
          : noSuchId(msg('No subscription here has the id "{id}"', { id }), existing);
      }
      requireChangeable([before]);
      const subscription = {
        ...before,
        ...readPreferences(given, { ...context.caller, before }),
        ...(paused !== undefined && { paused: paused === 'yes' }),
      };
      await places.subscriptions.update(subscription);
      record(msg('changed subscription {id}: {how}', { id, how: preferencesText(subscription) }));
      return subscription;
    });
    return subscriptionCard(msg('Subscription changed'), {
      subscription: changed,
      known: context,
      manages: true,
    });
  },
});
