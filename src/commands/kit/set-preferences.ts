import type { Fact } from '../../alert/alert.ts';
import { catalogueOf, type Language } from '../../language/languages.ts';
import type { ChartTheme, MessageStyle, Preferences } from '../../language/preferences.ts';
import { listOf, msg, type Text } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { Chooser, PlaceStore } from '../../store/ports.ts';

const themeNames: Readonly<Record<ChartTheme, Text>> = { dark: msg('dark'), light: msg('light') };

const styleNames: Readonly<Record<MessageStyle, Text>> = { plain: msg('plain'), rich: msg('rich') };

const languageText = (language: Language | undefined): Text =>
  language === undefined ? msg('not set') : catalogueOf(language).about.name;
const themeText = (theme: ChartTheme | undefined): Text =>
  theme === undefined ? msg('not set') : themeNames[theme];

/** Returns how many posts a day may interrupt a place that has not chosen; null: any number; undefined: there is no choice. */
export const defaultBudget = ({
  readByPrograms,
  settings,
}: Pick<CommandContext, 'readByPrograms' | 'settings'>): number | null | undefined =>
  readByPrograms ? undefined : settings.delivery.budget;

/** Says how many posts a day may interrupt a chat. */
export const budgetText = (budget: number | null): Text =>
  budget === null
    ? msg('Any number of posts a day')
    : msg('Max {n, plural, one {# post} other {# posts}} a day, the rest as a daily summary', { n: budget });

/**
 * Returns a row for each setting, with a cell for each of `all`: the place's preferences, then those of a person.
 * @param budget posts a day of a place that has not chosen; undefined if there is no choice
 * @param rich whether rich messages can be chosen
 */
export const settingRows = (
  all: readonly Preferences[],
  { budget: usualBudget, rich }: { readonly budget: number | null | undefined; readonly rich: boolean },
): Text[][] => [
  [msg('Language'), ...all.map(({ language }) => languageText(language))],
  [msg('Time zone'), ...all.map(({ timeZone }) => timeZone ?? msg('not set'))],
  [msg('Charts'), ...all.map(({ theme }) => themeText(theme))],
  ...(rich
    ? [
        [
          msg('Messages'),
          ...all.map(({ messages = 'plain' }, index) => (index > 0 ? '' : styleNames[messages])),
        ],
      ]
    : []),
  ...(usualBudget === undefined
    ? []
    : [
        [
          msg('Posts'),
          ...all.map(({ budget = usualBudget }, index) => (index > 0 ? '' : budgetText(budget))),
        ],
      ]),
];

/** Returns a fact for each chosen setting. */
export const chosenFacts = ({ language, timeZone, theme, messages, budget }: Preferences): Fact[] => [
  ...(language === undefined ? [] : [{ name: msg('Language'), value: languageText(language) }]),
  ...(timeZone === undefined ? [] : [{ name: msg('Time zone'), value: timeZone }]),
  ...(theme === undefined ? [] : [{ name: msg('Charts'), value: themeText(theme) }]),
  ...(messages === undefined ? [] : [{ name: msg('Messages'), value: styleNames[messages] }]),
  ...(budget === undefined ? [] : [{ name: msg('Posts'), value: budgetText(budget) }]),
];

/** Sets preferences of a place, which is recorded, or of a person, which is private and not recorded. Others stay unchanged. */
export async function setPreferences(
  whose: Chooser,
  {
    chosen,
    places,
    record,
  }: {
    readonly chosen: Preferences;
    readonly places: Pick<PlaceStore, 'preferences'>;
    readonly record: (what: Text) => void;
  },
): Promise<void> {
  if (Object.keys(chosen).length === 0) return;
  await places.preferences.set(whose, { ...(await places.preferences.of(whose)), ...chosen });
  if (typeof whose === 'string') return;
  const what = chosenFacts(chosen).map(({ name, value }) => msg('{name}: {value}', { name, value }));
  record(msg('settings: {what}', { what: listOf(what) }));
}
