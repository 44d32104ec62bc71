import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Rule } from '../../alert/rule.ts';
import type { Receiver, Subscription } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import { UserError, withMessage } from '../../language/errors.ts';
import { watchlistEntry } from '../../places/entries.ts';
import type { Platform } from '../../platforms/platform.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { CommandContext } from '../../shell/command.ts';
import { type Flaw, openSheet, type Path, positionIn, type Sheet } from '../../shell/sheet.ts';
import { parsePlace } from '../ask-elsewhere.ts';
import { fillVariables, type PlaceFiles } from '../config/place-files.ts';
import { receiverSchema } from '../config/setting-schemas.ts';
import { type GivenEntry, readRule, readSubscription, readWatchlist } from './entries.ts';
import { issueMessages } from './issue-messages.ts';
import {
  ruleComparison,
  subscriptionComparison,
  type Wanted,
  type WantedPlaces,
  watchlistComparison,
} from './plan.ts';
import type { openInThread } from './sheet-thread.ts';

export interface ReadContext extends Pick<CommandContext, 'kinds' | 'now'> {
  readonly platforms: readonly Pick<Platform, 'name' | 'address' | 'addressFormat' | 'shown'>[];
  /** Tracked symbols. Empty if they are not known yet: entries that name a market cannot be read then. */
  readonly universe: readonly string[];
  /** Opens the files in a thread. Absent: they are opened in this thread, which blocks meanwhile. */
  readonly open?: typeof openInThread;
}

interface ReadPlaces {
  readonly wanted: WantedPlaces;
  readonly flaws: readonly Flaw[];
  /** How many entries could not be read because no markets are known. */
  readonly unread: number;
}

const address = z.union([
  z.string(),
  z.strictObject({
    notifier: z.string(),
    address: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
]);

const placeShape = z.strictObject({
  at: z.custom<z.output<typeof address>>(
    (given) => address.safeParse(given).success,
    withMessage('give an address, such as web:main'),
  ),
  subscriptions: z.array(z.unknown()).default([]),
  alerts: z.array(z.unknown()).default([]),
  watchlist: watchlistEntry.min(1).optional(),
});

/**
 * Returns what the files want, and all that is wrong with them. The text of a flaw never contains an address, which may be
 * a secret. The event loop runs other work between entries: a thousand entries take most of a second.
 */
export async function readPlaces(
  files: PlaceFiles,
  { open = openInThisThread, ...context }: ReadContext,
): Promise<ReadPlaces> {
  const found: Found = { subscriptions: [], rules: [], watchlists: [], flaws: [...files.flaws], unread: 0 };
  for await (const [file, sheet] of open(files.texts)) {
    if (!('value' in sheet)) {
      found.flaws.push(...sheet);
      continue;
    }
    const page = { file, sheet, flaws: found.flaws };
    for (const { place, path } of placesIn(page)) {
      const receiver = receiverAt(place.at, { page, path, files, context });
      if (receiver !== undefined) await readPlace(place, { page, path, receiver, context, found });
    }
  }
  const { subscriptions, rules, watchlists, flaws, unread } = found;
  const duplicates = [
    ...findDuplicates(subscriptions, {
      identity: subscriptionComparison.identity,
      what: 'the same subscription',
    }),
    ...findDuplicates(rules, {
      identity: ruleComparison.identity,
      what: 'an alert of the same name or condition',
    }),
    ...findDuplicates(watchlists, { identity: watchlistComparison.identity, what: 'a watchlist' }),
  ];
  return { wanted: { subscriptions, rules, watchlists }, flaws: [...flaws, ...duplicates], unread };
}

async function* openInThisThread(texts: PlaceFiles['texts']): ReturnType<typeof openInThread> {
  for (const [file, text] of Object.entries(texts)) yield [file, openSheet(file, text)];
}

interface Found {
  readonly subscriptions: Wanted<Subscription>[];
  readonly rules: Wanted<Rule>[];
  readonly watchlists: Wanted<Watchlist>[];
  readonly flaws: Flaw[];
  unread: number;
}

async function readPlace(
  place: z.output<typeof placeShape>,
  {
    page,
    path,
    receiver,
    context,
    found,
  }: {
    readonly page: Page;
    readonly path: Path;
    readonly receiver: Receiver;
    readonly context: ReadContext;
    readonly found: Found;
  },
): Promise<void> {
  const read = async <Given, Thing>(
    given: Given,
    entryPath: Path,
    readThing: (reading: GivenEntry & { readonly given: Given }) => Thing | undefined,
  ): Promise<Wanted<Thing>[]> => {
    await setImmediate();
    const thing = readThing({
      ...{ given, file: page.file, receiver, context },
      reportProblem: (text, inner = []) =>
        void found.flaws.push(flawAt(page, { path: [...entryPath, ...inner], text })),
      skip() {
        found.unread += 1;
      },
    });
    const origin = { file: page.file, line: positionIn(page.sheet, entryPath).line };
    return thing === undefined ? [] : [{ thing, origin }];
  };
  for (const [index, given] of place.subscriptions.entries())
    found.subscriptions.push(...(await read(given, [...path, 'subscriptions', index], readSubscription)));
  for (const [index, given] of place.alerts.entries())
    found.rules.push(...(await read(given, [...path, 'alerts', index], readRule)));
  if (place.watchlist !== undefined)
    found.watchlists.push(...(await read(place.watchlist, [...path, 'watchlist'], readWatchlist)));
}

interface Page {
  readonly file: string;
  readonly sheet: Sheet;
  readonly flaws: Flaw[];
}

const flawAt = (
  { file, sheet }: Page,
  { path, text }: { readonly path: Path; readonly text: string },
): Flaw => ({
  file,
  ...positionIn(sheet, path),
  text,
});

function placesIn(page: Page) {
  const { sheet, flaws } = page;
  // A file that has only comments has no value.
  const all = sheet.value ?? [];
  if (!Array.isArray(all)) {
    flaws.push(
      flawAt(page, { path: [], text: 'give a list of places, each of which begins with "- at: ADDRESS"' }),
    );
    return [];
  }
  return all.flatMap((value: unknown, index) => {
    const parsed = placeShape.safeParse(value);
    if (parsed.success) return [{ place: parsed.data, path: [index] }];
    for (const issue of parsed.error.issues)
      for (const { path, text } of issueMessages(issue, Object.keys(placeShape.shape)))
        flaws.push(flawAt(page, { path: [index, ...path], text }));
    return [];
  });
}

function receiverAt(
  at: z.output<typeof placeShape>['at'],
  {
    page,
    path,
    files,
    context,
  }: { readonly page: Page; readonly path: Path; readonly files: PlaceFiles; readonly context: ReadContext },
): Receiver | undefined {
  const reportProblem = (text: string) => {
    page.flaws.push(flawAt(page, { path: [...path, 'at'], text: `at: ${text}` }));
    return undefined;
  };
  try {
    if (typeof at === 'string') return parsePlace(context.platforms, fillVariables(at, files)).receiver;
    const address = Object.entries(at.address).map(([key, value]) => [
      key,
      typeof value === 'string' ? fillVariables(value, files) : value,
    ]);
    const place = { notifier: at.notifier, address: Object.fromEntries(address) };
    return (
      receiverSchema(context.platforms).safeParse(place).data ??
      reportProblem('that is no address of a platform in use')
    );
  } catch (error) {
    if (error instanceof ConfigError) return reportProblem(error.message);
    if (error instanceof UserError) return reportProblem(error.message);
    throw error;
  }
}

function findDuplicates<Thing>(
  wanted: readonly Wanted<Thing>[],
  { identity, what }: { readonly identity: (thing: Thing) => string; readonly what: string },
): Flaw[] {
  const first = new Map<string, Wanted<Thing>['origin']>();
  return wanted.flatMap(({ thing, origin }) => {
    const key = identity(thing);
    const before = first.get(key);
    if (before === undefined) first.set(key, origin);
    return before === undefined
      ? []
      : [
          {
            ...origin,
            column: 1,
            text: `${what} stands for this place at ${before.file}:${before.line} already: take one of them out`,
          },
        ];
  });
}
