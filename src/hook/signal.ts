import { createHash } from 'node:crypto';
import { z } from 'zod';
import { severities } from '../alert/alert.ts';

/** Characters of each part of a signal; longer parts are cut. */
export const maxLengths = { name: 80, title: 120, text: 900, fact: 40, value: 160 } as const;
/** How many facts a signal may have. */
export const maxFacts = 8;
/** How many signals one body may have. */
export const maxSignals = 200;

/** One message of an outside sender, after it has been parsed and before it becomes an alert. */
export const signal = z.object({
  ended: z.boolean(),
  /**
   * What identifies the signal, so that its repetition or its end is recognised: `name`, `symbol`, `ticker`,
   * `fingerprint`.
   */
  identity: z.record(z.string(), z.string()),
  direction: z.enum(['up', 'down']).optional(),
  severity: z.enum(severities),
  /** Empty if the signal has no title of its own. */
  title: z.string(),
  text: z.string(),
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  /**
   * True if the sender repeats the signal while it lasts and sends its end: a repetition with the same words is then no
   * news.
   */
  kept: z.boolean(),
});
export type Signal = z.output<typeof signal>;

/** Returns a name as a label; a long name is replaced by its hash. */
export const labelOf = (name: string): string =>
  name.length <= maxLengths.name
    ? name
    : createHash('sha256').update(name.toWellFormed()).digest('hex').slice(0, 16);
