import { stringify } from 'yaml';
import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import { presetNames } from '../../alert/presets.ts';
import type { Rule } from '../../alert/rule.ts';
import { type Digest, type Subscription, weekdays } from '../../alert/subscription.ts';
import { isGroup } from '../../alert/symbols.ts';
import { maxFollowedSymbols, type Watchlist } from '../../alert/watchlist.ts';
import { UserError } from '../../language/errors.ts';
import { languages } from '../../language/languages.ts';
import { chartThemes, messageStyles, type Preferences } from '../../language/preferences.ts';
import { join, msg, type Text } from '../../language/text.ts';
import { isTimeZone } from '../../language/time-format.ts';
import type { Caller, CommandContext } from '../../shell/command.ts';
import { issueText, withMessage } from '../../shell/issue.ts';
import { untracked } from '../../shell/symbols.ts';
import { unknownKind } from '../../shell/vocabulary.ts';
import { importedValue } from './import-text.ts';
import { chooseKinds } from './preset.ts';
import { entryOfRule, ruleEntry, ruleOfEntry } from './rule-transfer.ts';
import { resolveRole, type SubscriptionPreferences, type Wish } from './subscription-preferences.ts';

const localTime = z
  .string()
  .refine(
    (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
    withMessage(msg('give a local time, such as 08:00')),
  );
const zone = z.string().refine(isTimeZone, withMessage(msg('give a time zone, such as Europe/Berlin')));
const names = z.array(z.string().min(1).max(40)).min(1).max(100);

/** A subscription as `export` writes it, without the fields that have their default. */
export const subscriptionEntry = z.strictObject({
  kinds: names.optional(),
  /** Names a preset instead of kinds. */
  preset: z.enum(presetNames).optional(),
  symbols: names.default(['*']),
  severity: z.enum(severities).optional(),
  quiet: z
    .strictObject({ from: localTime, to: localTime, zone })
    .refine(({ from, to }) => from !== to, withMessage(msg('give two different times, such as 22:00-07:00')))
    .optional(),
  digest: z
    .strictObject({
      every: z.enum(['hour', 'day', 'week']),
      at: localTime.default('08:00'),
      day: z.enum(weekdays).optional(),
      zone,
    })
    .optional(),
  mention: z
    .string()
    .refine((text) => /^\S{1,64}$/.test(text), withMessage(msg('give the id of a role')))
    .optional(),
  paused: z.boolean().default(false),
});

/** The file that `export` writes and `import` reads, without the fields that have their default. */
const exportSchema = z.strictObject({
  tocsin: z.literal(1),
  subscriptions: z.array(subscriptionEntry).max(50).default([]),
  alerts: z.array(ruleEntry).max(50).default([]),
  watchlist: z.array(z.string().min(1).max(40)).max(maxFollowedSymbols).default([]),
  place: z
    .strictObject({
      language: z.enum(languages).optional(),
      zone: zone.optional(),
      theme: z.enum(chartThemes).optional(),
      messages: z.enum(messageStyles).optional(),
      budget: z.int().min(0).max(999).nullable().optional(),
    })
    .default({}),
});

/** Writes an export as JSON on one line, so that it can be typed on platforms where no file can be sent. */
export function writeExport(
  subscriptions: readonly Subscription[],
  {
    rules,
    watchlist,
    preferences,
  }: {
    readonly rules: readonly Rule[];
    readonly watchlist: readonly string[];
    readonly preferences: Preferences;
  },
): string {
  const { timeZone, ...chosen } = preferences;
  const place = { ...chosen, ...(timeZone !== undefined && { zone: timeZone }) };
  return JSON.stringify({
    tocsin: 1,
    ...(Object.keys(place).length > 0 && { place }),
    ...(subscriptions.length > 0 && { subscriptions: subscriptions.map(entryOf) }),
    ...(rules.length > 0 && { alerts: rules.map(entryOfRule) }),
    ...(watchlist.length > 0 && { watchlist }),
  });
}

/**
 * Writes an export as YAML for a file of places. Leaves out what files have set already and what a file cannot set. The address
 * is replaced by a placeholder if the export is read in another place, as it may be a secret there.
 */
export function writeFileExport(
  { receiver, answeredElsewhere }: Pick<Caller, 'receiver' | 'answeredElsewhere'>,
  {
    subscriptions,
    rules,
    watchlist,
  }: {
    readonly subscriptions: readonly Subscription[];
    readonly rules: readonly Rule[];
    readonly watchlist: Omit<Watchlist, 'receiver'>;
  },
): string {
  const own = subscriptions.filter(({ file }) => file === undefined).map(entryOf);
  const alerts = rules.filter(({ file, mode }) => file === undefined && mode === 'always').map(entryOfRule);
  const hasOwnWatchlist = watchlist.file === undefined && watchlist.symbols.length > 0;
  return stringify([
    {
      at: answeredElsewhere === true ? 'ADDRESS' : receiver,
      ...(own.length > 0 && { subscriptions: own }),
      ...(alerts.length > 0 && { alerts }),
      ...(hasOwnWatchlist && { watchlist: watchlist.symbols }),
    },
  ]);
}

const entryOf = (subscription: Subscription) => {
  const { kinds, symbols, minSeverity, quietHours, digest, mention, paused } = subscription;
  return {
    ...(!kinds.includes('*') && { kinds }),
    ...(!symbols.includes('*') && { symbols }),
    ...(minSeverity !== 'info' && { severity: minSeverity }),
    ...(quietHours !== null && {
      quiet: { from: quietHours.from, to: quietHours.to, zone: quietHours.timeZone },
    }),
    ...(digest !== null && {
      digest: {
        every: digest.every,
        at: digest.at,
        ...(digest.weekday !== undefined && { day: digest.weekday }),
        zone: digest.timeZone,
      },
    }),
    ...(mention !== null && { mention }),
    ...(paused && { paused }),
  };
};

interface Imported {
  readonly wishes: readonly Wish[];
  readonly rules: readonly Rule[];
  readonly watchlist: readonly string[];
  /** The place's preferences to set. Those that are absent stay unchanged. */
  readonly chosen: Preferences;
}

/** Reads an export. Throws UserError with everything that is wrong, 10 problems at most. */
export function readImport(
  text: string,
  context: Pick<CommandContext, 'kinds' | 'universe' | 'caller' | 'now' | 'rich'>,
): Imported {
  const { kinds, universe, caller } = context;
  const parsed = exportSchema.safeParse(importedValue(text));
  if (!parsed.success) {
    const isForeign = parsed.error.issues.some(
      ({ path: [first], code }) => first === 'tocsin' || (first === undefined && code === 'invalid_type'),
    );
    if (isForeign) throw new UserError(msg('This is not a Tocsin export.'));
    throw new UserError(
      join(
        parsed.error.issues.slice(0, 10).map((issue) =>
          msg('{key}: {problem}.', {
            key: issue.path.join('.') || msg('the whole'),
            problem: issueText(issue),
          }),
        ),
        '\n',
      ),
    );
  }
  const { subscriptions, alerts, watchlist } = parsed.data;
  const knownKind = new Set(['*', ...kinds.map(({ name }) => name)]);
  const tracked = (symbol: string) => universe.length === 0 || universe.includes(symbol);
  const markets = [...subscriptions, ...alerts].flatMap(({ symbols }) => symbols);
  const problems: Text[] = [
    ...subscriptions.flatMap((each) => [
      ...(each.kinds ?? []).filter((kind) => !knownKind.has(kind)).map(unknownKind),
      ...(each.mention === undefined ? [] : mentionProblem(each.mention, caller)),
    ]),
    ...markets.filter((symbol) => !isGroup(symbol) && !tracked(symbol)).map(untracked),
    // A watchlist cannot contain a group, as `watchlist` is a group itself.
    ...watchlist.filter((symbol) => isGroup(symbol) || !tracked(symbol)).map(untracked),
  ];
  if (problems.length > 0) {
    const distinct = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
    throw new UserError(join(distinct.slice(0, 10), '\n'));
  }
  const { language, zone: timeZone, theme, messages, budget } = parsed.data.place;
  const chosen = {
    ...(language !== undefined && { language }),
    ...(timeZone !== undefined && { timeZone }),
    ...(theme !== undefined && { theme }),
    // The style of messages is ignored on a platform that has no rich messages.
    ...(messages !== undefined && context.rich !== undefined && { messages }),
    ...(budget !== undefined && { budget }),
  };
  const rules = alerts.map((each) => ruleOfEntry(each, context));
  return { wishes: subscriptions.map((each) => wishOfEntry(each, kinds)), rules, watchlist, chosen };
}

function mentionProblem(role: string, { roleOf }: CommandContext['caller']): Text[] {
  try {
    return resolveRole(role, roleOf) === role ? [] : [msg('give the id of a role')];
  } catch (error) {
    if (error instanceof UserError) return [error.text];
    throw error;
  }
}

const digestOf = ({
  every,
  at,
  day,
  zone,
}: NonNullable<z.output<typeof subscriptionEntry>['digest']>): Digest => ({
  every,
  at,
  ...(day !== undefined && { weekday: day }),
  timeZone: zone,
});

/** Reads a subscription of an export. Throws UserError if it names both kinds and a preset. */
export function wishOfEntry(
  { symbols, quiet, digest, mention, paused, ...named }: z.output<typeof subscriptionEntry>,
  known: CommandContext['kinds'],
): Wish & { readonly preferences: SubscriptionPreferences } {
  const { kinds, severity } =
    named.preset === undefined
      ? { kinds: named.kinds ?? ['*'], severity: named.severity }
      : chooseKinds({ kinds: named.kinds, severity: named.severity, preset: named.preset }, known);
  return {
    matcher: { kinds: kinds.includes('*') ? ['*'] : kinds, symbols: symbols.includes('*') ? ['*'] : symbols },
    preferences: {
      minSeverity: severity ?? 'info',
      quietHours: quiet === undefined ? null : { from: quiet.from, to: quiet.to, timeZone: quiet.zone },
      digest: digest === undefined ? null : digestOf(digest),
      mention: mention ?? null,
      paused,
    },
  };
}
