import type { Severity } from '../alert/alert.ts';
import type { Digest, Subscription, Weekday } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { words } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { type GivenStyle, readStyle, styleText } from './templates.ts';

/** How a subscription's alerts arrive, apart from what they are about. */
export type SubscriptionPreferences = Pick<
  Subscription,
  'minSeverity' | 'quietHours' | 'digest' | 'mention' | 'style' | 'paused'
>;

export const defaultPreferences: SubscriptionPreferences = {
  minSeverity: 'info',
  quietHours: null,
  digest: null,
  mention: null,
  paused: false,
};

/** How alerts are to arrive, in the parts in which it is given. What is left out stays as it is. */
export interface GivenPreferences extends GivenStyle {
  readonly severity?: Severity | undefined;
  readonly delivery?: 'now' | 'hourly' | 'daily' | 'weekly' | undefined;
  readonly at?: string | undefined;
  readonly day?: Weekday | undefined;
  readonly quiet?: { readonly from: string; readonly to: string } | null | undefined;
  readonly zone?: string | undefined;
  readonly mention?: string | null | undefined;
}

/** Finds a role by its mention or id, and whether whoever gives it may have it mentioned. */
export type RoleOf = (named: string) => { readonly id: string; readonly mentionable: boolean } | undefined;

/** What is known of those who give preferences, and the subscription that they change. */
export interface Giver {
  /** Absent if there are no roles. */
  readonly roleOf?: RoleOf | undefined;
  /** IANA name, for times that are given without a zone. */
  readonly timeZone: string;
  readonly before?: SubscriptionPreferences;
}

/** Returns the preferences that were given, and no others. Throws UserError if they do not fit together. */
export function readPreferences(
  { severity, mention, style: name, template, color, footer, ...timing }: GivenPreferences,
  giver: Giver,
): Partial<SubscriptionPreferences> {
  const roleId = mention ? resolveRole(mention, giver.roleOf) : mention;
  const style = readStyle({ style: name, template, color, footer }, giver.before?.style);
  return {
    ...(severity !== undefined && { minSeverity: severity }),
    ...readTiming(timing, giver),
    ...(roleId !== undefined && { mention: roleId }),
    ...(style !== undefined && { style: style ?? undefined }),
  };
}

const periods = { hourly: 'hour', daily: 'day', weekly: 'week' } as const;

/** Returns the digest and the quiet hours that were given. What a time, day or zone leaves open stays as it was. */
function readTiming(
  { delivery, at, day, quiet, zone }: Omit<GivenPreferences, 'severity' | 'mention' | keyof GivenStyle>,
  { timeZone: usualZone, before = defaultPreferences }: Giver,
): Pick<Partial<SubscriptionPreferences>, 'digest' | 'quietHours'> {
  const { digest, quietHours } = before;
  const every = delivery === undefined ? digest?.every : delivery === 'now' ? undefined : periods[delivery];
  const hours = quiet === undefined ? quietHours : quiet;
  if (zone !== undefined && hours === null && every === undefined)
    throw new UserError(
      msg(
        'A time zone belongs to quiet hours or a digest: give both, e.g. quiet=22:00-07:00 zone=Europe/Berlin.',
      ),
    );
  if (at !== undefined && every !== 'day' && every !== 'week')
    throw new UserError(
      msg('A time belongs to a daily or weekly digest: give both, e.g. delivery=daily at=08:00.'),
    );
  if (day !== undefined && every !== 'week')
    throw new UserError(msg('A day belongs to a weekly digest: give both, e.g. delivery=weekly day=monday.'));
  // A zone belongs to what is given with it, or else to all that has one.
  const givesDigest = [delivery, at, day].some((given) => given !== undefined);
  const changesDigest = givesDigest || (zone !== undefined && !quiet);
  const changesQuiet = quiet !== undefined || (zone !== undefined && (!givesDigest || every === undefined));
  const newDigest = every !== undefined && {
    every,
    at: at ?? digest?.at ?? '08:00',
    timeZone: zone ?? digest?.timeZone ?? quietHours?.timeZone ?? usualZone,
    ...(every === 'week' && { weekday: day ?? digest?.weekday ?? 'monday' }),
  };
  const timeZone = zone ?? quietHours?.timeZone ?? digest?.timeZone ?? usualZone;
  return {
    ...(changesDigest && { digest: newDigest || null }),
    ...(changesQuiet && { quietHours: hours && { ...hours, timeZone } }),
  };
}

/** Returns the id of the role. Throws UserError if there is no such role, or it may not be mentioned. */
export function resolveRole(named: string, roleOf: RoleOf | undefined): string {
  if (roleOf === undefined)
    throw new UserError(msg('There are no roles to mention here: leave "mention" out.'));
  const role = roleOf(named);
  if (role === undefined) throw new UserError(msg('That is no role here: give it as @role or by its id.'));
  if (role.mentionable) return role.id;
  throw new UserError(
    msg(
      'That role cannot be mentioned: choose one of this server that anyone may mention, or have the permission to mention all roles given to you and to the bot.',
    ),
    { code: 'forbidden' },
  );
}

export const levelLabel = (severity: Severity): string => `from-${severity}`;

/** Says which alerts a subscription is for: `warning and above`. */
export const levelText = (severity: Severity): Text => words(levelLabel(severity));

export const quietText = (quietHours: Subscription['quietHours']): Text =>
  quietHours === null ? msg('none') : `${quietHours.from}-${quietHours.to} ${quietHours.timeZone}`;

const dayNames: Readonly<Record<Weekday, Text>> = {
  monday: msg('Monday'),
  tuesday: msg('Tuesday'),
  wednesday: msg('Wednesday'),
  thursday: msg('Thursday'),
  friday: msg('Friday'),
  saturday: msg('Saturday'),
  sunday: msg('Sunday'),
};

export const deliveryText = (digest: Digest | null): Text => {
  if (digest === null) return msg('at once');
  const { every, at, timeZone, weekday = 'monday' } = digest;
  if (every === 'hour') return msg('hourly, {timeZone}', { timeZone });
  return every === 'day'
    ? msg('daily at {at} {timeZone}', { at, timeZone })
    : msg('weekly on {day} at {at} {timeZone}', { day: dayNames[weekday], at, timeZone });
};

/** Says how a subscription's alerts arrive, on one line. */
export const preferencesText = (preferences: SubscriptionPreferences): Text => {
  const { minSeverity, digest, quietHours, mention, style, paused } = preferences;
  return listOf(
    [
      minSeverity === 'info' ? undefined : levelText(minSeverity),
      deliveryText(digest),
      quietHours === null ? undefined : msg('quiet {hours}', { hours: quietText(quietHours) }),
      mention === null ? undefined : msg('mentions role {role}', { role: mention }),
      styleText(style),
      paused ? msg('paused') : undefined,
    ].filter((part) => part !== undefined),
  );
};

/** Whether alerts of both subscriptions arrive in the same way. */
export const samePreferences = (a: SubscriptionPreferences, b: SubscriptionPreferences): boolean =>
  JSON.stringify([preferencesText(a), a.style]) === JSON.stringify([preferencesText(b), b.style]);
