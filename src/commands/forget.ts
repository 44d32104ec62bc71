import { z } from 'zod';
import { author } from '../command/change.ts';
import { confirm } from '../command/input.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'forget',
  description: 'Delete all that is kept about this place, or take your name out of everything kept here',
  input: z.object({
    what: z.enum(['place', 'me']).default('place').describe('The whole place, or only your name'),
    confirm: confirm.describe('yes, to do it'),
  }),
  async run({ what, confirm }, context) {
    const { store, caller } = context;
    if (what === 'place' && !caller.manages) {
      throw new UserError(
        'Only those who manage this place may have it forgotten. For your name: "forget me".',
      );
    }
    if (confirm === undefined) {
      return {
        title: 'Are you sure?',
        summary:
          what === 'place'
            ? 'Subscriptions, silences, the watchlist, what waits to be sent, the delivery log and the record of changes of this place would be deleted. This cannot be undone.'
            : 'Your name would be taken out of subscriptions, silences and records of changes. They stay, without it.',
        actions: [{ label: 'Yes, forget', command: `forget ${what} confirm=yes` }],
      };
    }
    if (what === 'me') {
      const count = await store.forgetPerson(author(context));
      return { title: 'Your name is forgotten', summary: `It stood in ${count} places.` };
    }
    const counts = await store.forgetPlace(caller.receiver);
    const gone = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      title: 'This place is forgotten',
      summary: gone.length === 0 ? 'Nothing was kept.' : 'Deleted:',
      facts: gone.map(([table, count]) => ({ name: names[table] ?? table, value: String(count) })),
    };
  },
});

const names: Readonly<Record<string, string>> = {
  subscription: 'Subscriptions',
  silence: 'Silences',
  watchlist: 'Watchlists',
  outbox: 'Waiting notifications',
  post: 'References to posts',
  hold: 'Pauses asked for by the platform',
  rest: 'Rests',
  delivery: 'Lines of the delivery log',
  audit: 'Lines of the record of changes',
  message: 'Messages of the console',
};
