import { z } from 'zod';
import { type Alert, severities, severityRank } from './alert.ts';

/** A broader alert that fires holds back the narrower ones that say the same or cannot be trusted meanwhile. */
export const inhibitRule = z.object({
  by: z.object({ kind: z.string(), minSeverity: z.enum(severities).default('info') }),
  holds: z.array(z.string()).min(1),
  /** Labels that both must have alike: `[direction]` lets a crowd of longs hold back no crowd of shorts. */
  equal: z.array(z.string()).optional(),
});
export type InhibitRule = z.output<typeof inhibitRule>;

type Subject = Pick<Alert, 'fingerprint' | 'labels' | 'severity' | 'status'>;

/** The first of `firing` that holds back `alert`. An alert never holds back itself, nor one of its own kind. */
export const inhibitor = <Firing extends Subject>(
  rules: readonly InhibitRule[],
  firing: readonly Firing[],
  alert: Subject,
): Firing | undefined =>
  firing.find(
    (other) =>
      other.status !== 'resolved' &&
      other.labels.kind !== alert.labels.kind &&
      rules.some(
        ({ by, holds, equal = [] }) =>
          holds.includes(alert.labels.kind) &&
          by.kind === other.labels.kind &&
          severityRank(other.severity) >= severityRank(by.minSeverity) &&
          equal.every((label) => other.labels[label] === alert.labels[label]),
      ),
  );
