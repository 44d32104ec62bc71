import type { Fact } from '../alert/alert.ts';
import { UserError } from '../language/errors.ts';
import type { ChartTheme, MessageStyle, Preferences } from '../language/preferences.ts';
import { languageName } from '../language/say.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import type { Chooser, PlaceStore } from '../store/ports.ts';
import type { Editing } from './editing.ts';

/** What can be chosen in a place, by what its platform offers. */
export interface Choices {
  /** The posts a day of a place that has not chosen a number; null: any number. Undefined: there is no choice. */
  readonly budget: number | null | undefined;
  readonly rich: boolean;
}

interface GivenSettings {
  readonly chosen: Preferences;
  /** Whether everything that was chosen before is dropped first. */
  readonly reset: boolean;
  /** Whether the time zone is dropped. */
  readonly dropsZone: boolean;
  readonly choices: Choices;
}

/**
 * Changes the preferences of the place, or the author's own. Does nothing if nothing is given.
 * @throws UserError if there is no such choice
 */
export async function choosePreferences(
  whose: 'place' | 'me',
  given: GivenSettings,
  { store, author }: Pick<Editing, 'store' | 'author'>,
): Promise<boolean> {
  const { chosen, reset, dropsZone } = given;
  const subject = whose === 'me' ? author.person : author.receiver;
  if (subject === null)
    throw new UserError(msg('There are no personal settings here: choose for the chat instead.'));
  requireChoice(whose, given);
  if (Object.keys(chosen).length === 0 && !reset && !dropsZone) return false;
  await store.change(author, async (places, audit) => {
    const auditOfPlace = (what: Text) => (whose === 'place' ? audit(what) : undefined);
    if (reset) {
      await places.preferences.set(subject, {});
      auditOfPlace(msg('settings: reset'));
    }
    if (dropsZone) {
      const { timeZone: _, ...others } = await places.preferences.of(subject);
      await places.preferences.set(subject, others);
      auditOfPlace(msg('settings: {what}', { what: join([msg('Time zone'), msg('not set')], ': ') }));
    }
    await putPreferences(subject, chosen, { places, audit });
  });
  return true;
}

function requireChoice(whose: 'place' | 'me', { chosen, choices }: GivenSettings): void {
  const { budget, messages } = chosen;
  if (whose === 'me' && budget !== undefined)
    throw new UserError(msg('How many posts a day come here is chosen for the chat, not for one person.'));
  if (budget !== undefined && choices.budget === undefined)
    throw new UserError(msg('Programs read what is posted here, so they get every alert.'));
  if (messages !== undefined && !choices.rich) throw new UserError(msg('There are no rich messages here.'));
  if (messages !== undefined && whose === 'me')
    throw new UserError(msg('Whether messages are rich is chosen for the chat, not for one person.'));
}

/**
 * Within a change: sets preferences of a place, which is recorded, or of a person, which is private and not recorded. Others
 * stay unchanged. Returns all of them.
 */
export async function putPreferences(
  whose: Chooser,
  chosen: Preferences,
  { places, audit }: { readonly places: Pick<PlaceStore, 'preferences'>; audit(what: Text): void },
): Promise<Preferences> {
  const before = await places.preferences.of(whose);
  if (Object.keys(chosen).length === 0) return before;
  const preferences = { ...before, ...chosen };
  await places.preferences.set(whose, preferences);
  const what = chosenFacts(chosen).map(({ name, value }) => msg('{name}: {value}', { name, value }));
  if (typeof whose !== 'string') audit(msg('settings: {what}', { what: listOf(what) }));
  return preferences;
}

export const themeNames: Readonly<Record<ChartTheme, Text>> = { dark: msg('dark'), light: msg('light') };
export const styleNames: Readonly<Record<MessageStyle, Text>> = { plain: msg('plain'), rich: msg('rich') };

/** Says how many posts a day may interrupt a chat. */
export const budgetText = (budget: number | null): Text =>
  budget === null
    ? msg('Any number of posts a day')
    : msg('Max {n, plural, one {# post} other {# posts}} a day, the rest as a daily summary', { n: budget });

/** Returns a fact for each chosen setting. */
export const chosenFacts = ({ language, timeZone, theme, messages, budget }: Preferences): Fact[] => [
  ...(language === undefined ? [] : [{ name: msg('Language'), value: languageName(language) }]),
  ...(timeZone === undefined ? [] : [{ name: msg('Time zone'), value: timeZone }]),
  ...(theme === undefined ? [] : [{ name: msg('Charts'), value: themeNames[theme] }]),
  ...(messages === undefined ? [] : [{ name: msg('Messages'), value: styleNames[messages] }]),
  ...(budget === undefined ? [] : [{ name: msg('Posts'), value: budgetText(budget) }]),
];
