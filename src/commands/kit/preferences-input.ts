import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import { styleNames } from '../../alert/style.ts';
import { weekdays } from '../../alert/subscription.ts';
import { lengths } from '../../places/limits.ts';
import { gallery } from '../../places/templates.ts';
import { localTime, noneAsNull, quietHours, role, zone } from '../../shell/input.ts';

/** The inputs that say how posts look. Each is given by its name: a word that fits nothing else is no template. */
export const styleInput = {
  template: z
    .string()
    .max(lengths.template)
    .meta({ late: true, offers: Object.keys(gallery) })
    .describe('Own words with parts in braces (see "template"), or a name of the gallery')
    .optional(),
  color: z
    .string()
    .max(20)
    .transform(noneAsNull)
    .meta({ late: true })
    .describe('Colour of posts, such as #30a46c, or none')
    .optional(),
  footer: z
    .string()
    .max(lengths.footer + lengths.footerUrl + 1)
    .transform(noneAsNull)
    .meta({ late: true })
    .describe('Last line of posts, with a link behind it if you like, or none')
    .optional(),
};

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
  style: z.enum(styleNames).optional().describe('How posts look: normal, minimal, or own with a template'),
  ...styleInput,
  mention: role.describe('A role to mention with each post, where there are roles, or none').optional(),
};
