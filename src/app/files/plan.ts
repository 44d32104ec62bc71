import { isDeepStrictEqual } from 'node:util';
import type { Rule } from '../../alert/rule.ts';
import { receiverKey, type Subscription } from '../../alert/subscription.ts';
import type { FileChanges, Held } from '../../store/files.ts';

/** Where it stands: a line, from 1. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

/** What a file says: its id is empty, and `file` names the file. */
export interface Wanted<Thing> {
  readonly thing: Thing;
  readonly origin: Origin;
}

/** All that files say, of each nothing twice. */
export interface WantedPlaces {
  readonly subscriptions: readonly Wanted<Subscription>[];
  readonly rules: readonly Wanted<Rule>[];
}

/** `from` a place’s own one: the file takes it over as it is in a chat. */
export type Step<Thing> =
  | { readonly act: 'add'; readonly to: Thing; readonly origin: Origin }
  | { readonly act: 'change'; readonly from: Thing; readonly to: Thing; readonly origin: Origin }
  | { readonly act: 'remove'; readonly from: Thing };

export interface Plan {
  readonly subscriptions: readonly Step<Subscription>[];
  readonly rules: readonly Step<Rule>[];
}

/** What tells one thing from another: a place has one of these from all files together. */
interface Sameness<Thing> {
  identity(thing: Thing): string;
  /** What is the same for whoever is told: so a file finds a place’s own, and one that it has given a name since. */
  says(thing: Thing): string;
  /** What a file decides of it, whatever the order of its lists. */
  content(thing: Thing): unknown;
}

const termsOf = ({ receiver, kinds, symbols }: Subscription): string =>
  JSON.stringify([receiverKey(receiver), kinds.toSorted(), symbols.toSorted()]);

export const ofSubscriptions: Sameness<Subscription> = {
  identity: termsOf,
  says: termsOf,
  content: (subscription) => {
    const { minSeverity, quietHours, digest, mention, paused, file } = subscription;
    return [termsOf(subscription), minSeverity, quietHours, digest, mention, paused, file];
  },
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
};

/** What is to be done so that places have of files what is wanted, and nothing else of them. What people have stays theirs. */
export const planOf = (wanted: WantedPlaces, held: Held): Plan => ({
  subscriptions: stepsOf(ofSubscriptions, { wanted: wanted.subscriptions, held: held.subscriptions }),
  rules: stepsOf(ofRules, { wanted: wanted.rules, held: held.rules }),
});

interface Made {
  readonly id: string;
  readonly file?: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

function stepsOf<Thing extends Made>(
  { identity, says, content }: Sameness<Thing>,
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
    const { id, createdBy, createdAt } = from;
    if (isDeepStrictEqual(content(from), content(thing))) return [];
    return [{ act: 'change', from, to: { ...thing, id, createdBy, createdAt }, origin }];
  });
  const ending = (filed ?? []).filter((each) => !taken.has(each));
  return [...steps, ...ending.map((from): Step<Thing> => ({ act: 'remove', from }))];
}

/** What the plan has done in the store, but for its records. */
export function changesOf(plan: Plan, newId: () => string): Omit<FileChanges, 'records'> {
  return {
    subscriptions: changedBy(plan.subscriptions, newId),
    rules: changedBy(plan.rules, newId),
  };
}

function changedBy<Thing extends Made>(steps: readonly Step<Thing>[], newId: () => string) {
  return {
    added: steps.flatMap((step) => (step.act === 'add' ? [{ ...step.to, id: newId() }] : [])),
    changed: steps.flatMap((step) => (step.act === 'change' ? [step.to] : [])),
    removed: steps.flatMap((step) => (step.act === 'remove' ? [step.from] : [])),
  };
}
