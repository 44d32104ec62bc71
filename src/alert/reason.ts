import type { Text } from '../language/text.ts';

/** What may become of one revision of an alert at one receiver. */
export const deliveryOutcomes = ['sent', 'edited', 'suppressed', 'failed'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** Why an alert was not sent, failed or may not have arrived: `code` is for programs, `text` for people. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: Text;
}

export const reasonCodes = [
  'already_sent',
  'sent_at_once',
  'start_not_sent',
  'nothing_open',
  'unsubscribed',
  'silenced',
  'quiet_hours',
  'over_before_morning',
  'held_back',
  'part_of',
  'over_budget',
  'over_while_held_back',
  'expired',
  'paused',
  'not_delivered',
  'possibly_doubled',
  'not_kept',
  'defect',
  'not_set_up',
] as const;
export type ReasonCode = (typeof reasonCodes)[number];
