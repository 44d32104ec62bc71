import { createHash } from 'node:crypto';
import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { positionChanges } from './action.ts';

/** The direction of the price that a signal announces. */
export type SignalDirection = 'up' | 'down';

/** Characters of each part of a signal; longer parts are cut. */
export const maxLengths = { name: 80, title: 120, text: 900, fact: 40, value: 160 } as const;
export const maxFacts = 8;
/** How many signals of one body become alerts. */
export const maxSignals = 500;

/** Why a message was not taken. */
export const refusals = ['unreadable', 'too-large', 'busy', 'full'] as const;
export type Refusal = (typeof refusals)[number];

/** What a chat is told of its hook: a message was refused, or its alerts are too many. */
const notices = [...refusals, 'crowded'] as const;
export type HookNotice = (typeof notices)[number];

/** One message of an outside sender, after it has been parsed and before it becomes an alert. */
const signal = z.object({
  ended: z.boolean(),
  /**
   * What identifies the signal, so that its repetition or its end is recognised: `name`, `symbol`, `ticker`, `instance`,
   * `fingerprint`. An action that is not understood is part of it (`action`), so that it is no repetition of another.
   */
  identity: z.record(z.string(), z.string()),
  /** With `ended` or `change`, the direction of the alert that is meant; absent: of whichever is open. */
  direction: z.enum(['up', 'down']).optional(),
  /** The position goes on and has changed: the signal begins nothing. */
  change: z.enum(positionChanges).optional(),
  isCancelled: z.literal(true).optional(),
  /** When the sender says that it began, wall ms: it tells a late copy from a new occurrence. */
  since: z.number().optional(),
  /** How much of the body could not be shown: cut by the sender or by its limit here, or not readable. */
  more: z.object({ cut: z.number(), unread: z.number() }).optional(),
  notice: z.enum(notices).optional(),
  severity: z.enum(severities),
  /** Empty if the signal has no title of its own. */
  title: z.string(),
  text: z.string(),
  /** A value that the sender has no number for is empty. */
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  /**
   * True if the sender repeats the signal while it lasts and sends its end: a repetition with the same words is then no
   * news.
   */
  kept: z.boolean(),
  /** The sender will say when it is over: a position, or what has a status. */
  endSaidFor: z.enum(['position', 'status']).optional(),
});
export type Signal = z.output<typeof signal>;

/** Returns a name as a label; a long name is replaced by its hash. */
export const labelOf = (name: string): string =>
  name.length <= maxLengths.name
    ? name
    : createHash('sha256').update(name.toWellFormed()).digest('hex').slice(0, 16);
