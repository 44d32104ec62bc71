import { z } from 'zod';
import { languages } from '../language/languages.ts';
import { chartThemes, messageStyles, type Preferences } from '../language/preferences.ts';
import { languageName } from '../language/say.ts';
import { lines, msg, type Text } from '../language/text.ts';
import {
  budgetText,
  type Choices,
  choosePreferences,
  styleNames,
  themeNames,
} from '../places/preferences.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf, choicesOf, mustManage } from '../shell/editing.ts';
import { postsADay, zone } from '../shell/input.ts';

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
    const given = {
      chosen,
      reset: reset !== undefined,
      dropsZone: zone === null,
      choices: choicesOf(context),
    };
    const isChange = Object.keys(chosen).length > 0 || given.reset || given.dropsZone;
    // A person's own settings need no rights in this chat.
    if (isChange && whose === 'place') mustManage(caller);
    await choosePreferences(whose, given, { store, author: authorOf(context) });

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
        rows: settingRows(own === undefined ? [place] : [place, own], given.choices),
      },
      ...((whose === 'me' || caller.rights.has('manage')) && {
        actions: [
          ...languages.map((each) => ({
            label: languageName(each),
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

/** Returns a row for each setting, with a cell for each of `all`: the place's preferences, then those of a person. */
const settingRows = (all: readonly Preferences[], { budget: usualBudget, rich }: Choices): Text[][] => {
  const cells = (name: Text, cell: (each: Preferences, isPlace: boolean) => Text) => [
    name,
    ...all.map((each, index) => cell(each, index === 0)),
  ];
  const unset = msg('not set');
  return [
    cells(msg('Language'), ({ language }) => (language === undefined ? unset : languageName(language))),
    cells(msg('Time zone'), ({ timeZone }) => timeZone ?? unset),
    cells(msg('Charts'), ({ theme }) => (theme === undefined ? unset : themeNames[theme])),
    ...(rich
      ? [cells(msg('Messages'), ({ messages = 'plain' }, isPlace) => (isPlace ? styleNames[messages] : ''))]
      : []),
    ...(usualBudget === undefined
      ? []
      : [cells(msg('Posts'), ({ budget = usualBudget }, isPlace) => (isPlace ? budgetText(budget) : ''))]),
  ];
};
