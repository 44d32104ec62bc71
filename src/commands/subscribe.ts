import { z } from 'zod';
import { change } from '../command/change.ts';
import { kinds, symbols } from '../command/input.ts';
import { preferencesInput } from '../command/preferences-input.ts';
import { prefer } from '../command/preferring.ts';
import { samePreferences, subscriptionCard } from '../command/settings.ts';
import { proveReach, putSubscription, readPreferences } from '../command/subscribing.ts';
import { languages } from '../language/languages.ts';
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
    language: z.enum(languages).optional().describe('Language of this place; see "settings"'),
  }),
  async run({ kinds, symbols, language, ...given }, context) {
    const wish = { matcher: { kinds, symbols }, preferences: readPreferences(given, context.caller) };
    await proveReach(context);
    const { subscription, before } = await change(context, async (places, record) => {
      const { receiver, language: spoken } = context.caller;
      const put = await putSubscription(wish, { places, record }, context);
      const { language: chosen } = await places.preferences.of(receiver);
      // Who subscribes in Spanish is to be told in Spanish, without having asked for it.
      const wanted = language ?? (chosen === undefined && spoken !== 'en' ? spoken : undefined);
      if (wanted !== undefined) await prefer(receiver, { language: wanted }, { places, record });
      return put;
    });
    const title =
      before === null
        ? msg('Subscribed')
        : samePreferences(before, subscription)
          ? msg('Already subscribed')
          : msg('Subscription changed');
    return subscriptionCard(title, subscription, true);
  },
});
