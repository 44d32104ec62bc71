import { z } from 'zod';
import { symbolsText } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { endSubscriptions } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { symbols } from '../shell/input.ts';
import { inOwnChat } from './kit/own-chat.ts';

export default defineCommand({
  name: 'unfollow',
  topic: 'alerts',
  description: msg('End the alerts of markets that you follow'),
  takes: 'own',
  personal: true,
  input: z.object({ symbols: symbols.describe('Markets, e.g. btc eth') }),
  async run({ symbols }, context) {
    const own = await inOwnChat(context);
    const editing = editingOf(own);
    const existing = await context.store.subscriptions.of(own.caller.receiver);
    const meant = existing.filter((each) =>
      symbols.some((symbol) => each.symbols.length === 1 && each.symbols[0] === symbol),
    );
    if (meant.length === 0)
      throw new UserError(msg('You do not follow {markets}.', { markets: symbolsText(symbols) }), {
        code: 'unknown',
      });
    for (const { id } of meant) await endSubscriptions({ id }, editing);
    return { title: msg('You no longer follow {markets}', { markets: symbolsText(symbols) }) };
  },
});
