import type { Subscription, Weekday } from '../../alert/subscription.ts';
import { matcherText } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { msg, type Text, typed } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { PlaceStore } from '../../store/ports.ts';
import { makerOf, mustManage } from './change.ts';
import { requireChangeable } from './set-by-file.ts';
import { preferencesText, samePreferences } from './settings.ts';

/** How a subscription's alerts arrive, apart from what they are about. */
export type SubscriptionPreferences = Pick<
  Subscription,
  'minSeverity' | 'quietHours' | 'digest' | 'mention' | 'paused'
>;

export const defaultPreferences: SubscriptionPreferences = {
  minSeverity: 'info',
  quietHours: null,
  digest: null,
  mention: null,
  paused: false,
};

/** The most subscriptions of a place: with more, nobody could tell which one caused an alert. */
const maxPerPlace = 50;
/** The most subscriptions of an account: a guild with all its channels, or a chat with all its topics. */
const maxPerAccount = 500;

/** The inputs of `subscribe` and `edit`. */
interface GivenPreferences {
  readonly severity?: Subscription['minSeverity'] | undefined;
  readonly delivery?: 'now' | 'hourly' | 'daily' | 'weekly' | undefined;
  readonly at?: string | undefined;
  readonly day?: Weekday | undefined;
  readonly quiet?: { readonly from: string; readonly to: string } | null | undefined;
  readonly zone?: string | undefined;
  readonly mention?: string | null | undefined;
}

/** Who gives preferences, and the subscription that they change. `before` is absent for a new subscription. */
interface Giver extends Pick<CommandContext['caller'], 'roleOf' | 'timeZone'> {
  readonly before?: SubscriptionPreferences;
}

/** Returns the preferences that were given, and no others. Throws UserError if they do not fit together. */
export function readPreferences(
  { severity, mention, ...timing }: GivenPreferences,
  giver: Giver,
): Partial<SubscriptionPreferences> {
  const roleId = mention ? resolveRole(mention, giver.roleOf) : mention;
  return {
    ...(severity !== undefined && { minSeverity: severity }),
    ...readTiming(timing, giver),
    ...(roleId !== undefined && { mention: roleId }),
  };
}

/** Returns the digest and the quiet hours that were given. What a time, day or zone leaves open stays as it was. */
function readTiming(
  { delivery, at, day, quiet, zone }: Omit<GivenPreferences, 'severity' | 'mention'>,
  { timeZone: callerZone, before = defaultPreferences }: Giver,
): Pick<Partial<SubscriptionPreferences>, 'digest' | 'quietHours'> {
  const { digest, quietHours } = before;
  const every = delivery === undefined ? digest?.every : delivery === 'now' ? undefined : periods[delivery];
  const hours = quiet === undefined ? quietHours : quiet;
  if (zone !== undefined && hours === null && every === undefined) {
    throw new UserError(
      msg(
        'A time zone belongs to quiet hours or a digest: give both, e.g. quiet=22:00-07:00 zone=Europe/Berlin.',
      ),
    );
  }
  if (at !== undefined && every !== 'day' && every !== 'week') {
    throw new UserError(
      msg('A time belongs to a daily or weekly digest: give both, e.g. delivery=daily at=08:00.'),
    );
  }
  if (day !== undefined && every !== 'week') {
    throw new UserError(msg('A day belongs to a weekly digest: give both, e.g. delivery=weekly day=monday.'));
  }
  // A zone belongs to what is given with it, or else to all that has one.
  const givesDigest = [delivery, at, day].some((given) => given !== undefined);
  const changesDigest = givesDigest || (zone !== undefined && !quiet);
  const changesQuiet = quiet !== undefined || (zone !== undefined && (!givesDigest || every === undefined));
  return {
    ...(changesDigest && {
      digest:
        every === undefined
          ? null
          : {
              every,
              at: at ?? digest?.at ?? '08:00',
              timeZone: zone ?? digest?.timeZone ?? quietHours?.timeZone ?? callerZone,
              ...(every === 'week' && { weekday: day ?? digest?.weekday ?? 'monday' }),
            },
    }),
    ...(changesQuiet && {
      quietHours: hours && {
        ...hours,
        timeZone: zone ?? quietHours?.timeZone ?? digest?.timeZone ?? callerZone,
      },
    }),
  };
}

/** Returns the id of the role. Throws UserError if there is no such role, or the caller may not have it mentioned. */
export function resolveRole(named: string, roleOf: CommandContext['caller']['roleOf']): string {
  if (roleOf === undefined) {
    throw new UserError(msg('There are no roles to mention here: leave "mention" out.'));
  }
  const role = roleOf(named);
  if (role === undefined) throw new UserError(msg('That is no role here: give it as @role or by its id.'));
  if (!role.mentionable) {
    throw new UserError(
      msg(
        'That role cannot be mentioned: choose one of this server that anyone may mention, or have the permission to mention all roles given to you and to the bot.',
      ),
    );
  }
  return role.id;
}

const periods = { hourly: 'hour', daily: 'day', weekly: 'week' } as const;

export interface Wish {
  readonly matcher: Pick<Subscription, 'kinds' | 'symbols'>;
  readonly preferences: Partial<SubscriptionPreferences>;
}

/** Finds the subscription to the same kinds and symbols, in any order. */
export const findSubscription = (
  { kinds, symbols }: Wish['matcher'],
  existing: readonly Subscription[],
): Subscription | undefined => {
  const terms = (each: Wish['matcher']) => JSON.stringify([each.kinds.toSorted(), each.symbols.toSorted()]);
  return existing.find((each) => terms(each) === terms({ kinds, symbols }));
};

export interface Put {
  readonly subscription: Subscription;
  /** The subscription as it was before. Null if it is new. */
  readonly before: Subscription | null;
}

/**
 * Adds a subscription, or changes the existing one to the same kinds and symbols. Throws UserError, and stores nothing, if the
 * place or its account is at its limit.
 */
export async function putSubscription(
  { matcher, preferences }: Wish,
  {
    places,
    record,
    caller,
    now,
  }: { readonly places: PlaceStore; readonly record: (what: Text) => void } & Pick<
    CommandContext,
    'caller' | 'now'
  >,
): Promise<Put> {
  const { receiver } = caller;
  const existing = await places.subscriptions.of(receiver);
  const before = findSubscription(matcher, existing);
  if (before !== undefined) {
    const subscription = { ...before, ...preferences };
    if (!samePreferences(subscription, before)) {
      requireChangeable([before]);
      await places.subscriptions.update(subscription);
      record(msg('changed subscription {id}: {how}', { id: before.id, how: preferencesText(subscription) }));
    }
    return { subscription, before };
  }
  const own = existing.filter(({ file }) => file === undefined).length;
  if (own >= maxPerPlace) throw limitError(msg('This chat'), own);
  const all = await places.subscriptions.countOfAccount(receiver);
  if (all >= maxPerAccount) throw limitError(msg('This server or chat, across its channels or topics,'), all);
  const subscription = await places.subscriptions.add({
    ...matcher,
    ...defaultPreferences,
    ...preferences,
    receiver,
    createdBy: makerOf(caller),
    createdAt: now,
  });
  record(
    msg('subscribed {id}: {what}, {how}', {
      id: subscription.id,
      what: matcherText(subscription),
      how: preferencesText(subscription),
    }),
  );
  return { subscription, before: null };
}

const limitError = (whose: Text, count: number) =>
  new UserError(
    msg('{whose} is at its limit of {count, number} subscriptions. End one first: "{list}" lists them.', {
      list: typed('subscriptions'),
      whose,
      count,
    }),
  );

/**
 * Posts a test message if it is not known whether posts arrive in the place. A place that has subscriptions, rules or a sent
 * post has been tested before. Throws UserError with what is missing, for example the right to have it posted.
 */
export async function proveReach({ caller, store, tryPost }: CommandContext): Promise<void> {
  mustManage(caller);
  const { receiver } = caller;
  const [subscriptions, rules, deliveries] = await Promise.all([
    store.subscriptions.of(receiver),
    store.rules.of(receiver),
    store.deliveries.recent(receiver, 20),
  ]);
  if (subscriptions.length + rules.length > 0 || deliveries.some(({ outcome }) => outcome === 'sent')) return;
  await tryPost(receiver, {
    title: msg('Alerts will arrive here'),
    summary: msg('This is a test post: nothing has happened.'),
  });
}
