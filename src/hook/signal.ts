import { createHash } from 'node:crypto';
import { z } from 'zod';
import { severities } from '../alert/alert.ts';

/** Characters of each part of a signal; what is longer is cut. */
export const longest = { name: 80, title: 120, text: 900, fact: 40, value: 160 } as const;
/** Besides what every signal has. */
export const mostFacts = 8;
/** Of one body. */
export const mostSignals = 200;

/** One thing that somebody outside says, once it has been read and before it is an alert. */
export const signal = z.object({
  ended: z.boolean(),
  /** By which a repetition or its end is known: `name`, `symbol`, `ticker`, `fingerprint`. */
  identity: z.record(z.string(), z.string()),
  direction: z.enum(['up', 'down']).optional(),
  severity: z.enum(severities),
  /** Empty: it has none of its own. */
  title: z.string(),
  text: z.string(),
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Its sender says again what goes on, and says when it is over: the same words again are no news. */
  kept: z.boolean(),
});
export type Signal = z.output<typeof signal>;

/** As a label: what is long is told apart by its hash. */
export const labelOf = (name: string): string =>
  name.length <= longest.name
    ? name
    : createHash('sha256').update(name.toWellFormed()).digest('hex').slice(0, 16);
