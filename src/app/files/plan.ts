import { isDeepStrictEqual } from 'node:util';
import type { Rule } from '../../alert/rule.ts';
import { type Receiver, receiverKey, type Subscription } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import type { FileChanges, Held } from '../../store/files.ts';

/** Where an entry begins. Lines count from 1. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

/** A thing that a file wants. Its `id`, if it has such a field, is empty, and its `file` names the file. */
export interface Wanted<Thing> {
  readonly thing: Thing;
  readonly origin: Origin;
}

/** All that the files want, without duplicates. */
export interface WantedPlaces {
  readonly subscriptions: readonly Wanted<Subscription>[];
  readonly rules: readonly Wanted<Rule>[];
  readonly watchlists: readonly Wanted<Watchlist>[];
}

/** Returns the places that the files mention. */
export const receiversOf = ({ subscriptions, rules, watchlists }: WantedPlaces): Receiver[] =>
  [...subscriptions, ...rules, ...watchlists].map(({ thing }) => thing.receiver);

/** A step of the plan. If the `from` of a change was made in the chat, the file takes it over. */
export type Step<Thing> =
  | { readonly act: 'add'; readonly to: Thing; readonly origin: Origin }
  | { readonly act: 'change'; readonly from: Thing; readonly to: Thing; readonly origin: Origin }
  | { readonly act: 'remove'; readonly from: Thing };

export interface Plan {
  readonly subscriptions: readonly Step<Subscription>[];
  readonly rules: readonly Step<Rule>[];
  readonly watchlists: readonly Step<Watchlist>[];
}

/** How things are compared. All files together give a place at most one thing of each identity. */
interface Sameness<Thing> {
  identity(thing: Thing): string;
  /**
   * What the thing means to its receiver, without its name. By this a file finds a thing that was made in the chat, and one
   * that has been given a name since.
   */
  says(thing: Thing): string;
  /** Everything that a file decides about the thing, independent of the order of its lists. */
  content(thing: Thing): unknown;
  /** Returns `to` with the fields of `from` that a file does not decide. */
  over(from: Thing, to: Thing): Thing;
}

interface Made {
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

const over = <Thing extends Made>({ id, createdBy, createdAt }: Thing, to: Thing): Thing => ({
  ...to,
  ...{ id, createdBy, createdAt },
});

const termsOf = ({ receiver, kinds, symbols }: Subscription): string =>
  JSON.stringify([receiverKey(receiver), kinds.toSorted(), symbols.toSorted()]);

export const ofSubscriptions: Sameness<Subscription> = {
  identity: termsOf,
  says: termsOf,
  content: (subscription) => {
    const { minSeverity, quietHours, digest, mention, paused, file } = subscription;
    return [termsOf(subscription), minSeverity, quietHours, digest, mention, paused, file];
  },
  over,
};

const saidBy = ({ receiver, condition, clear, symbols }: Rule): string =>
  JSON.stringify([receiverKey(receiver), condition, clear, symbols.toSorted()]);

export const ofRules: Sameness<Rule> = {
  identity: (rule) =>
    rule.name === null ? saidBy(rule) : JSON.stringify([receiverKey(rule.receiver), rule.name]),
  says: saidBy,
  content: (rule) => {
    const { name, hold, mode, expiresAt, severity, paused, file } = rule;
    return [saidBy(rule), name, hold, mode, expiresAt, severity, paused, file];
  },
  over,
};

const placeOf = ({ receiver }: Watchlist): string => receiverKey(receiver);

export const ofWatchlists: Sameness<Watchlist> = {
  identity: placeOf,
  says: placeOf,
  content: ({ symbols, file }) => [symbols, file],
  over: (_, to) => to,
};

/**
 * Plans the steps after which places have from files exactly what is wanted. What people have made in chats stays, unless a
 * file takes it over.
 */
export const planOf = (wanted: WantedPlaces, held: Held): Plan => ({
  subscriptions: stepsOf(ofSubscriptions, { wanted: wanted.subscriptions, held: held.subscriptions }),
  rules: stepsOf(ofRules, { wanted: wanted.rules, held: held.rules }),
  watchlists: stepsOf(ofWatchlists, { wanted: wanted.watchlists, held: held.watchlists }),
});

function stepsOf<Thing extends { readonly file?: string }>(
  { identity, says, content, over }: Sameness<Thing>,
  { wanted, held }: { readonly wanted: readonly Wanted<Thing>[]; readonly held: readonly Thing[] },
): Step<Thing>[] {
  const [filed, own] = [true, false].map((has) => held.filter(({ file }) => (file !== undefined) === has));
  const found = new Map<Wanted<Thing>, Thing>();
  const taken = new Set<Thing>();
  const find = (among: readonly Thing[], key: (thing: Thing) => string) => {
    const by = Map.groupBy(
      among.filter((each) => !taken.has(each)),
      key,
    );
    for (const each of wanted) {
      const [thing, ...more] = found.has(each) ? [] : (by.get(key(each.thing)) ?? []);
      if (thing === undefined) continue;
      by.set(key(each.thing), more);
      found.set(each, thing);
      taken.add(thing);
    }
  };
  find(filed ?? [], identity);
  find(filed ?? [], says);
  find(own ?? [], says);
  const steps = wanted.flatMap((each): Step<Thing>[] => {
    const { thing, origin } = each;
    const from = found.get(each);
    if (from === undefined) return [{ act: 'add', to: thing, origin }];
    if (isDeepStrictEqual(content(from), content(thing))) return [];
    return [{ act: 'change', from, to: over(from, thing), origin }];
  });
  const ending = (filed ?? []).filter((each) => !taken.has(each));
  return [...steps, ...ending.map((from): Step<Thing> => ({ act: 'remove', from }))];
}

/** Returns the plan's changes to the store, without the audit records. */
export function changesOf(plan: Plan, newId: () => string): Omit<FileChanges, 'records'> {
  const named = <Thing extends Made>(thing: Thing): Thing => ({ ...thing, id: newId() });
  return {
    subscriptions: changedBy(plan.subscriptions, named),
    rules: changedBy(plan.rules, named),
    watchlists: changedBy(plan.watchlists, (watchlist) => watchlist),
  };
}

function changedBy<Thing>(steps: readonly Step<Thing>[], added: (thing: Thing) => Thing) {
  return {
    added: steps.flatMap((step) => (step.act === 'add' ? [added(step.to)] : [])),
    changed: steps.flatMap((step) => (step.act === 'change' ? [step.to] : [])),
    removed: steps.flatMap((step) => (step.act === 'remove' ? [step.from] : [])),
  };
}
