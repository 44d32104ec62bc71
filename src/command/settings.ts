import { severities } from '../alert/alert.ts';
import type { Digest, Matcher, Silence, Subscription } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { time } from '../card/format.ts';

const listed = (names: readonly string[], every: string): string =>
  names.includes('*') ? every : names.join(', ');

/** `funding-extreme about BTCUSDT, ETHUSDT` */
export const matcherText = ({ kinds, symbols }: Matcher): string =>
  `${listed(kinds, 'every kind of alert')} about ${listed(symbols, 'every market')}`;

export const quietText = (quietHours: Subscription['quietHours']): string =>
  quietHours === null ? 'none' : `${quietHours.from}-${quietHours.to} ${quietHours.timeZone}`;

export const deliveryText = (digest: Digest | null): string => {
  if (digest === null) return 'at once';
  return digest.every === 'hour' ? `hourly, ${digest.timeZone}` : `daily at ${digest.at} ${digest.timeZone}`;
};

/** Everything about how it is told, on one line: the same line, the same preferences. */
export const preferencesText = ({
  minSeverity,
  digest,
  quietHours,
  mention,
  paused,
}: Pick<Subscription, 'minSeverity' | 'digest' | 'quietHours' | 'mention' | 'paused'>): string =>
  [
    `from ${minSeverity}`,
    deliveryText(digest),
    ...(quietHours === null ? [] : [`quiet ${quietText(quietHours)}`]),
    ...(mention === null ? [] : [`mentions role ${mention}`]),
    ...(paused ? ['paused'] : []),
  ].join(', ');

export const subscriptionsTable = (subscriptions: readonly Subscription[]): NonNullable<Card['table']> => ({
  columns: ['Id', 'Kinds', 'Markets', 'From', 'Delivery', 'Quiet hours'],
  rows: subscriptions.map(({ id, kinds, symbols, minSeverity, digest, quietHours, paused }) => [
    id,
    listed(kinds, 'all'),
    listed(symbols, 'all'),
    minSeverity,
    paused ? 'paused' : deliveryText(digest),
    quietText(quietHours),
  ]),
});

/** One subscription with everything that may be done to it. */
export function subscriptionCard(title: string, subscription: Subscription, manages: boolean): Card {
  const { id, minSeverity, digest, quietHours, mention, paused } = subscription;
  const edit = (label: string, change: string) => ({ label, command: `edit ${id} ${change}` });
  const now = digest === null ? 'now' : digest.every === 'hour' ? 'hourly' : 'daily';
  return {
    title,
    summary: `${paused ? 'Paused' : 'Told here'}: ${matcherText(subscription)}.`,
    facts: [
      { name: 'Id', value: id },
      { name: 'From severity', value: minSeverity },
      { name: 'Delivery', value: deliveryText(digest) },
      { name: 'Quiet hours', value: quietText(quietHours) },
      ...(mention === null ? [] : [{ name: 'Mentions role', value: mention }]),
    ],
    ...(manages && {
      actions: [
        { label: 'Remove', command: `unsubscribe ${id}` },
        paused ? edit('Resume', 'paused=no') : edit('Pause', 'paused=yes'),
        ...severities
          .filter((severity) => severity !== minSeverity)
          .map((severity) => edit(`From ${severity}`, `severity=${severity}`)),
        ...(['now', 'hourly', 'daily'] as const)
          .filter((delivery) => delivery !== now)
          .map((delivery) => edit(delivery === 'now' ? 'At once' : delivery, `delivery=${delivery}`)),
        { label: 'All subscriptions', command: 'subscriptions' },
      ],
    }),
  };
}

export const silenceText = (silence: Silence, timeZone: string): string =>
  `${matcherText(silence)}, until ${time(silence.endsAt, timeZone)}${silence.receiver === null ? ' (everywhere, by the operator)' : ''}`;
