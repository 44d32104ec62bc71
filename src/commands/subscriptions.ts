import { z } from 'zod';
import { matcherText, mutedText } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { readKnownKinds } from '../shell/own-things.ts';
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
  async run({ id }, context) {
    const { store, caller, now } = context;
    const known = await readKnownKinds(context);
    const [subscriptions, silences] = await Promise.all([
      store.subscriptions.of(caller.receiver),
      store.silences.of(caller.receiver, now),
    ]);
    const one = subscriptions.find((each) => each.id === id);
    if (one !== undefined)
      return subscriptionCard(msg('Subscription'), {
        subscription: one,
        known,
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
              each.file === undefined
                ? msg('Edit: {what}', { what: matcherText(each, known) })
                : msg('Show: {what}', { what: matcherText(each, known) }),
            command: `subscriptions ${each.id}`,
          }));
    return {
      title: msg('Subscriptions'),
      ...(subscriptions.length === 0
        ? { summary: msg('Nothing is subscribed here.') }
        : {
            table: {
              ...subscriptionsTable(subscriptions, known),
              ...(caller.rights.has('manage') && { commands: actions.map(({ command }) => command) }),
            },
          }),
      ...(caller.rights.has('manage') && {
        actions: [
          ...actions,
          ...silences.slice(0, maxButtons).map((each) => ({
            label: msg('End silence: {what}', { what: mutedText(each, known) }),
            command: `unsilence ${each.id}`,
          })),
        ],
      }),
      facts: silences.map((silence) => ({ name: msg('Silent'), value: silenceText(silence, known) })),
    };
  },
});
