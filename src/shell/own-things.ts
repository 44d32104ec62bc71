import { type Hook, kindOfHook } from '../alert/hook.ts';
import { kindOfRule, type Rule, ruleName } from '../alert/rule.ts';
import { type KnownKinds, matcherText } from '../alert/subscription.ts';
import { say } from '../language/say.ts';
import type { CommandContext } from './command.ts';

/** The kinds of things of a place that have an id. */
export const ownThingKinds = ['subscription', 'silence', 'rule', 'hook'] as const;
export type OwnThingKind = (typeof ownThingKinds)[number];

/** A place's own things by id, each with a short description in the asker's language. */
export type OwnThings = Readonly<
  Record<OwnThingKind, readonly { readonly id: string; readonly about: string }[]>
>;

/** Returns the names of a place's own alerts and hooks by the kinds of their alerts. */
const ownNames = ({
  rules,
  hooks,
}: {
  readonly rules: readonly Rule[];
  readonly hooks: readonly Hook[];
}): ReadonlyMap<string, string> =>
  new Map([
    ...rules.map((rule) => [kindOfRule(rule.id), ruleName(rule)] as const),
    ...hooks.map(({ id, name }) => [kindOfHook(id), name] as const),
  ]);

/** Reads what kinds of alerts are called in the caller's place. */
export async function readKnownKinds({
  store,
  caller: { receiver },
  kinds,
}: Pick<CommandContext, 'store' | 'caller' | 'kinds'>): Promise<KnownKinds> {
  const [rules, hooks] = await Promise.all([store.rules.of(receiver), store.hooks.of(receiver)]);
  return { kinds, own: ownNames({ rules, hooks }) };
}

/** Reads the things of the caller's own place, for completion. The newest come first, as they are meant most often. */
export async function readOwnThings({
  store,
  caller,
  now,
  kinds,
}: Pick<CommandContext, 'store' | 'caller' | 'now' | 'kinds'>): Promise<OwnThings> {
  const [subscriptions, silences, rules, hooks] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    store.silences.of(caller.receiver, now),
    store.rules.of(caller.receiver),
    store.hooks.of(caller.receiver),
  ]);
  const known = { kinds, own: ownNames({ rules, hooks }) };
  const describe = (each: { readonly id: string } & Parameters<typeof matcherText>[0]) => ({
    id: each.id,
    about: say(matcherText(each, known), caller),
  });
  return {
    subscription: subscriptions.map(describe).reverse(),
    silence: silences.map(describe).reverse(),
    rule: rules.map((rule) => ({ id: rule.id, about: ruleName(rule) })).reverse(),
    hook: hooks.map(({ id, name }) => ({ id, about: name })).reverse(),
  };
}
