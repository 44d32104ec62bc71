import { severities } from '../../alert/alert.ts';
import { type KnownKinds, kindsText, type Subscription, symbolsText } from '../../alert/subscription.ts';
import type { Card } from '../../card/card.ts';
import { labelTitle } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { deliveryText, levelLabel, levelText, quietText } from '../../places/arrival.ts';
import { subscriptionText } from '../../places/subscriptions.ts';
import { styleText } from '../../places/templates.ts';
import { fileColumn, fileFact } from './file-column.ts';

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

interface SubscriptionCard {
  readonly title: Text;
  readonly known: KnownKinds;
  readonly manages: boolean;
}

/** Builds the card of a subscription with buttons for what can be done to it. */
export function subscriptionCard(
  subscription: Subscription,
  { title, known, manages }: SubscriptionCard,
): Card {
  const { id, minSeverity, digest, quietHours, mention, style, paused } = subscription;
  const look = styleText(style);
  const edit = (label: Text, change: string) => ({ label, command: `edit ${id} ${change}` });
  const currentDelivery = digest === null ? 'now' : deliveryByPeriod[digest.every];
  return {
    title,
    summary: subscriptionText(subscription, known),
    facts: [
      { name: msg('Id'), value: id },
      { name: msg('Level'), value: levelText(minSeverity) },
      { name: msg('Delivery'), value: deliveryText(digest) },
      { name: msg('Quiet hours'), value: quietText(quietHours) },
      ...(mention === null ? [] : [{ name: msg('Mentions role'), value: mention }]),
      ...(look === undefined ? [] : [{ name: msg('Look'), value: look }]),
      ...(style?.template === undefined ? [] : [{ name: msg('Template'), value: style.template }]),
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
            .map((severity) => edit(labelTitle(levelLabel(severity)), `severity=${severity}`)),
          ...(['now', 'hourly', 'daily', 'weekly'] as const)
            .filter((delivery) => delivery !== currentDelivery)
            .map((delivery) => edit(deliveryLabels[delivery], `delivery=${delivery}`)),
          { label: msg('All subscriptions'), command: 'subscriptions' },
        ],
      }),
  };
}
