import { z } from 'zod';
import { symbolsText } from '../alert/subscription.ts';
import { msg, typed } from '../language/text.ts';
import { createSubscription, wishOf } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { symbols } from '../shell/input.ts';
import { inOwnChat } from './kit/own-chat.ts';

export default defineCommand({
  name: 'follow',
  topic: 'alerts',
  description: msg('Get the alerts of some markets yourself, in your own chat with the bot'),
  takes: 'own',
  personal: true,
  shorthand: (words) => words.filter(({ key, text }) => key !== undefined || text.toLowerCase() !== 'to'),
  input: z.object({ symbols: symbols.describe('Markets, e.g. btc eth') }),
  async run({ symbols }, context) {
    const own = await inOwnChat(context);
    const editing = editingOf(own);
    // One for each market, so that each can be left alone again.
    for (const symbol of symbols)
      await createSubscription(wishOf({ symbols: [symbol] }, context.kinds, own.caller), editing, {
        spoken: context.caller.language,
      });
    const followed = symbols.join(',');
    return {
      title: msg('You follow {markets}', { markets: symbolsText(symbols) }),
      summary: msg('Alerts come to your own chat with the bot. "{unfollow}" ends that.', {
        unfollow: typed(`unfollow ${followed}`, `unfollow symbols:${followed}`),
      }),
    };
  },
});
