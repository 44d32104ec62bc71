import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { catalogueOf, languages } from '../language/languages.ts';
import { chartThemes, messageStyles, type Preferences } from '../language/preferences.ts';
import { join, lines, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { postsADay, zone } from '../shell/input.ts';
import { author, change } from './kit/change.ts';
import { defaultBudget, setPreferences, settingRows } from './kit/set-preferences.ts';

export default defineCommand({
  name: 'settings',
  otherNames: ['language', 'timezone', 'zone'],
  topic: 'chat',
  description: msg(
    'Language, time zone, charts, messages and posts a day, for this chat or for you everywhere',
  ),
  personal: true,
  takes: 'own',
  input: z.object({
    language: z.enum(languages).optional().describe('Language of answers and alerts'),
    zone: zone.describe('Time zone in which times are shown').optional(),
    theme: z.enum(chartThemes).optional().describe('Look of charts: dark or light'),
    messages: z
      .enum(messageStyles)
      .optional()
      .describe('Plain messages, or rich ones with real tables, where there are: not every app shows those'),
    budget: postsADay
      .describe('Posts a day that may interrupt this chat, the rest come in a digest; none for no limit')
      .optional(),
    whose: z.enum(['place', 'me']).default('place').describe('For this chat, or for you everywhere'),
    reset: z.enum(['yes']).optional().describe('yes to reset'),
  }),
  async run({ language, zone, theme, messages, budget, whose, reset }, context) {
    const { caller, store, rich } = context;
    const chosen: Preferences = {
      ...(language !== undefined && { language }),
      ...(zone !== undefined && zone !== null && { timeZone: zone }),
      ...(theme !== undefined && { theme }),
      ...(messages !== undefined && { messages }),
      ...(budget !== undefined && { budget }),
    };
    const subject = whose === 'me' ? caller.person : caller.receiver;
    if (subject === undefined) {
      throw new UserError(msg('There are no personal settings here: choose for the chat instead.'));
    }
    if (whose === 'me' && budget !== undefined) {
      throw new UserError(msg('How many posts a day come here is chosen for the chat, not for one person.'));
    }
    if (budget !== undefined && context.readByPrograms) {
      throw new UserError(msg('Programs read what is posted here, so they get every alert.'));
    }
    if (messages !== undefined && (whose === 'me' || rich === undefined)) {
      throw new UserError(
        rich === undefined
          ? msg('There are no rich messages here.')
          : msg('Whether messages are rich is chosen for the chat, not for one person.'),
      );
    }
    const isChange = Object.keys(chosen).length > 0 || reset !== undefined || zone === null;
    const work: Parameters<typeof change<void>>[1] = async (places, record) => {
      if (reset !== undefined) {
        await places.preferences.set(subject, {});
        if (whose === 'place') record(msg('settings: reset'));
      }
      if (zone === null) {
        const { timeZone: _, ...others } = await places.preferences.of(subject);
        await places.preferences.set(subject, others);
        if (whose === 'place')
          record(msg('settings: {what}', { what: join([msg('Time zone'), msg('not set')], ': ') }));
      }
      await setPreferences(subject, { chosen, places, record });
    };
    if (isChange && whose === 'place') await change(context, work);
    // A person's own settings need no rights in this chat.
    else if (isChange) await store.change(author(context), work);

    const place = await store.preferences.of(caller.receiver);
    const own = caller.person === undefined ? undefined : await store.preferences.of(caller.person);
    const whoseInput = whose === 'me' ? ' whose=me' : '';
    const whoseText =
      own === undefined
        ? msg('They apply to this chat: to its alerts, and to answers here.')
        : msg('The chat’s apply to its alerts. For answers to you, your own come first.');
    return {
      title: isChange ? msg('Settings changed') : msg('Settings'),
      plain: true,
      summary: rich === undefined ? whoseText : lines(whoseText, rich),
      table: {
        columns: [msg('Setting'), msg('This chat'), ...(own === undefined ? [] : [msg('You')])],
        rows: settingRows(own === undefined ? [place] : [place, own], {
          budget: defaultBudget(context),
          rich: rich !== undefined,
        }),
      },
      ...((whose === 'me' || caller.rights.has('manage')) && {
        actions: [
          ...languages.map((each) => ({
            label: catalogueOf(each).about.name,
            command: `settings language=${each}${whoseInput}`,
          })),
          { label: msg('Dark charts'), command: `settings theme=dark${whoseInput}` },
          { label: msg('Light charts'), command: `settings theme=light${whoseInput}` },
          ...(rich === undefined || whose === 'me' ? [] : otherMessages(place)),
        ],
      }),
    };
  },
});

/** Returns buttons to change the style of messages. For rich messages, samples let people see whether their apps show them. */
const otherMessages = ({ messages }: Preferences) =>
  messages === 'rich'
    ? [
        { label: msg('Plain messages'), command: 'settings messages=plain' },
        { label: msg('See sample alerts'), command: 'test' },
      ]
    : [{ label: msg('Rich messages'), command: 'settings messages=rich' }];
