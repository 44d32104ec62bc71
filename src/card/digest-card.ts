import { type Alert, severityRank } from '../alert/alert.ts';
import { type AlertCardOptions, alertState, statusText, unknownLine } from './alert-card.ts';
import type { Card } from './card.ts';
import { words } from './format.ts';

/** All that happened since the last digest on one card: the worst first, and what goes on before what has ended. */
export function digestCard(
  alerts: readonly Alert[],
  options: Pick<AlertCardOptions, 'source' | 'unknownFor'>,
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
    title: `Digest: ${alerts.length === 1 ? '1 alert' : `${alerts.length} alerts`}`,
    summary: [
      `${open} going on, ${ended} resolved.`,
      ...(options.unknownFor === undefined ? [] : [unknownLine(options.unknownFor)]),
    ].join('\n'),
    ...alertState(alerts, options),
    table: {
      columns: ['Alert', 'At worst', 'Status'],
      rows: ranked.map((alert) => [alert.annotations.title, words(alert.peak), statusText(alert)]),
    },
    dataTime: Math.min(...alerts.map(({ annotations }) => annotations.dataTime)),
  };
}
