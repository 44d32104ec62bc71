import { z } from 'zod';
import type { Severity } from '../alert/alert.ts';
import { matcherText } from '../alert/subscription.ts';
import { expandGroups, watchlist } from '../alert/symbols.ts';
import { lines, msg } from '../language/text.ts';
import { budgetText } from '../places/preferences.ts';
import { createSubscription, wishOf } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { choicesOf, editingOf } from '../shell/editing.ts';
import { subscriptionInput } from '../shell/place-inputs.ts';
import { previewCard, withPreview } from './kit/preview-card.ts';
import { answerSaved } from './kit/saved.ts';
import { subscriptionCard } from './kit/subscription-card.ts';

const { language, ...given } = subscriptionInput.shape;

export default defineCommand({
  name: 'subscribe',
  otherNames: ['sub'],
  shorthand: (words) => words.filter(({ key, text }) => key !== undefined || text.toLowerCase() !== 'to'),
  topic: 'alerts',
  description: msg('Get alerts here: choose kinds, markets and how they arrive'),
  takes: 'manage',
  input: z.object({
    ...given,
    preview: z.enum(['yes', 'no']).optional().describe('Only show what you would have had; nothing is saved'),
    language,
  }),
  async run({ preview, language, ...given }, context) {
    const wish = wishOf(given, context.kinds, context.caller);
    const { kinds, symbols } = wish.matcher;
    const followed = symbols.includes(watchlist)
      ? await context.store.watchlist.of(context.caller.receiver)
      : [];
    const spelled = expandGroups(symbols, context.universe, followed);
    const readPreview = (minSeverity: Severity) => context.preview({ kinds, symbols: spelled, minSeverity });
    if (preview === 'yes') {
      const preview = await readPreview(wish.preferences.minSeverity ?? 'info');
      return previewCard(matcherText(wish.matcher, context), {
        preview,
        arriving: wish.preferences,
        symbols: spelled,
        context,
      });
    }
    const { subscription, preferences, title } = await createSubscription(wish, editingOf(context), {
      chosen: language,
      spoken: context.caller.language,
    });
    const usual = choicesOf(context).budget;
    const { budget = usual } = preferences;
    const baseCard = subscriptionCard(subscription, { title, known: context, manages: true });
    const card =
      usual === undefined || budget === undefined
        ? baseCard
        : { ...baseCard, summary: lines(baseCard.summary, budgetText(budget)) };
    return answerSaved(card, {
      rest: async () =>
        withPreview(card, {
          preview: await readPreview(subscription.minSeverity),
          arriving: subscription,
          symbols: spelled,
          context,
        }),
      waiting: msg('Subscription saved. The preview is still running.'),
      context,
    });
  },
});
