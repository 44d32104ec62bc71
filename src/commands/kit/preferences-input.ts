import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import { weekdays } from '../../alert/subscription.ts';
import { localTime, quietHours, role, zone } from '../../shell/input.ts';

/** The inputs of `subscribe` and `edit` that say how alerts arrive. */
export const preferencesInput = {
  severity: z.enum(severities).optional().describe('Lowest severity to send (default: info)'),
  delivery: z
    .enum(['now', 'hourly', 'daily', 'weekly'])
    .optional()
    .describe('At once or as a digest (default: now); critical alerts always come at once'),
  at: localTime.describe('Local time of a daily or weekly digest (default: 08:00)').optional(),
  day: z.enum(weekdays).optional().describe('Day of a weekly digest (default: monday)'),
  quiet: quietHours.describe('Local hours without alerts, e.g. 22:00-07:00, or none').optional(),
  zone: zone
    .transform((name) => name ?? undefined)
    .meta({ names: 'zone' })
    .describe('Time zone of quiet hours and digests (default: yours)')
    .optional(),
  mention: role.describe('A role to mention with each post, where there are roles, or none').optional(),
};
