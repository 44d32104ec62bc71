import { ruleName } from '../alert/rule.ts';
import { type Matcher, matcherText } from '../alert/subscription.ts';
import { say } from '../language/say.ts';
import { ownNames } from '../places/editing.ts';
import type { CommandContext } from './command.ts';

/** The kinds of things of a place that have an id. */
export const ownThingKinds = ['subscription', 'silence', 'rule', 'hook', 'board'] as const;
export type OwnThingKind = (typeof ownThingKinds)[number];

/** A place's own things by id, each with a short description in the asker's language. */
export type OwnThings = Readonly<
  Record<OwnThingKind, readonly { readonly id: string; readonly about: string }[]>
>;

/** Reads the things of the caller's own place, for completion. The newest come first, as they are meant most often. */
export async function readOwnThings({
  store,
  caller,
  now,
  kinds,
}: Pick<CommandContext, 'store' | 'caller' | 'now' | 'kinds'>): Promise<OwnThings> {
  const [subscriptions, silences, rules, hooks, boards] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    store.silences.of(caller.receiver, now),
    store.rules.of(caller.receiver),
    store.hooks.of(caller.receiver),
    store.boards.of(caller.receiver),
  ]);
  const known = { kinds, own: ownNames(rules, hooks) };
  const describe = (each: Matcher & { readonly id: string }) => ({
    id: each.id,
    about: say(matcherText(each, known), caller),
  });
  return {
    subscription: subscriptions.map(describe).reverse(),
    silence: silences.map(describe).reverse(),
    rule: rules.map((rule) => ({ id: rule.id, about: ruleName(rule) })).reverse(),
    hook: hooks.map(({ id, name }) => ({ id, about: name })).reverse(),
    board: boards.map(({ id, line }) => ({ id, about: line })).reverse(),
  };
}
