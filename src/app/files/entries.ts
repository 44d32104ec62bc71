import { z } from 'zod';
import type { Rule } from '../../alert/rule.ts';
import type { Receiver, Subscription } from '../../alert/subscription.ts';
import { isGroup } from '../../alert/symbols.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import alertCommand from '../../commands/alert.ts';
import { onlyReading } from '../../commands/kit/sentence.ts';
import subscribeCommand from '../../commands/subscribe.ts';
import { UserError } from '../../language/errors.ts';
import { defaultPreferences, resolveRole } from '../../places/arrival.ts';
import { ruleEntry, ruleOfEntry, subscriptionEntry, wishOfEntry } from '../../places/entries.ts';
import { buildRule } from '../../places/rules.ts';
import { type Wish, wishOf } from '../../places/subscriptions.ts';
import { unknownMetricError } from '../../rules/expression-errors.ts';
import { canonicalize, type Field, fieldsOf } from '../../shell/fields.ts';
import { kinds, symbols } from '../../shell/input.ts';
import { readInput } from '../../shell/request.ts';
import type { Path } from '../../shell/sheet.ts';
import { pairOf } from '../../shell/symbols.ts';
import type { Author } from '../../store/ports.ts';
import { issueMessages } from './issue-messages.ts';
import type { ReadContext } from './read.ts';

/** An entry of a file: a line as people type it, or an object as `export` writes it. */
export interface GivenEntry {
  readonly given: unknown;
  readonly file: string;
  readonly receiver: Receiver;
  readonly context: ReadContext;
  reportProblem(text: string, path?: Path): void;
  /** Called if the entry names a market while no markets are known yet. */
  skip(): void;
}

type ListEntry = Omit<GivenEntry, 'given'> & { readonly given: readonly string[] };

/** Reads a subscription. Undefined if it is wrong, which has been reported, or cannot be read yet. */
export const readSubscription = (reading: GivenEntry): Subscription | undefined =>
  readEntry(reading, {
    schema: subscriptionEntry,
    line(line, context) {
      const { preview, language, ...given } = readInput(subscribeCommand, line, context);
      if (preview !== undefined || language !== undefined)
        throw new UserError('leave "preview" and "language" out: they say nothing of a subscription');
      return subscriptionOf(reading, wishOf(given, context.kinds, { roleOf, timeZone: 'UTC' }));
    },
    entry(entry) {
      const { matcher, preferences } = wishOfEntry(entry, reading.context.kinds);
      const mention = entry.mention === undefined ? null : resolveRole(entry.mention, roleOf);
      return subscriptionOf(reading, { matcher, preferences: { ...preferences, mention } });
    },
  });

/** Reads a rule, as `readSubscription` does. Also undefined if the rule has expired. */
export function readRule(reading: GivenEntry): Rule | undefined {
  const rule = readEntry(reading, {
    schema: ruleEntry,
    line(line, context) {
      const { action, id, preview, until, sentence, ...given } = readInput(alertCommand, line, context);
      // A word that names nothing was taken for an id.
      if (action === 'list' && id !== undefined) throw unknownMetricError(id);
      // Without an action a condition means a new alert, as in a chat.
      const isMaking = action === 'create' || action === 'list' || sentence !== undefined;
      if (!isMaking || id !== undefined || preview !== undefined)
        throw new UserError('give what follows "alert create", such as btc > 100000, without "preview"');
      if (until !== undefined)
        throw new UserError(
          '"until" counts from now here: write it as "when: …" with "until: 2027-01-31T00:00Z"',
        );
      const said = sentence === undefined ? {} : onlyReading(sentence, context.universe);
      return buildRule({ ...given, ...said }, authorIn(reading));
    },
    entry: (entry) => ruleOfEntry(entry, authorIn(reading)),
  });
  if (rule === undefined) return undefined;
  // A rule that fires once would end with its first alert, and be created again when the file is read next.
  if (rule.mode === 'once') {
    reading.reportProblem('an alert of a file stays as long as the file says so: leave "once" out');
    return undefined;
  }
  const isExpired = rule.expiresAt !== null && rule.expiresAt <= reading.context.now;
  return isExpired ? undefined : { ...rule, file: reading.file };
}

/** Reads a watchlist, as `readSubscription` does, from names of markets. */
export function readWatchlist({ given: names, ...reading }: ListEntry): Watchlist | undefined {
  const { file, receiver } = reading;
  const symbols = names.flatMap((name, index): readonly (string | undefined)[] => {
    const reportNameProblem = (text: string) => reading.reportProblem(text, [index]);
    const found = resolveNames({ symbols: [name] }, { ...reading, reportProblem: reportNameProblem });
    const meant = found?.isKnown === true ? found.names.symbols : undefined;
    if (meant?.some(isGroup) !== true) return meant ?? [undefined];
    // The markets of a group change over time without a change of the file.
    reportNameProblem(
      `"${name}" is a group: name its markets, or give the group to a subscription or an alert`,
    );
    return [undefined];
  });
  const known = symbols.filter((symbol) => symbol !== undefined);
  return known.length < symbols.length ? undefined : { receiver, symbols: [...new Set(known)], file };
}

const subscriptionOf = (
  { file, receiver, context: { now } }: GivenEntry,
  { matcher, preferences }: Wish,
): Subscription => ({
  ...{ id: '', receiver, createdBy: file, createdAt: now, file },
  ...matcher,
  ...defaultPreferences,
  ...preferences,
});

/** Reads a role to mention by its id. Which roles exist is not known here, and the person who runs the bot may mention any. */
function roleOf(named: string): { readonly id: string; readonly mentionable: boolean } | undefined {
  const id = /^(?:<@&)?(\d+)>?$/.exec(named)?.[1];
  return id === undefined ? undefined : { id, mentionable: true };
}

/** Returns the author of the file, who runs the bot. */
const authorIn = ({ file, receiver, context: { now } }: GivenEntry): Author => ({
  receiver,
  who: file,
  person: null,
  at: now,
});

function readEntry<Shape extends z.ZodObject, Thing>(
  reading: GivenEntry,
  {
    schema,
    line,
    entry,
  }: {
    readonly schema: Shape;
    readonly line: (line: string, context: ReadContext) => Thing;
    readonly entry: (entry: z.output<Shape>) => Thing;
  },
): Thing | undefined {
  const { given, context, reportProblem, skip } = reading;
  try {
    if (typeof given === 'string') return line(given, context);
    const parsed = schema.safeParse(given);
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        for (const { path, text } of issueMessages(issue, Object.keys(schema.shape)))
          reportProblem(text, path);
      return undefined;
    }
    const found = resolveNames(parsed.data, reading);
    if (found === undefined) return undefined;
    // Also read if a market is not known, for what else may be wrong.
    const thing = entry({ ...parsed.data, ...found.names } as z.output<Shape>);
    return found.isKnown ? thing : undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (typeof given === 'string' && context.universe.length === 0) {
      const problem = problemWithAnyMarket(given, context, line);
      if (problem === undefined) skip();
      else reportProblem(problem);
    } else reportProblem(onOneLine(error), 'when' in Object(given) ? ['when'] : []);
    return undefined;
  }
}

/** What a word looks like that may be a market. */
const coinPattern = /^[$#]?(?:[\p{L}\p{N}]{1,20}|[\p{L}\p{N}]{1,15}[-/:.].*(?:usdt?|usdc|perp|swap|\.p))$/iu;

/**
 * Returns what is wrong with a line whatever its markets are: what remains if each word of it that may name a market does.
 * Undefined: nothing, as far as is known.
 */
function problemWithAnyMarket(
  given: string,
  context: ReadContext,
  line: (line: string, context: ReadContext) => unknown,
): string | undefined {
  const words = given
    .split(/[\s,<>=()"'&|!+*]+/)
    .filter((word) => coinPattern.test(word) && Number.isNaN(Number(word)));
  const universe = words.map(pairOf);
  try {
    line(given, { ...context, universe });
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return onOneLine(error);
    throw error;
  }
}

const nameFields = fieldsOf({ input: z.object({ kinds: kinds.optional(), symbols: symbols.optional() }) });

/**
 * Returns the entry's kinds and markets by their full names, and whether all of them are known. Undefined if one is wrong, which
 * has been reported.
 */
function resolveNames(
  entry: Readonly<Record<string, unknown>>,
  { context, reportProblem, skip }: Omit<GivenEntry, 'given'>,
): { readonly names: Readonly<Record<string, string[]>>; readonly isKnown: boolean } | undefined {
  const resolved: Record<string, string[]> = {};
  let isComplete = true;
  let isKnown = true;
  for (const field of nameFields) {
    const names = entry[field.key] as readonly string[] | undefined;
    if (names === undefined) continue;
    const each = names.map((name, index) => {
      try {
        return resolveName(name, { field, context });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        if (field.names === 'symbol' && context.universe.length === 0) {
          isKnown = false;
          skip();
          return [pairOf(name)];
        }
        isComplete = false;
        reportProblem(onOneLine(error), [field.key, index]);
        return [];
      }
    });
    resolved[field.key] = [...new Set(each.flat())];
  }
  return isComplete ? { names: resolved, isKnown } : undefined;
}

function resolveName(
  name: string,
  { field, context }: { readonly field: Field; readonly context: ReadContext },
): string[] {
  const text = canonicalize(field, name, { ...context, commands: [] });
  return text === 'all' ? ['*'] : text.split(',');
}

const onOneLine = ({ message }: UserError): string => message.replaceAll('\n', ': ').replace(/::/g, ':');
