import { z } from 'zod';
import type { Rule } from '../alert/rule.ts';
import type { Receiver, Subscription } from '../alert/subscription.ts';
import { isGroup } from '../alert/symbols.ts';
import { UserError } from '../language/errors.ts';
import { languages } from '../language/languages.ts';
import { chartThemes, messageStyles, type Preferences } from '../language/preferences.ts';
import { join, msg, type Text } from '../language/text.ts';
import type { PlaceReader } from '../store/ports.ts';
import { type RoleOf, resolveRole } from './arrival.ts';
import { type Editing, proveReach } from './editing.ts';
import {
  entryOfRule,
  entryOfSubscription,
  ruleEntry,
  ruleOfEntry,
  subscriptionEntry,
  watchlistEntry,
  wishOfEntry,
  zone,
} from './entries.ts';
import { limits, maxPostsADay } from './limits.ts';
import { unknownKind, unknownMarket } from './names.ts';
import { putPreferences } from './preferences.ts';
import { newRules, putRule } from './rules.ts';
import { type PutSubscription, putSubscription, type Wish } from './subscriptions.ts';
import { putWatchlist, requireOwnWatchlist } from './watchlists.ts';

const exportSchema = z.strictObject({
  tocsin: z.literal(1),
  subscriptions: z.array(subscriptionEntry).max(limits.subscriptions.chat).default([]),
  alerts: z.array(ruleEntry).max(limits.rules.chat).default([]),
  watchlist: watchlistEntry.default([]),
  place: z
    .strictObject({
      language: z.enum(languages).optional(),
      zone: zone.optional(),
      theme: z.enum(chartThemes).optional(),
      messages: z.enum(messageStyles).optional(),
      budget: z.int().min(0).max(maxPostsADay).nullable().optional(),
    })
    .default({}),
});

/** The things of a place that can be exported. */
interface PlaceContent {
  readonly subscriptions: readonly Subscription[];
  readonly rules: readonly Rule[];
  readonly watchlist: readonly string[];
  readonly preferences: Preferences;
}

/** Returns the value that `export` writes. */
export function exportOf({ subscriptions, rules, watchlist, preferences }: PlaceContent): object {
  const { timeZone, ...chosen } = preferences;
  const place = { ...chosen, ...(timeZone !== undefined && { zone: timeZone }) };
  return {
    tocsin: 1,
    ...(Object.keys(place).length > 0 && { place }),
    ...entriesOf({ subscriptions, rules, watchlist }),
  };
}

/** Returns what a file would set in the same way, without what files have set already and what a file cannot set. */
export const fileEntriesOf = (
  { subscriptions, rules, watchlist }: Omit<PlaceContent, 'preferences'>,
  listFile: string | undefined,
): object =>
  entriesOf({
    subscriptions: subscriptions.filter(({ file }) => file === undefined),
    rules: rules.filter(({ file, mode }) => file === undefined && mode === 'always'),
    watchlist: listFile === undefined ? watchlist : [],
  });

const entriesOf = ({ subscriptions, rules, watchlist }: Omit<PlaceContent, 'preferences'>) => ({
  ...(subscriptions.length > 0 && { subscriptions: subscriptions.map(entryOfSubscription) }),
  ...(rules.length > 0 && { alerts: rules.map(entryOfRule) }),
  ...(watchlist.length > 0 && { watchlist }),
});

/** Reads what a place has that can be exported. */
export async function readPlace(receiver: Receiver, reader: PlaceReader): Promise<PlaceContent> {
  const [subscriptions, rules, watchlist, preferences] = await Promise.all([
    reader.subscriptions.of(receiver),
    reader.rules.of(receiver),
    reader.watchlist.of(receiver),
    reader.preferences.of(receiver),
  ]);
  return { subscriptions, rules, watchlist, preferences };
}

/** What a place is given at once. */
export interface Imported {
  readonly wishes: readonly Wish[];
  readonly rules: readonly Rule[];
  readonly watchlist: readonly string[];
  /** The place's preferences to set. Those that are absent stay unchanged. */
  readonly chosen: Preferences;
}

/** What an export is compared with. */
interface KnownNames extends Pick<Editing, 'author' | 'kinds'> {
  /** Tracked symbols. Empty if they are not known yet: every market is then taken as it is. */
  readonly universe: readonly string[];
  readonly roleOf?: RoleOf | undefined;
  /** Whether the place can have rich messages. */
  readonly rich: boolean;
}

/** The most problems that are told at once. */
const maxProblems = 10;

/**
 * Reads the value of an export.
 * @param issueText says what is wrong with a value
 * @throws UserError with everything that is wrong, 10 problems at most
 */
export function readExport(
  value: unknown,
  known: KnownNames,
  issueText: (issue: z.core.$ZodIssue) => Text,
): Imported {
  const parsed = exportSchema.safeParse(value);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const isForeign = issues.some(
      ({ path: [first], code }) => first === 'tocsin' || (first === undefined && code === 'invalid_type'),
    );
    if (isForeign) throw new UserError(msg('This is not a Tocsin export.'));
    throw problemsError(
      issues.map((issue) =>
        msg('{key}: {problem}.', {
          key: issue.path.join('.') || msg('the whole'),
          problem: issueText(issue),
        }),
      ),
    );
  }
  const { subscriptions, alerts, watchlist, place } = parsed.data;
  const { kinds, universe, roleOf, author, rich } = known;
  const knownKinds = new Set(['*', ...kinds.map(({ name }) => name)]);
  const isUntracked = (symbol: string) => universe.length > 0 && !universe.includes(symbol);
  const markets = [...subscriptions, ...alerts].flatMap(({ symbols }) => symbols);
  const problems = [
    ...subscriptions.flatMap((each) => [
      ...(each.kinds ?? []).filter((kind) => !knownKinds.has(kind)).map(unknownKind),
      ...(each.mention === undefined ? [] : mentionProblem(each.mention, roleOf)),
    ]),
    ...markets.filter((symbol) => !isGroup(symbol) && isUntracked(symbol)).map(unknownMarket),
    // A watchlist cannot contain a group, as `watchlist` is a group itself.
    ...watchlist.filter((symbol) => isGroup(symbol) || isUntracked(symbol)).map(unknownMarket),
  ];
  if (problems.length > 0) throw problemsError(problems);
  const { zone: timeZone, messages, ...others } = place;
  const chosen = {
    ...others,
    ...(timeZone !== undefined && { timeZone }),
    // The style of messages is ignored on a platform that has no rich messages.
    ...(messages !== undefined && rich && { messages }),
  } as Preferences;
  return {
    wishes: subscriptions.map((each) => wishOfEntry(each, kinds)),
    rules: alerts.map((each) => ruleOfEntry(each, author)),
    watchlist,
    chosen,
  };
}

const problemsError = (problems: readonly Text[]): UserError => {
  const distinct = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return new UserError(join([...distinct.values()].slice(0, maxProblems), '\n'));
};

function mentionProblem(role: string, roleOf: RoleOf | undefined): Text[] {
  try {
    return resolveRole(role, roleOf) === role ? [] : [msg('give the id of a role')];
  } catch (error) {
    if (error instanceof UserError) return [error.text];
    throw error;
  }
}

/** Returns the markets and the rules of an export that the place does not have. @throws UserError if it may not have them */
export async function findAdditions(
  { rules, watchlist }: Imported,
  reader: Pick<PlaceReader, 'rules' | 'watchlist'>,
  author: Pick<Editing['author'], 'receiver'>,
): Promise<{ readonly addedSymbols: readonly string[]; readonly addedRules: readonly Rule[] }> {
  const followed = await reader.watchlist.of(author.receiver);
  const addedSymbols = watchlist.filter((symbol) => !followed.includes(symbol));
  if (addedSymbols.length > 0) await requireOwnWatchlist(reader, author);
  return { addedSymbols, addedRules: newRules(rules, await reader.rules.of(author.receiver)) };
}

/** Adds what an export has to a place, all of it or nothing. Removes nothing. @throws UserError */
export async function importPlace(imported: Imported, editing: Editing): Promise<readonly PutSubscription[]> {
  const { store, author } = editing;
  const { wishes, chosen } = imported;
  const before = await findAdditions(imported, store, author);
  if (wishes.length + before.addedRules.length > 0) await proveReach(editing);
  return store.change(author, async (places, audit) => {
    const within = { places, audit };
    const puts: PutSubscription[] = [];
    for (const wish of wishes) puts.push(await putSubscription(wish, author, within));
    const { addedSymbols, addedRules } = await findAdditions(imported, places, author);
    for (const rule of addedRules) await putRule(rule, within);
    if (addedSymbols.length > 0) {
      const followed = await places.watchlist.of(author.receiver);
      await putWatchlist([...followed, ...addedSymbols], author, within);
    }
    await putPreferences(author.receiver, chosen, within);
    return puts;
  });
}
