import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { noSuchId } from './kit/no-such-id.ts';
import { silenceText, subscriptionCard, subscriptionsTable } from './kit/settings.ts';

/** How many subscriptions get a button: a Discord message has room for 25 buttons, but nobody reads so many. */
const maxButtons = 10;

export default defineCommand({
  name: 'subscriptions',
  topic: 'alerts',
  description: msg('Subscriptions and silences in this chat; with an id, the details of one'),
  input: z.object({
    id: ownId('subscription').optional().describe('Id of one subscription, to see its details and change it'),
  }),
  async run({ id }, { store, caller, now }) {
    const [subscriptions, silences] = await Promise.all([
      store.subscriptions.of(caller.receiver),
      store.silences.of(caller.receiver, now),
    ]);
    const one = subscriptions.find((each) => each.id === id);
    if (one !== undefined)
      return subscriptionCard(msg('Subscription'), {
        subscription: one,
        manages: caller.rights.has('manage'),
      });
    if (id !== undefined) {
      throw subscriptions.length === 0
        ? new UserError(msg('Nothing is subscribed here.'))
        : noSuchId(msg('No subscription here has the id "{id}"', { id }), subscriptions);
    }
    const actions =
      subscriptions.length === 0
        ? [{ label: msg('Get the standard alerts here'), command: 'subscribe' }]
        : subscriptions.slice(0, maxButtons).map((each) => ({
            label:
              each.file === undefined ? msg('Edit {id}', { id: each.id }) : msg('Show {id}', { id: each.id }),
            command: `subscriptions ${each.id}`,
          }));
    return {
      title: msg('Subscriptions'),
      ...(subscriptions.length === 0
        ? { summary: msg('Nothing is subscribed here.') }
        : {
            table: {
              ...subscriptionsTable(subscriptions),
              ...(caller.rights.has('manage') && { commands: actions.map(({ command }) => command) }),
            },
          }),
      ...(caller.rights.has('manage') && { actions }),
      facts: silences.map((silence) => ({
        name: msg('Silence {id}', { id: silence.id }),
        value: silenceText(silence),
      })),
    };
  },
});
