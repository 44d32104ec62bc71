import { z } from 'zod';
import { change } from '../command/change.ts';
import { kinds, symbols } from '../command/input.ts';
import { preferencesInput } from '../command/preferences-input.ts';
import { samePreferences, subscriptionCard } from '../command/settings.ts';
import { proveReach, putSubscription, readPreferences } from '../command/subscribing.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'subscribe',
  description: 'Get alerts here: which kinds, about which markets, and how; the same again changes how',
  settings: true,
  input: z.object({
    kinds: kinds.describe('Kinds of alerts, or all').prefault('all'),
    symbols: symbols.describe('Markets, top20, watchlist, or all').prefault('all'),
    ...preferencesInput,
  }),
  async run({ kinds, symbols, ...given }, context) {
    const wish = { matcher: { kinds, symbols }, preferences: readPreferences(given, context.caller) };
    await proveReach(context);
    const { subscription, before } = await change(context, (places, record) =>
      putSubscription(wish, { places, record }, context),
    );
    const title =
      before === null
        ? msg('Subscribed')
        : samePreferences(before, subscription)
          ? msg('Already subscribed')
          : msg('Subscription changed');
    return subscriptionCard(title, subscription, true);
  },
});
