import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import { weekdays } from '../../alert/subscription.ts';
import { localTime, quietHours, role, zone } from '../../shell/input.ts';

/** How alerts are told: the inputs that `subscribe` and `edit` have in common. */
export const preferencesInput = {
  severity: z.enum(severities).optional().describe('The least severe to be told; info at first'),
  delivery: z
    .enum(['now', 'hourly', 'daily', 'weekly'])
    .optional()
    .describe('At once, or gathered; what is critical comes at once. At first: now'),
  at: localTime.describe('Local time of a daily or weekly digest; 08:00 where it is left out').optional(),
  day: z.enum(weekdays).optional().describe('Day of a weekly digest; monday where it is left out'),
  quiet: quietHours.describe('Local hours in which nothing is told, or none').optional(),
  zone: zone.describe('Time zone of quiet hours and digests; yours where it is left out').optional(),
  mention: role.describe('A role to mention with each post (Discord), or none').optional(),
};
