import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { presetNames } from '../alert/presets.ts';
import type { Rule } from '../alert/rule.ts';
import { type Style, styleNames } from '../alert/style.ts';
import { type Subscription, weekdays } from '../alert/subscription.ts';
import { withMessage } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { isTimeZone } from '../language/time-format.ts';
import { compile } from '../rules/compile.ts';
import { checkDecides } from '../rules/decides.ts';
import { maxLength as conditionLength } from '../rules/expression.ts';
import { parseDuration } from '../runtime/units.ts';
import type { Author } from '../store/ports.ts';
import { defaultPreferences, type SubscriptionPreferences } from './arrival.ts';
import { type Editing, makerOf } from './editing.ts';
import { lengths, limits, maxNames, spans } from './limits.ts';
import { liquidationOf, maxFundingLimit, noLiquidation } from './positions.ts';
import { checkMarkets } from './rules.ts';
import { chooseKinds, type Wish } from './subscriptions.ts';
import { colorText, footerText, readStyle } from './templates.ts';

/*
 * What a place has, in the one form in which `export` writes it, and `import` and files read it. Fields that have their
 * default are left out.
 */

const localTime = z
  .string()
  .refine(
    (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
    withMessage(msg('give a local time, such as 08:00')),
  );
export const zone = z
  .string()
  .refine(isTimeZone, withMessage(msg('give a time zone, such as Europe/Berlin')));
const names = z.array(z.string().min(1).max(lengths.name)).max(maxNames);

export const subscriptionEntry = z.strictObject({
  kinds: names.min(1).optional(),
  /** Names a preset instead of kinds. */
  preset: z.enum(presetNames).optional(),
  symbols: names.min(1).default(['*']),
  severity: z.enum(severities).optional(),
  quiet: z
    .strictObject({ from: localTime, to: localTime, zone })
    .refine(({ from, to }) => from !== to, withMessage(msg('give two different times, such as 22:00-07:00')))
    .optional(),
  digest: z
    .strictObject({
      every: z.enum(['hour', 'day', 'week']),
      at: localTime.default('08:00'),
      day: z.enum(weekdays).optional(),
      zone,
    })
    .optional(),
  mention: z
    .string()
    .refine((text) => /^\S{1,64}$/.test(text), withMessage(msg('give the id of a role')))
    .optional(),
  style: z.enum(styleNames).optional(),
  template: z.string().optional(),
  color: z.string().optional(),
  footer: z.string().optional(),
  paused: z.boolean().default(false),
});

/** Times are market ms. */
export const ruleEntry = z.strictObject({
  when: z.string().trim().min(1).max(conditionLength),
  clear: z.string().trim().min(1).max(conditionLength).optional(),
  symbols: names.default([]),
  /** Ms, or a length of time as people write it: 10m. */
  for: z.preprocess(
    (given) => (typeof given === 'string' ? (parseDuration(given) ?? given) : given),
    z
      .int()
      .min(0)
      .max(parseDuration(spans.ruleHold.max) ?? 0)
      .default(0),
  ),
  once: z.boolean().default(false),
  /** Ms, or an ISO 8601 time. */
  until: z.preprocess((given) => (typeof given === 'string' ? Date.parse(given) : given), z.int().optional()),
  severity: z.enum(severities).default('warning'),
  name: z.string().min(1).max(lengths.ruleName).optional(),
  paused: z.boolean().default(false),
  position: z
    .strictObject({
      side: z.enum(['long', 'short']),
      entry: z.number().positive(),
      leverage: z.number().min(1).max(200),
      size: z.number().positive().optional(),
      venue: z
        .string()
        .regex(/^[a-z][a-z0-9-]{0,30}$/)
        .optional(),
      tier: z
        .strictObject({
          venue: z.string().min(1).max(lengths.name),
          rate: z.number().gt(0).lt(1),
          deduction: z.number().min(0),
          upTo: z.number().positive().optional(),
          unit: z.enum(['USD', 'COINS']),
        })
        .optional(),
      funding: z.number().positive().max(maxFundingLimit).optional(),
    })
    .refine((held) => liquidationOf(held) > 0, withMessage(noLiquidation))
    .optional(),
});

/** Markets in the order in which the place follows them. */
export const watchlistEntry = z.array(z.string().min(1).max(lengths.name)).max(limits.watchlist.chat);

export const entryOfSubscription = (subscription: Subscription): z.input<typeof subscriptionEntry> => {
  const { kinds, symbols, minSeverity, quietHours, digest, mention, style, paused } = subscription;
  return {
    ...(!kinds.includes('*') && { kinds: [...kinds] }),
    ...(!symbols.includes('*') && { symbols: [...symbols] }),
    ...(minSeverity !== 'info' && { severity: minSeverity }),
    ...(quietHours !== null && {
      quiet: { from: quietHours.from, to: quietHours.to, zone: quietHours.timeZone },
    }),
    ...(digest !== null && {
      digest: {
        every: digest.every,
        at: digest.at,
        day: digest.weekday,
        zone: digest.timeZone,
      },
    }),
    ...(mention !== null && { mention }),
    ...(style !== undefined && entryOfStyle(style)),
    ...(paused && { paused }),
  };
};

const entryOfStyle = ({ name, template, color, footer }: Style): z.input<typeof subscriptionEntry> => ({
  ...(name === 'minimal' && { style: name }),
  template,
  ...(color !== undefined && { color: colorText(color) }),
  ...(footer !== undefined && { footer: footerText(footer) }),
});

export const entryOfRule = (rule: Rule): z.input<typeof ruleEntry> => ({
  when: rule.condition,
  ...(rule.clear !== null && { clear: rule.clear }),
  ...(rule.symbols.length > 0 && { symbols: [...rule.symbols] }),
  ...(rule.hold > 0 && { for: rule.hold }),
  ...(rule.mode === 'once' && { once: true }),
  ...(rule.expiresAt !== null && { until: rule.expiresAt }),
  ...(rule.severity !== 'warning' && { severity: rule.severity }),
  ...(rule.name !== null && { name: rule.name }),
  ...(rule.paused && { paused: true }),
  position: rule.position,
});

/** Reads a subscription. Throws UserError if it names both kinds and a preset. */
export function wishOfEntry(
  {
    symbols,
    quiet,
    digest,
    mention,
    paused,
    style: name,
    template,
    color,
    footer,
    ...named
  }: z.output<typeof subscriptionEntry>,
  known: Editing['kinds'],
): Wish & { readonly preferences: SubscriptionPreferences } {
  const { kinds, severity } =
    named.preset === undefined && named.kinds === undefined
      ? { kinds: ['*'], severity: named.severity }
      : chooseKinds(named, known);
  const style = readStyle({ style: name, template, color, footer }, undefined) ?? undefined;
  return {
    matcher: { kinds: kinds.includes('*') ? ['*'] : kinds, symbols: symbols.includes('*') ? ['*'] : symbols },
    preferences: {
      ...defaultPreferences,
      minSeverity: severity ?? defaultPreferences.minSeverity,
      quietHours: quiet === undefined ? null : { from: quiet.from, to: quiet.to, timeZone: quiet.zone },
      digest:
        digest === undefined
          ? null
          : {
              every: digest.every,
              at: digest.at,
              weekday: digest.day,
              timeZone: digest.zone,
            },
      mention: mention ?? null,
      ...(style !== undefined && { style }),
      paused,
    },
  };
}

/** Reads a rule. Throws UserError if its condition cannot be read, or it needs markets and names none. */
export function ruleOfEntry(entry: z.output<typeof ruleEntry>, author: Author): Rule {
  const rule: Rule = {
    id: '',
    receiver: author.receiver,
    name: entry.name ?? null,
    condition: entry.when,
    clear: entry.clear ?? null,
    symbols: entry.symbols,
    hold: entry.for,
    mode: entry.once ? 'once' : 'always',
    expiresAt: entry.until ?? null,
    severity: entry.severity,
    paused: entry.paused,
    createdBy: makerOf(author),
    createdAt: author.at,
    ...(entry.position !== undefined && { position: entry.position }),
  };
  checkMarkets(rule);
  const compiled = compile(rule);
  checkDecides(compiled.condition);
  if (rule.clear !== null) checkDecides(compiled.clear(), 'clear');
  return rule;
}
