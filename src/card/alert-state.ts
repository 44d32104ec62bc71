import { type Alert, type Severity, severityRank } from '../alert/alert.ts';
import { span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Card } from './card.ts';

export interface AlertCardOptions {
  /** Where the data comes from: "simulated, 240 ×". */
  readonly source?: Text;
  /**
   * Given if the alert's inputs are stale: ms since they were last fresh. The alert is then shown neither as firing nor
   * as resolved.
   */
  readonly unknownFor?: number;
  /** The alert's reader has seen nothing of it before, so its end is no good news. */
  readonly untold?: boolean;
  /** Given if the alert could not be delivered in time (after a downtime): how late it comes, ms. */
  readonly lateBy?: number;
}

/** Sorts the alerts of a group: open ones first, then by severity, then by prominence, then the oldest first. */
export const byRank = (a: Alert, b: Alert): number =>
  Number(a.status === 'resolved') - Number(b.status === 'resolved') ||
  severityRank(b.severity) - severityRank(a.severity) ||
  (b.annotations.prominence ?? 0) - (a.annotations.prominence ?? 0) ||
  a.startsAt - b.startsAt ||
  (a.id < b.id ? -1 : 1);

/**
 * Returns whether another message tells the event that an alert is a part of. The alert is then shown neither as firing
 * nor as over in its own message.
 */
export const isPart = ({ partOf }: Alert): boolean => partOf !== undefined;

/** Returns the fields that give a card its colour, and the source of its data. */
export function alertState(
  alerts: readonly Alert[],
  { source, unknownFor, untold }: AlertCardOptions,
): Pick<Card, 'severity' | 'status' | 'source'> {
  const severity = alerts
    .map((alert): Severity => alert.severity)
    .reduce((a, b) => (severityRank(b) > severityRank(a) ? b : a));
  const isOver = alerts.every((alert) => alert.status === 'resolved');
  const status = isOver
    ? untold === true || alerts.every(({ end }) => end?.unknown === true)
      ? 'ended'
      : 'resolved'
    : alerts.every((alert) => alert.status === 'firing')
      ? 'firing'
      : 'updated';
  return {
    severity,
    ...((isOver || (unknownFor === undefined && !alerts.every(isPart))) && { status }),
    source,
  };
}

export const lateLine = ({ lateBy }: AlertCardOptions): Text | undefined =>
  lateBy === undefined ? undefined : msg('Delivered {lateBy} late.', { lateBy: span(lateBy) });
export const durationText = (alert: Alert): Text => span((alert.endsAt ?? alert.updatedAt) - alert.startsAt);
