import { z } from 'zod';
import { type Alert, type Chart, severities, type Tone } from '../alert/alert.ts';
import { isOfKind } from '../alert/subscription.ts';
import { count, labelTitle, span, time } from '../language/format.ts';
import { lines, msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { ownKind, symbol, timeSpan, wholeNumber } from '../shell/input.ts';
import { barsBetween } from './kit/series.ts';

/** The most rows that are read from the store. */
const maxAlertsRead = 1_000;
const maxDeliveriesRead = 2_000;

export default defineCommand({
  name: 'history',
  topic: 'past',
  description: msg('Past alerts, sent here or all of them, by kind and market'),
  input: z.object({
    kind: ownKind.describe('Kind of alert (default: every kind)').optional(),
    symbol: symbol.describe('Market (default: all markets)').optional(),
    window: timeSpan({ min: '1h', max: '90d' }).describe('How far back').prefault('7d'),
    where: z.enum(['here', 'all']).default('here').describe('Only alerts sent here, or all the bot saw'),
    limit: wholeNumber(1, 50).default(15).describe('How many to list'),
  }),
  async run({ kind, symbol, window, where, limit }, context) {
    const { store, now } = context;
    const [{ alerts: own, completeSince: ownSince }, all] = await Promise.all([
      sentHere(context),
      where === 'all' ? store.alerts.recent(maxAlertsRead) : [],
    ]);
    const allSince = all.length < maxAlertsRead ? undefined : all.at(-1)?.updatedAt;
    const from = Math.max(now - window, ownSince ?? 0, allSince ?? 0);
    // Alerts that are for one chat alone are listed in that chat only.
    const visible = all.filter(({ only }) => only === undefined);
    const found = [...new Map([...visible, ...own].map((alert) => [alert.id, alert])).values()]
      .filter(({ startsAt }) => startsAt >= from)
      .filter(({ labels }) => kind === undefined || isOfKind([kind], labels))
      .filter(({ labels }) => symbol === undefined || labels.symbol === symbol)
      .sort((a, b) => b.startsAt - a.startsAt);
    const ongoing = found.filter(({ status }) => status !== 'resolved').length;
    const length = span(window);
    return {
      title:
        where === 'here'
          ? msg('Alerts in this chat, last {length}', { length })
          : msg('All alerts, last {length}', { length }),
      summary: lines(
        found.length === 0
          ? msg('None.')
          : msg('{all, plural, one {# alert} other {# alerts}}, of which {open, number} still going on.', {
              all: found.length,
              open: ongoing,
            }),
        from > now - window
          ? msg('Counted since {from}: there were too many before.', { from: time(from) })
          : undefined,
      ),
      facts: severities
        .toReversed()
        .map((severity) => ({ severity, reached: found.filter(({ peak }) => peak === severity).length }))
        .filter(({ reached }) => reached > 0)
        .map(({ severity, reached }) => ({ name: labelTitle(severity), value: count(reached) })),
      table: {
        columns: [msg('Alert'), msg('Severity'), msg('Began'), msg('Lasted')],
        rows: found
          .slice(0, limit)
          .map((alert) => [
            alert.annotations.title,
            labelTitle(alert.peak),
            time(alert.startsAt),
            durationText(alert),
          ]),
      },
      chart: found.length > 0 ? chartOf(found, { from, to: now }) : undefined,
      actions: where === 'here' ? [{ label: msg('All alerts'), command: 'history where=all' }] : [],
    };
  },
});

/**
 * Reads the alerts that were sent here.
 *
 * @returns `completeSince`: only those since then are all known (market ms). Undefined: all are
 */
async function sentHere({ store, caller }: CommandContext): Promise<{
  readonly alerts: readonly Alert[];
  readonly completeSince: number | undefined;
}> {
  const deliveries = await store.deliveries.recent(caller.receiver, maxDeliveriesRead);
  return {
    alerts: deliveries.flatMap(({ outcome, alert }) =>
      alert !== undefined && (outcome === 'sent' || outcome === 'edited') ? [alert] : [],
    ),
    completeSince: deliveries.length < maxDeliveriesRead ? undefined : deliveries.at(-1)?.at,
  };
}

const durationText = ({ startsAt, endsAt }: Alert): Text =>
  endsAt === null ? msg('going on') : span(endsAt - startsAt);

const tones: Readonly<Record<(typeof severities)[number], Tone>> = {
  info: 'neutral',
  warning: 'caution',
  critical: 'bad',
};

/** Draws how many alerts began when, by the worst severity that they reached. */
function chartOf(
  alerts: readonly Alert[],
  { from, to }: { readonly from: number; readonly to: number },
): Chart {
  const { width, sum } = barsBetween({ from, to, unit: hour });
  return {
    title: msg('Alerts per {width}, last {length}', { width: span(width), length: span(to - from) }),
    unit: '',
    series: severities
      .map((severity) => ({ severity, own: alerts.filter(({ peak }) => peak === severity) }))
      .filter(({ own }) => own.length > 0)
      .map(({ severity, own }) => ({
        name: labelTitle(severity),
        shape: 'bars',
        tone: tones[severity],
        points: sum(own.map(({ startsAt }) => [startsAt, 1])),
      })),
  };
}
