import { z } from 'zod';
import { matches } from '../alert/subscription.ts';
import { time } from '../card/format.ts';
import { timeSpan } from '../command/input.ts';
import { formatDuration, minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

const shown = 20;
/** What begins this soon (market ms) after a downtime may have begun within it. */
const found = 15 * minute;

export default defineCommand({
  name: 'missed',
  description: 'What was not told here, and why: held back, expired, failed, or while the bot was down',
  input: z.object({
    window: timeSpan('1h', '30d').describe('How far back').prefault('1d'),
  }),
  async run({ window }, { store, caller, now, universe }) {
    const since = now - window;
    const { receiver, timeZone } = caller;
    const [missed, waiting, all, subscriptions, alerts] = await Promise.all([
      store.deliveries.missed(receiver, since, 200),
      store.deliveries.waiting(receiver, shown),
      store.downtimes(),
      store.subscriptions.of(receiver),
      store.alerts.recent(500),
    ]);
    const downtimes = all.filter(({ to }) => to >= since);
    // That the same was told before is no loss.
    const lost = missed.filter(({ reason }) => !reason?.startsWith('already told'));
    const afterwards = alerts.filter(
      ({ labels, startsAt }) =>
        downtimes.some(({ from, to }) => startsAt >= from && startsAt <= to + found) &&
        subscriptions.some((each) => matches(each, labels, universe)),
    );
    const rows = [
      ...lost.map(({ title, reason, outcome, at }) => [title, reason ?? outcome, time(at, timeZone)]),
      ...afterwards.map(({ annotations, startsAt }) => [
        annotations.title,
        'found when the bot was back: it may have begun earlier',
        time(startsAt, timeZone),
      ]),
    ];
    return {
      title: `Missed in ${formatDuration(window)}`,
      summary: [
        rows.length === 0 ? 'Nothing that was asked for here was held back or failed.' : '',
        ...(rows.length > shown ? [`The newest ${shown} of ${rows.length}.`] : []),
        ...(downtimes.length === 0
          ? []
          : ['What began and ended while the bot was down is not known to it.']),
      ]
        .filter((line) => line !== '')
        .join('\n'),
      facts: [
        ...downtimes.map(({ from, to }) => ({
          name: 'The bot was down',
          value: `${formatDuration(to - from)}, from ${time(from, timeZone)} to ${time(to, timeZone)}`,
        })),
        ...waiting.map(({ title, due, reason }) => ({
          name: `Waiting until ${time(due, timeZone)}`,
          value: reason === null ? title : `${title} (${reason})`,
        })),
      ],
      ...(rows.length > 0 && {
        table: { columns: ['Alert', 'Why', 'When'], rows: rows.slice(0, shown) },
      }),
    };
  },
});
