import { z } from 'zod';
import { matcherText, mutedText } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import { readKnownKinds } from '../places/editing.ts';
import { silenceText } from '../places/silences.ts';
import { findSubscriptions } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { subscriptionCard, subscriptionsTable } from './kit/subscription-card.ts';

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
    const known = await readKnownKinds(caller.receiver, context);
    const [subscriptions, silences] = await Promise.all([
      store.subscriptions.of(caller.receiver),
      store.silences.of(caller.receiver, now),
    ]);
    const manages = caller.rights.has('manage');
    const [one] = id === undefined ? [] : findSubscriptions({ id }, subscriptions);
    if (one !== undefined) return subscriptionCard(one, { title: msg('Subscription'), known, manages });
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
      summary: subscriptions.length === 0 ? msg('Nothing is subscribed here.') : undefined,
      table: {
        ...subscriptionsTable(subscriptions, known),
        ...(manages && { commands: actions.map(({ command }) => command) }),
      },
      ...(manages && {
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
