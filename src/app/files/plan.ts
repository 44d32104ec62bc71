import { isDeepStrictEqual } from 'node:util';
import type { Rule } from '../../alert/rule.ts';
import { type Receiver, receiverKey, type Subscription } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import type { FileChanges, Held } from '../../store/ports.ts';

/** Where an entry begins. Lines count from 1. */
interface Origin {
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
interface ThingComparison<Thing> {
  identity(thing: Thing): string;
  /**
   * What the thing means to its receiver, without its name. By this a file finds a thing that was made in the chat, and one
   * that has been given a name since.
   */
  meaning(thing: Thing): string;
  /** Everything that a file decides about the thing, independent of the order of its lists. */
  content(thing: Thing): unknown;
  /** Returns `to` with the fields of `from` that a file does not decide. */
  merge(from: Thing, to: Thing): Thing;
}

interface Created {
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

const keepIdentity = <Thing extends Created>({ id, createdBy, createdAt }: Thing, to: Thing): Thing => ({
  ...to,
  ...{ id, createdBy, createdAt },
});

const termsOf = ({ receiver, kinds, symbols }: Subscription): string =>
  JSON.stringify([receiverKey(receiver), kinds.toSorted(), symbols.toSorted()]);

export const subscriptionComparison: ThingComparison<Subscription> = {
  identity: termsOf,
  meaning: termsOf,
  content: (subscription) => {
    const { minSeverity, quietHours, digest, mention, style, paused, file } = subscription;
    return [termsOf(subscription), minSeverity, quietHours, digest, mention, style, paused, file];
  },
  merge: keepIdentity,
};

const meaningOf = ({ receiver, condition, clear, symbols }: Rule): string =>
  JSON.stringify([receiverKey(receiver), condition, clear, symbols.toSorted()]);

export const ruleComparison: ThingComparison<Rule> = {
  identity: (rule) =>
    rule.name === null ? meaningOf(rule) : JSON.stringify([receiverKey(rule.receiver), rule.name]),
  meaning: meaningOf,
  content: (rule) => {
    const { name, hold, mode, expiresAt, severity, paused, file } = rule;
    const position = JSON.stringify(rule.position);
    return [meaningOf(rule), name, hold, mode, expiresAt, severity, paused, position, file];
  },
  merge: keepIdentity,
};

const placeOf = ({ receiver }: Watchlist): string => receiverKey(receiver);

export const watchlistComparison: ThingComparison<Watchlist> = {
  identity: placeOf,
  meaning: placeOf,
  content: ({ symbols, file }) => [symbols, file],
  merge: (_, to) => to,
};

/**
 * Plans the steps after which places have from files exactly what is wanted. What people have made in chats stays, unless a
 * file takes it over.
 */
export const planOf = (wanted: WantedPlaces, held: Held): Plan => ({
  subscriptions: stepsOf(subscriptionComparison, { wanted: wanted.subscriptions, held: held.subscriptions }),
  rules: stepsOf(ruleComparison, { wanted: wanted.rules, held: held.rules }),
  watchlists: stepsOf(watchlistComparison, { wanted: wanted.watchlists, held: held.watchlists }),
});

function stepsOf<Thing extends { readonly file?: string }>(
  { identity, meaning, content, merge }: ThingComparison<Thing>,
  { wanted, held }: { readonly wanted: readonly Wanted<Thing>[]; readonly held: readonly Thing[] },
): Step<Thing>[] {
  const [filed, own] = [true, false].map((has) => held.filter(({ file }) => (file !== undefined) === has));
  const thingByWanted = new Map<Wanted<Thing>, Thing>();
  const taken = new Set<Thing>();
  const matchThings = (candidates: readonly Thing[], key: (thing: Thing) => string) => {
    const thingsByKey = Map.groupBy(
      candidates.filter((each) => !taken.has(each)),
      key,
    );
    for (const each of wanted) {
      const [thing, ...more] = thingByWanted.has(each) ? [] : (thingsByKey.get(key(each.thing)) ?? []);
      if (thing === undefined) continue;
      thingsByKey.set(key(each.thing), more);
      thingByWanted.set(each, thing);
      taken.add(thing);
    }
  };
  matchThings(filed ?? [], identity);
  matchThings(filed ?? [], meaning);
  matchThings(own ?? [], meaning);
  const steps = wanted.flatMap((each): Step<Thing>[] => {
    const { thing, origin } = each;
    const from = thingByWanted.get(each);
    if (from === undefined) return [{ act: 'add', to: thing, origin }];
    if (isDeepStrictEqual(content(from), content(thing))) return [];
    return [{ act: 'change', from, to: merge(from, thing), origin }];
  });
  const removed = (filed ?? []).filter((each) => !taken.has(each));
  return [...steps, ...removed.map((from): Step<Thing> => ({ act: 'remove', from }))];
}

/** Returns the plan's changes to the store, without the audit records. */
export function changesOf(plan: Plan, newId: () => string): Omit<FileChanges, 'records'> {
  const withId = <Thing extends Created>(thing: Thing): Thing => ({ ...thing, id: newId() });
  return {
    subscriptions: changedBy(plan.subscriptions, withId),
    rules: changedBy(plan.rules, withId),
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
