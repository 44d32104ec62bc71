import { type Severity, severities } from '../../alert/alert.ts';
import type { Digest, Silence, Subscription, Weekday } from '../../alert/subscription.ts';
import { type KnownKinds, kindsText, matcherText, mutedText, symbolsText } from '../../alert/subscription.ts';
import type { Card } from '../../card/card.ts';
import { title as heading, time, words } from '../../language/format.ts';
import { listOf, msg, type Text } from '../../language/text.ts';
import { fileColumn, fileFact } from './set-by-file.ts';

const levelLabel = (severity: Severity): string => `from-${severity}`;

/** Says which alerts a subscription is for: `warning and above`. */
const levelText = (severity: Severity): Text => words(levelLabel(severity));

const quietText = (quietHours: Subscription['quietHours']): Text =>
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
export const preferencesText = ({
  minSeverity,
  digest,
  quietHours,
  mention,
  paused,
}: Pick<Subscription, 'minSeverity' | 'digest' | 'quietHours' | 'mention' | 'paused'>): Text =>
  listOf(
    [
      minSeverity === 'info' ? undefined : levelText(minSeverity),
      deliveryText(digest),
      quietHours === null ? undefined : msg('quiet {hours}', { hours: quietText(quietHours) }),
      mention === null ? undefined : msg('mentions role {role}', { role: mention }),
      paused ? msg('paused') : undefined,
    ].filter((part) => part !== undefined),
  );

/** Whether alerts of both subscriptions arrive in the same way. */
export const samePreferences = (
  a: Parameters<typeof preferencesText>[0],
  b: Parameters<typeof preferencesText>[0],
): boolean => JSON.stringify(preferencesText(a)) === JSON.stringify(preferencesText(b));

export function subscriptionsTable(
  subscriptions: readonly Subscription[],
  known: KnownKinds,
): NonNullable<Card['table']> {
  const { heading, cell } = fileColumn(subscriptions);
  return {
    columns: [
      ...[msg('Id'), msg('Kinds'), msg('Markets'), msg('Level'), msg('Delivery'), msg('Quiet hours')],
      ...heading,
    ],
    rows: subscriptions.map((each) => [
      each.id,
      kindsText(each.kinds, known),
      symbolsText(each.symbols, msg('all')),
      levelText(each.minSeverity),
      each.paused ? msg('paused') : deliveryText(each.digest),
      quietText(each.quietHours),
      ...cell(each),
    ]),
  };
}

const deliveryLabels = {
  now: msg('At once'),
  hourly: msg('Hourly'),
  daily: msg('Daily'),
  weekly: msg('Weekly'),
};
const deliveryByPeriod = { hour: 'hourly', day: 'daily', week: 'weekly' } as const;

/** Builds the card of a subscription with buttons for what can be done to it. */
export function subscriptionCard(
  title: Text,
  {
    subscription,
    known,
    manages,
  }: { readonly subscription: Subscription; readonly known: KnownKinds; readonly manages: boolean },
): Card {
  const { id, minSeverity, digest, quietHours, mention, paused } = subscription;
  const edit = (label: Text, change: string) => ({ label, command: `edit ${id} ${change}` });
  const currentDelivery = digest === null ? 'now' : deliveryByPeriod[digest.every];
  return {
    title,
    summary: paused
      ? msg('Paused: {what}', { what: matcherText(subscription, known) })
      : matcherText(subscription, known),
    facts: [
      { name: msg('Id'), value: id },
      { name: msg('Level'), value: levelText(minSeverity) },
      { name: msg('Delivery'), value: deliveryText(digest) },
      { name: msg('Quiet hours'), value: quietText(quietHours) },
      ...(mention === null ? [] : [{ name: msg('Mentions role'), value: mention }]),
      ...fileFact(subscription),
    ],
    ...(manages &&
      subscription.file === undefined && {
        actions: [
          { label: msg('Remove'), command: `unsubscribe ${id}`, weight: 'danger' },
          paused ? edit(msg('Resume'), 'paused=no') : edit(msg('Pause'), 'paused=yes'),
          ...(mention === null ? [] : [edit(msg('Mention nobody'), 'mention=none')]),
          ...severities
            .filter((severity) => severity !== minSeverity)
            .map((severity) => edit(heading(levelLabel(severity)), `severity=${severity}`)),
          ...(['now', 'hourly', 'daily', 'weekly'] as const)
            .filter((delivery) => delivery !== currentDelivery)
            .map((delivery) => edit(deliveryLabels[delivery], `delivery=${delivery}`)),
          { label: msg('All subscriptions'), command: 'subscriptions' },
        ],
      }),
  };
}

export const silenceText = (silence: Silence, known: KnownKinds): Text =>
  msg('{what}, until {until}', { what: mutedText(silence, known), until: time(silence.endsAt) });
