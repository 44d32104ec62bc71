import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import type { Subscription } from '../alert/subscription.ts';
import { kinds, quietHours, symbols, zone } from '../command/input.ts';
import { matcherText, quietText } from '../command/settings.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

/** Above it nobody can tell any more which one brought an alert. */
const maxSubscriptions = 50;

export default defineCommand({
  name: 'subscribe',
  description: 'Get alerts here: which kinds, about which markets, from which severity',
  settings: true,
  input: z.object({
    kinds: kinds.describe('Kinds of alerts, or all').prefault('all'),
    symbols: symbols.describe('Markets, or all').prefault('all'),
    severity: z.enum(severities).default('info').describe('The least severe to be told'),
    quiet: quietHours.describe('Local hours in which nothing is told').optional(),
    zone: zone.describe('Time zone of the quiet hours; yours where it is left out').optional(),
  }),
  async run({ kinds, symbols, severity, quiet, zone }, { store, caller, now }) {
    if (zone !== undefined && quiet === undefined) {
      throw new UserError(
        'A time zone belongs to quiet hours: give both, e.g. quiet=22:00-07:00 zone=Europe/Berlin.',
      );
    }
    const wanted: Omit<Subscription, 'id'> = {
      kinds,
      symbols,
      minSeverity: severity,
      quietHours: quiet === undefined ? null : { ...quiet, timeZone: zone ?? caller.timeZone },
      receiver: caller.receiver,
      createdBy: caller.user,
      createdAt: now,
    };
    const existing = await store.subscriptions.of(caller.receiver);
    const same = existing.find((each) => terms(each) === terms(wanted));
    if (same === undefined && existing.length >= maxSubscriptions) {
      throw new UserError(
        `This place has ${existing.length} subscriptions, as many as it may. End one first: "subscriptions" lists them.`,
      );
    }
    const { id } = same ?? (await store.subscriptions.add(wanted));
    return {
      title: same === undefined ? 'Subscribed' : 'Already subscribed',
      summary: `Told here: ${matcherText(wanted)}.`,
      facts: [
        { name: 'Id', value: id },
        { name: 'From severity', value: severity },
        { name: 'Quiet hours', value: quietText(wanted.quietHours) },
      ],
      actions: [
        { label: 'Undo', command: `unsubscribe ${id}` },
        { label: 'All subscriptions', command: 'subscriptions' },
      ],
    };
  },
});

/** What makes two subscriptions of one place the same, whatever the order of their lists. */
const terms = ({ kinds, symbols, minSeverity, quietHours }: Omit<Subscription, 'id'>): string =>
  JSON.stringify([kinds.toSorted(), symbols.toSorted(), minSeverity, quietText(quietHours)]);
