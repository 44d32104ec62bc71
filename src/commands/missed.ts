import { z } from 'zod';
import type { ReasonCode } from '../alert/reason.ts';
import { wants } from '../alert/subscription.ts';
import { labelTitle, span, time } from '../language/format.ts';
import { lines, msg } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { timeSpan } from '../shell/input.ts';
import type { Delivery } from '../store/ports.ts';
import { activeSubscriptions, readHeldBack, waitingFact } from './kit/unsent.ts';

const maxShown = 20;
/** The most deliveries that are read to tell what was shown here. */
const maxDeliveriesRead = 2_000;
/** Reasons for which nothing was missed: the chat was told otherwise, or does not ask for it. */
const notMissed = new Set<ReasonCode>([
  'already_sent',
  'sent_at_once',
  'start_not_sent',
  'nothing_open',
  'part_of',
  'unsubscribed',
]);
/** An alert that begins this soon after a downtime may have begun during it, market ms. */
const downtimeGrace = 15 * minute;

export default defineCommand({
  name: 'missed',
  topic: 'past',
  description: msg(
    'Alerts that were not sent here, and why: held back, expired, failed, or the bot was down',
  ),
  input: z.object({
    window: timeSpan({ min: '1h', max: '30d' }).describe('How far back').prefault('1d'),
  }),
  async run({ window }, context) {
    const { store, caller, now, universe } = context;
    const since = now - window;
    const { receiver } = caller;
    const [missed, waiting, allDowntimes, subscriptions, alerts, held, delivered] = await Promise.all([
      store.deliveries.missed(receiver, { since, limit: 200 }),
      store.deliveries.waiting(receiver, maxShown),
      store.downtimes(),
      activeSubscriptions(context),
      store.alerts.recent(500),
      readHeldBack(context, since),
      store.deliveries.recent(receiver, maxDeliveriesRead),
    ]);
    const downtimes = allDowntimes.filter(({ to }) => to >= since);
    const shown = new Map<string, number>();
    for (const { alertId, revision, outcome } of delivered)
      if (outcome === 'sent' || outcome === 'edited')
        shown.set(alertId, Math.max(revision, shown.get(alertId) ?? 0));
    const unsent = missed.filter(
      ({ alertId, revision, reason }) =>
        (reason === null || !notMissed.has(reason.code)) && revision > (shown.get(alertId) ?? 0),
    );
    const untold = held.filter(({ alert }) => alert.partOf === undefined && !shown.has(alert.id));
    const listed = new Set([
      ...unsent.map(({ alertId }) => alertId),
      ...untold.map(({ alert }) => alert.id),
      ...waiting.map(({ alertId }) => alertId),
    ]);
    const lateAlerts = alerts.filter(
      (alert) =>
        !listed.has(alert.id) &&
        !shown.has(alert.id) &&
        downtimes.some(({ from, to }) => alert.startsAt >= from && alert.startsAt <= to + downtimeGrace) &&
        subscriptions.some((each) => wants(each, { alert, universe })),
    );
    const rows = [
      ...newestOfEach(unsent).map(({ title, reason, outcome, at }) => ({
        title,
        why: reason?.text ?? labelTitle(outcome),
        at,
      })),
      ...untold.map(({ alert: { annotations, startsAt }, reason }) => ({
        title: annotations.title,
        why: reason,
        at: startsAt,
      })),
      ...lateAlerts.map(({ annotations, startsAt }) => ({
        title: annotations.title,
        why: msg('found when the bot was back: it may have begun earlier'),
        at: startsAt,
      })),
    ].sort((a, b) => b.at - a.at);
    return {
      title: msg('Missed in {window}', { window: span(window) }),
      summary: lines(
        rows.length === 0 ? msg('Nothing was held back, and nothing failed.') : undefined,
        rows.length > maxShown
          ? msg('The newest {shown, number} of {all, number}.', { shown: maxShown, all: rows.length })
          : undefined,
        downtimes.length === 0
          ? undefined
          : msg('Anything that began and ended while the bot was down is unknown.'),
      ),
      facts: [
        ...downtimes.map(({ from, to }) => ({
          name: msg('The bot was down'),
          value: msg('{length}, from {from} to {to}', {
            length: span(to - from),
            from: time(from),
            to: time(to),
          }),
        })),
        ...waiting.map(waitingFact),
      ],
      table: {
        columns: [msg('Alert'), msg('Why'), msg('When')],
        rows: rows.slice(0, maxShown).map(({ title, why, at }) => [title, why, time(at)]),
      },
    };
  },
});

/** An alert whose several revisions were not sent was missed once. @param deliveries newest first */
const newestOfEach = (deliveries: readonly Delivery[]): readonly Delivery[] =>
  deliveries.filter(({ alertId }, at) => deliveries.findIndex((each) => each.alertId === alertId) === at);
