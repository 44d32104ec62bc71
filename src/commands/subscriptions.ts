import { z } from 'zod';
import { silenceText, subscriptionsTable } from '../command/settings.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'subscriptions',
  description: 'What is subscribed and what is silenced here',
  input: z.object({}),
  async run(_, { store, caller, now }) {
    const [subscriptions, silences] = await Promise.all([
      store.subscriptions.of(caller.receiver),
      store.silences.of(caller.receiver, now),
    ]);
    return {
      title: 'Subscriptions',
      ...(subscriptions.length === 0
        ? {
            summary: 'Nothing is subscribed here.',
            actions: [{ label: 'Subscribe to everything', command: 'subscribe all' }],
          }
        : { table: subscriptionsTable(subscriptions) }),
      facts: silences.map((silence) => ({
        name: `Silence ${silence.id}`,
        value: silenceText(silence, caller.timeZone),
      })),
    };
  },
});
