import { type Alert, type Severity, severityRank } from '../alert/alert.ts';
import { formatDuration } from '../runtime/units.ts';
import type { Card } from './card.ts';
import { words } from './format.ts';

export interface AlertCardOptions {
  /** "simulated, 240 ×". */
  readonly source?: string;
  /** Where its inputs are stale: ms since they were last fresh. It is then neither firing nor resolved. */
  readonly unknownFor?: number;
  /** Where it could not be told in time (after a downtime): ms it comes late. */
  readonly lateBy?: number;
}

/** The card of one alert, or of a group posted together. Throws RangeError on an empty group. */
export function alertCard(alerts: readonly Alert[], options: AlertCardOptions = {}): Card {
  const [first, ...rest] = alerts;
  if (first === undefined) throw new RangeError('a card needs at least one alert');
  return rest.length === 0 ? single(first, options) : group(first, alerts, options);
}

function single(alert: Alert, options: AlertCardOptions): Card {
  const { title, summary, facts, chart, dataTime } = alert.annotations;
  return {
    title,
    summary: [progress(alert, options.unknownFor), summary, late(options)]
      .filter((line) => line !== '')
      .join('\n'),
    ...alertState([alert], options),
    facts,
    ...(chart !== undefined && { chart }),
    ...(alert.status !== 'resolved' && { actions: actions(alert) }),
    dataTime,
  };
}

function group(first: Alert, alerts: readonly Alert[], options: AlertCardOptions): Card {
  const kinds = new Set(alerts.map(({ labels }) => labels.kind));
  const open = alerts.filter(({ status }) => status !== 'resolved').length;
  const ended = alerts.length - open;
  return {
    title: `${alerts.length} alerts: ${[...kinds].join(', ')}`,
    summary: [
      open === 0 ? 'All resolved.' : ended > 0 ? `${open} going on, ${ended} resolved.` : '',
      options.unknownFor === undefined ? '' : unknownLine(options.unknownFor),
      late(options),
    ]
      .filter((line) => line !== '')
      .join('\n'),
    ...alertState(alerts, options),
    table: {
      columns: ['Alert', 'Severity', 'Status'],
      rows: alerts.map((alert) => [alert.annotations.title, words(alert.severity), statusText(alert)]),
    },
    ...(open > 0 && kinds.size === 1 && { actions: actions({ labels: { kind: first.labels.kind } }) }),
    // The oldest: nothing in the card is older than it says.
    dataTime: Math.min(...alerts.map(({ annotations }) => annotations.dataTime)),
  };
}

/** What an alert card says by its colour. */
export function alertState(
  alerts: readonly Alert[],
  { source, unknownFor }: AlertCardOptions,
): Pick<Card, 'severity' | 'status' | 'source'> {
  const severity = alerts
    .map((alert): Severity => alert.severity)
    .reduce((a, b) => (severityRank(b) > severityRank(a) ? b : a));
  const status = alerts.every((alert) => alert.status === 'resolved')
    ? 'resolved'
    : alerts.every((alert) => alert.status === 'firing')
      ? 'firing'
      : 'updated';
  return {
    severity,
    ...((unknownFor === undefined || status === 'resolved') && { status }),
    ...(source !== undefined && { source }),
  };
}

function progress(alert: Alert, unknownFor: number | undefined): string {
  if (alert.status === 'resolved') return `Resolved after ${lasted(alert)}.`;
  if (unknownFor !== undefined) return unknownLine(unknownFor);
  if (alert.status === 'firing') return '';
  const step = severityRank(alert.severity) - severityRank(alert.previousSeverity);
  if (step === 0) return `Going on for ${lasted(alert)}.`;
  return `${step > 0 ? 'Escalated' : 'Eased'} from ${alert.previousSeverity} to ${alert.severity} after ${lasted(alert)}.`;
}

/** `Firing`, `Resolved after 3 h`. */
export const statusText = (alert: Alert): string =>
  alert.status === 'resolved' ? `Resolved after ${lasted(alert)}` : words(alert.status);

export const unknownLine = (ms: number): string =>
  `Unknown: no fresh data for ${formatDuration(ms)}. Below is what was known last.`;
const late = ({ lateBy }: AlertCardOptions): string =>
  lateBy === undefined ? '' : `Told late, by ${formatDuration(lateBy)}.`;
const lasted = (alert: Alert): string => formatDuration((alert.endsAt ?? alert.updatedAt) - alert.startsAt);

/** What one may want to do about an alert. Each is a command, so that it works wherever cards are shown. */
function actions({ labels }: Pick<Alert, 'labels'>): NonNullable<Card['actions']> {
  const { kind, symbol } = labels;
  const about = symbol === undefined ? kind : `${kind} ${symbol}`;
  return [
    ...['1h', '4h', '24h'].map((length) => ({
      label: `Silence ${length.replace('h', ' h')}`,
      command: `silence ${about} ${length}`,
    })),
    { label: 'Chart', command: symbol === undefined ? 'regime' : `coin ${symbol}` },
    { label: 'Why', command: symbol === undefined ? 'why' : `why ${symbol}` },
    // As long as a silence may last.
    ...(symbol === undefined ? [] : [{ label: 'Mute this kind', command: `silence ${kind} 30d` }]),
  ];
}
