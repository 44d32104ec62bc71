import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { presetNames } from '../alert/presets.ts';
import { styleNames } from '../alert/style.ts';
import { weekdays } from '../alert/subscription.ts';
import { languages } from '../language/languages.ts';
import { lengths, spans } from '../places/limits.ts';
import { gallery } from '../places/templates.ts';
import {
  clearing,
  condition,
  kinds,
  level,
  localTime,
  metric,
  noneAsNull,
  ownKind,
  quietHours,
  role,
  symbol,
  symbols,
  timeSpan,
  zone,
} from './input.ts';

/*
 * What is given to make or change what a place has. The HTTP API takes just this, commands take it with what else people may say.
 */

const preferencesInput = {
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
  // Each is given by its name: a word that fits nothing else is no template.
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
  mention: role.describe('A role to mention with each post, where there are roles, or none').optional(),
};

export const subscriptionInput = z.object({
  kinds: kinds.describe('Kinds of alerts, or all (default: the standard ones)').optional(),
  symbols: symbols.describe('Markets, top20, watchlist, or all').prefault('all'),
  ...preferencesInput,
  preset: z
    .enum(presetNames)
    .optional()
    .describe('Instead of kinds: few alerts (quiet), standard, or everything'),
  language: z.enum(languages).optional().describe('Language of this chat; see "settings"'),
});

export const subscriptionChange = z.object({
  ...preferencesInput,
  paused: z.enum(['yes', 'no']).optional().describe('Paused: kept but silent'),
});

/** Of a new rule; of a change, what is to be different. */
export const ruleInput = z.object({
  metric: metric.describe('The metric it watches; the action metrics lists all').optional(),
  symbols: symbols.describe('Markets, top20, watchlist, or all').optional(),
  above: level.describe('Fires above this level').optional(),
  below: level.describe('Fires below this level').optional(),
  for: timeSpan(spans.ruleHold).describe('Only after it has been true for this long; 0m: at once').optional(),
  mode: z.enum(['always', 'once']).optional().describe('Once, or every time (default: always)'),
  until: timeSpan(spans.ruleUntil).describe('How long it stays active (default: without end)').optional(),
  severity: z.enum(severities).optional().describe('How severe it is (default: warning)'),
  is: z.string().trim().min(1).max(lengths.name).optional().describe('Fires when it equals this value'),
  when: condition.describe('A condition of your own, such as funding.z > 2.5 && oi.ratePct > 1').optional(),
  clear: clearing.describe('Clears at this level or condition; none: just behind the level').optional(),
  name: z.string().trim().min(1).max(lengths.ruleName).optional().describe('What to call it'),
});

export const silenceInput = z.object({
  kind: ownKind.describe('Kind of alert, or one of your own (default: every kind)').optional(),
  symbol: symbol.describe('Market (default: all markets)').optional(),
  for: timeSpan(spans.silence).describe('For how long, e.g. 4h').optional(),
});
