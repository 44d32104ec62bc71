import type { Severity } from '../alert/alert.ts';
import { defaultPreset, type PresetName, presetKinds, presets } from '../alert/presets.ts';
import { type KnownKinds, type Matcher, matcherText, type Subscription } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { english, type Language } from '../language/languages.ts';
import type { Preferences } from '../language/preferences.ts';
import { lines, msg, type Text } from '../language/text.ts';
import type { PlaceStore } from '../store/ports.ts';
import {
  defaultPreferences,
  type GivenPreferences,
  type Giver,
  preferencesText,
  readPreferences,
  type SubscriptionPreferences,
  samePreferences,
} from './arrival.ts';
import {
  type Done,
  type Editing,
  findThings,
  makerOf,
  proveReach,
  readKnownKinds,
  requireChangeable,
  requireRoom,
  type Which,
} from './editing.ts';
import { putPreferences } from './preferences.ts';

/** What is asked for: kinds and markets, and of the preferences those that were given. */
export interface Wish {
  readonly matcher: Matcher;
  readonly preferences: Partial<SubscriptionPreferences>;
}

/**
 * Returns the kinds and least severity: those given, or those of the preset (the usual one if neither is named). Throws
 * UserError if both kinds and a preset are given.
 */
export function chooseKinds(
  given: {
    readonly kinds?: readonly string[] | undefined;
    readonly severity?: Severity | undefined;
    readonly preset?: PresetName | undefined;
  },
  known: Editing['kinds'],
): { readonly kinds: readonly string[]; readonly severity: Severity | undefined } {
  const { kinds, severity, preset } = given;
  if (kinds !== undefined && preset === undefined) return { kinds, severity };
  if (kinds !== undefined)
    throw new UserError(msg('A preset already sets the kinds: give kinds or a preset, not both.'));
  const name = preset ?? defaultPreset;
  const usual = presets.find((each) => each.name === name)?.minSeverity;
  return { kinds: presetKinds(name, known), severity: severity ?? usual };
}

interface GivenSubscription extends GivenPreferences {
  readonly kinds?: readonly string[] | undefined;
  readonly symbols: readonly string[];
  readonly preset?: PresetName | undefined;
}

/** Returns what is asked for. Throws UserError if its parts do not fit together. */
export function wishOf(
  { kinds: named, symbols, preset, ...given }: GivenSubscription,
  known: Editing['kinds'],
  giver: Giver,
): Wish {
  const { kinds, severity } = chooseKinds({ kinds: named, severity: given.severity, preset }, known);
  return { matcher: { kinds, symbols }, preferences: readPreferences({ ...given, severity }, giver) };
}

/** Finds the subscription to the same kinds and symbols, in any order. */
export const findSubscription = (
  { kinds, symbols }: Matcher,
  existing: readonly Subscription[],
): Subscription | undefined => {
  const terms = (each: Matcher) => JSON.stringify([each.kinds.toSorted(), each.symbols.toSorted()]);
  return existing.find((each) => terms(each) === terms({ kinds, symbols }));
};

export interface PutSubscription {
  readonly subscription: Subscription;
  /** The subscription as it was before. Null if it is new. */
  readonly before: Subscription | null;
}

/** Within a change: adds a subscription, or changes the existing one to the same kinds and symbols. Throws UserError. */
export async function putSubscription(
  { matcher, preferences }: Wish,
  author: Editing['author'],
  { places, audit }: { readonly places: PlaceStore; readonly audit: (what: Text) => void },
): Promise<PutSubscription> {
  const { receiver } = author;
  const existing = await places.subscriptions.of(receiver);
  const before = findSubscription(matcher, existing);
  if (before !== undefined) {
    const subscription = { ...before, ...preferences };
    if (!samePreferences(subscription, before)) {
      requireChangeable([before]);
      await places.subscriptions.update(subscription);
      audit(changedText(subscription));
    }
    return { subscription, before };
  }
  await requireRoom('subscriptions', existing, () => places.subscriptions.countOfAccount(receiver));
  const subscription = await places.subscriptions.add({
    ...matcher,
    ...defaultPreferences,
    ...preferences,
    receiver,
    createdBy: makerOf(author),
    createdAt: author.at,
  });
  audit(subscribedText(subscription));
  return { subscription, before: null };
}

interface Subscribed extends Done, PutSubscription {
  /** What the place has chosen, after the change. */
  readonly preferences: Preferences;
}

/**
 * Adds or changes a subscription.
 * @param language `chosen` for the place; or `spoken` by the author, which the place gets unless it has chosen one: a person
 * who subscribes in Spanish gets Spanish alerts
 * @throws UserError
 */
export async function createSubscription(
  wish: Wish,
  editing: Editing,
  { chosen, spoken = english }: { readonly chosen?: Language | undefined; readonly spoken?: Language } = {},
): Promise<Subscribed> {
  const { store, author, kinds } = editing;
  await proveReach(editing);
  const put = await store.change(author, async (places, audit) => {
    const put = await putSubscription(wish, author, { places, audit });
    const before = await places.preferences.of(author.receiver);
    const language = chosen ?? (before.language === undefined && spoken !== english ? spoken : undefined);
    if (language === undefined) return { ...put, preferences: before };
    const preferences = await putPreferences(author.receiver, { language }, { places, audit });
    return { ...put, preferences };
  });
  const { subscription, before } = put;
  const title =
    before === null
      ? msg('Subscribed')
      : samePreferences(before, subscription)
        ? msg('Already subscribed')
        : msg('Subscription changed');
  return { ...put, title, summary: subscriptionText(subscription, { kinds }) };
}

const missing = {
  none: msg('Nothing is subscribed here.'),
  unknown: (id: string) => msg('No subscription here has the id "{id}"', { id }),
};

export const findSubscriptions = (which: Which, existing: readonly Subscription[]) =>
  findThings(which, existing, missing);

/**
 * Changes how the alerts of one subscription arrive, or what it is about.
 * @param change returns what changes of the subscription as it is
 * @throws UserError
 */
export async function editSubscription(
  id: string,
  change: (before: Subscription) => Partial<SubscriptionPreferences & Matcher>,
  { store, author, kinds }: Editing,
): Promise<Done & PutSubscription> {
  const put = await store.change(author, async (places, audit) => {
    const existing = await places.subscriptions.of(author.receiver);
    const [before] = findSubscriptions({ id }, existing);
    requireChangeable([before]);
    const subscription = { ...before, ...change(before) };
    const same = findSubscription(
      subscription,
      existing.filter((each) => each !== before),
    );
    if (same !== undefined)
      throw new UserError(
        msg('Another subscription here, {id}, already has these alerts.', { id: same.id }),
        {
          code: 'conflict',
        },
      );
    await places.subscriptions.update(subscription);
    const isAboutSame = findSubscription(subscription, [before]) !== undefined;
    audit(isAboutSame ? changedText(subscription) : subscribedText(subscription));
    return { subscription, before };
  });
  return {
    ...put,
    title: msg('Subscription changed'),
    summary: subscriptionText(put.subscription, { kinds }),
  };
}

interface EndedSubscriptions extends Done {
  readonly ended: readonly Subscription[];
  readonly left: readonly Subscription[];
  /** What kinds are called here. */
  readonly known: KnownKinds;
}

/** Ends one subscription, or all that no file has set. @throws UserError */
export async function endSubscriptions(which: Which, editing: Editing): Promise<EndedSubscriptions> {
  const { store, author } = editing;
  const known = await readKnownKinds(author.receiver, editing);
  const { ended, left } = await store.change(author, async (places, audit) => {
    const existing = await places.subscriptions.of(author.receiver);
    const ended = requireChangeable(findSubscriptions(which, existing));
    for (const each of ended) {
      await places.subscriptions.remove(each.id, author.receiver);
      audit(msg('ended subscription {id}: {what}', { id: each.id, what: matcherText(each, known) }));
    }
    return { ended, left: existing.filter((each) => !ended.includes(each)) };
  });
  return {
    ended,
    left,
    known,
    title: msg('{count, plural, one {Subscription ended} other {# subscriptions ended}}', {
      count: ended.length,
    }),
    summary: lines(
      ...ended.map((each) => msg('You no longer get: {what}.', { what: matcherText(each, known) })),
    ),
  };
}

/** Says what a subscription is about, and whether it is paused. */
export function subscriptionText(subscription: Subscription, known: KnownKinds): Text {
  const what = matcherText(subscription, known);
  return subscription.paused ? msg('Paused: {what}', { what }) : what;
}

export const subscribedText = (subscription: Subscription): Text =>
  msg('subscribed {id}: {what}, {how}', {
    id: subscription.id,
    what: matcherText(subscription),
    how: preferencesText(subscription),
  });

export const changedText = (subscription: Subscription): Text =>
  msg('changed subscription {id}: {how}', { id: subscription.id, how: preferencesText(subscription) });
