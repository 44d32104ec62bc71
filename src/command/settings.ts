import type { Matcher, Silence, Subscription } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { time } from '../card/format.ts';

const listed = (names: readonly string[], every: string): string =>
  names.includes('*') ? every : names.join(', ');

/** `funding-extreme about BTCUSDT, ETHUSDT` */
export const matcherText = ({ kinds, symbols }: Matcher): string =>
  `${listed(kinds, 'every kind of alert')} about ${listed(symbols, 'every market')}`;

export const quietText = (quietHours: Subscription['quietHours']): string =>
  quietHours === null ? 'none' : `${quietHours.from}-${quietHours.to} ${quietHours.timeZone}`;

export const subscriptionsTable = (subscriptions: readonly Subscription[]): NonNullable<Card['table']> => ({
  columns: ['Id', 'Kinds', 'Markets', 'From', 'Quiet hours'],
  rows: subscriptions.map(({ id, kinds, symbols, minSeverity, quietHours }) => [
    id,
    listed(kinds, 'all'),
    listed(symbols, 'all'),
    minSeverity,
    quietText(quietHours),
  ]),
});

export const silenceText = (silence: Silence, timeZone: string): string =>
  `${matcherText(silence)}, until ${time(silence.endsAt, timeZone)}${silence.receiver === null ? ' (everywhere, by the operator)' : ''}`;
