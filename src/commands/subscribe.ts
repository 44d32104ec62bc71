import { z } from 'zod';
import type { Severity } from '../alert/alert.ts';
import { presetNames } from '../alert/presets.ts';
import { matcherText } from '../alert/subscription.ts';
import { expandGroups, watchlist } from '../alert/symbols.ts';
import { english, languages } from '../language/languages.ts';
import { lines, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { kinds, symbols } from '../shell/input.ts';
import { change } from './kit/change.ts';
import { preferencesInput } from './kit/preferences-input.ts';
import { chooseKinds } from './kit/preset.ts';
import { previewCard, withPreview } from './kit/preview-card.ts';
import { answerSaved } from './kit/saved.ts';
import { budgetText, defaultBudget, setPreferences } from './kit/set-preferences.ts';
import { samePreferences, subscriptionCard } from './kit/settings.ts';
import { proveReach, putSubscription, readPreferences } from './kit/subscription-preferences.ts';

export default defineCommand({
  name: 'subscribe',
  otherNames: ['sub', 'follow'],
  shorthand: (words) => words.filter(({ key, text }) => key !== undefined || text.toLowerCase() !== 'to'),
  topic: 'alerts',
  description: msg('Get alerts here: choose kinds, markets and how they arrive'),
  takes: 'manage',
  input: z.object({
    kinds: kinds.describe('Kinds of alerts, or all (default: the standard ones)').optional(),
    symbols: symbols.describe('Markets, top20, watchlist, or all').prefault('all'),
    ...preferencesInput,
    preset: z
      .enum(presetNames)
      .optional()
      .describe('Instead of kinds: few alerts (quiet), standard, or everything'),
    preview: z.enum(['yes', 'no']).optional().describe('Only show what you would have had; nothing is saved'),
    language: z.enum(languages).optional().describe('Language of this chat; see "settings"'),
  }),
  async run({ kinds: named, symbols, preset, preview, language, ...given }, context) {
    const { kinds, severity } = chooseKinds(
      { kinds: named, severity: given.severity, preset },
      context.kinds,
    );
    const matcher = { kinds, symbols };
    const wish = { matcher, preferences: readPreferences({ ...given, severity }, context.caller) };
    const followed = symbols.includes(watchlist)
      ? await context.store.watchlist.of(context.caller.receiver)
      : [];
    const spelled = expandGroups(symbols, { universe: context.universe, followed });
    const readPreview = (minSeverity: Severity) => context.preview({ kinds, symbols: spelled, minSeverity });
    if (preview === 'yes') {
      const preview = await readPreview(severity ?? 'info');
      return previewCard(matcherText(matcher, context), {
        preview,
        arriving: wish.preferences,
        symbols: spelled,
        context,
      });
    }
    await proveReach(context);
    const { subscription, before, budget } = await change(context, async (places, record) => {
      const { receiver, language: spoken } = context.caller;
      const put = await putSubscription(wish, { ...context, places, record });
      const { language: chosen, budget = defaultBudget(context) } = await places.preferences.of(receiver);
      // A person who subscribes in Spanish gets Spanish alerts without having to choose the language.
      const newLanguage = language ?? (chosen === undefined && spoken !== english ? spoken : undefined);
      if (newLanguage !== undefined)
        await setPreferences(receiver, { chosen: { language: newLanguage }, places, record });
      return { ...put, budget };
    });
    const title =
      before === null
        ? msg('Subscribed')
        : samePreferences(before, subscription)
          ? msg('Already subscribed')
          : msg('Subscription changed');
    const baseCard = subscriptionCard(title, { subscription, known: context, manages: true });
    const card =
      context.readByPrograms || budget === undefined
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
