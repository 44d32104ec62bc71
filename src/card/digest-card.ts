import { type Alert, severityRank } from '../alert/alert.ts';
import { labelTitle } from '../language/format.ts';
import { lines, msg, typed } from '../language/text.ts';
import { openAndEnded, statusText, unknownLine } from './alert-card.ts';
import { type AlertCardOptions, alertState } from './alert-state.ts';
import type { Card } from './card.ts';

/** Returns the card of alerts that began and ended while nothing could be delivered: a digest with a title of its own. */
export const endedUnsentCard = (
  alerts: readonly Alert[],
  options: Pick<AlertCardOptions, 'source' | 'unknownFor' | 'untold'>,
): Card => ({
  ...digestCard(alerts, options),
  title: msg('{n, plural, one {# alert} other {# alerts}} began and ended before delivery', {
    n: alerts.length,
  }),
});

/** Returns one card with all alerts since the last digest: the worst first, and open ones before those that have ended. */
export function digestCard(
  alerts: readonly Alert[],
  options: Pick<AlertCardOptions, 'source' | 'unknownFor' | 'untold'> & {
    /** The digest includes alerts beyond the number of posts that the place wants in a day. */
    readonly overBudget?: boolean;
  },
): Card {
  const ended = alerts.filter(({ status }) => status === 'resolved').length;
  const open = alerts.length - ended;
  const ranked = alerts.toSorted(
    (a, b) =>
      severityRank(b.peak) - severityRank(a.peak) ||
      Number(a.status === 'resolved') - Number(b.status === 'resolved') ||
      b.updatedAt - a.updatedAt ||
      (a.id < b.id ? -1 : 1),
  );
  return {
    title: msg('Digest: {n, plural, one {# alert} other {# alerts}}', { n: alerts.length }),
    summary: lines(
      openAndEnded(open, ended),
      options.overBudget === true
        ? msg('With what was beyond this chat’s posts a day: "{settings}" changes that.', {
            settings: typed('settings'),
          })
        : undefined,
      options.unknownFor === undefined ? undefined : unknownLine(options.unknownFor),
    ),
    ...alertState(alerts, options),
    table: {
      columns: [msg('Alert'), msg('At worst'), msg('Status')],
      rows: ranked.map((alert) => [alert.annotations.title, labelTitle(alert.peak), statusText(alert)]),
    },
    dataTime: Math.min(...alerts.map(({ annotations }) => annotations.dataTime)),
  };
}
