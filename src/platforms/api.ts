import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { type Receiver, weekdays } from '../alert/subscription.ts';
import type { Right } from '../shell/rights.ts';

/** The rights that a key of the HTTP API can have: to read what its place has, to ask questions, to change its settings. */
export const scopes = ['read', 'ask', 'manage'] as const satisfies readonly Right[];
export type Scope = (typeof scopes)[number];

/** Who sent a key. */
export interface KeyHolder {
  readonly id: string;
  readonly name: string;
  /** The place that it is of. */
  readonly receiver: Receiver;
  readonly scopes: ReadonlySet<string>;
}

export interface ApiKeys {
  /** Undefined: nobody's, or revoked. Each time it is somebody's counts as a use. */
  holder(text: string): Promise<KeyHolder | undefined>;
}

/** As the data service writes it: ISO 8601, UTC, milliseconds. Market time. */
const timestamp = z.iso.datetime({ precision: 3 });
const severity = z.enum(severities);
const matcher = { kinds: z.array(z.string()), symbols: z.array(z.string()) };
const localTime = z.string();

/**
 * What the HTTP API says of a place: of no place is the address among it, which may be a secret, nor is who made
 * something.
 */
export const apiRecords = {
  alert: z.object({
    id: z.string(),
    kind: z.string(),
    symbol: z.string().optional(),
    /** The worst it has reached. */
    severity,
    status: z.enum(['firing', 'updated', 'resolved']),
    revision: z.int(),
    title: z.string(),
    ending: z.string().optional(),
    startsAt: timestamp,
    updatedAt: timestamp,
    endsAt: timestamp.nullable(),
    /** Whether it was sent to anybody, and if not, why. */
    delivery: z.enum(['sent', 'waiting', 'held']),
    reason: z.string().optional(),
  }),
  subscription: z.object({
    id: z.string(),
    ...matcher,
    minSeverity: severity,
    quietHours: z.object({ from: localTime, to: localTime, timeZone: z.string() }).nullable(),
    digest: z
      .object({
        every: z.enum(['hour', 'day', 'week']),
        at: localTime,
        weekday: z.enum(weekdays).optional(),
        timeZone: z.string(),
      })
      .nullable(),
    mention: z.string().nullable(),
    paused: z.boolean(),
    createdAt: timestamp,
    /** The file that has it, where one does: it is changed there alone. */
    file: z.string().optional(),
  }),
  rule: z.object({
    id: z.string(),
    name: z.string().nullable(),
    condition: z.string(),
    clear: z.string().nullable(),
    symbols: z.array(z.string()),
    /** Seconds for which it must have been true. */
    hold: z.number(),
    mode: z.enum(['once', 'always']),
    expiresAt: timestamp.nullable(),
    severity,
    paused: z.boolean(),
    createdAt: timestamp,
    file: z.string().optional(),
  }),
  silence: z.object({
    id: z.string(),
    ...matcher,
    /** Of the operator: it mutes every place, and is not this one's to end. */
    everywhere: z.boolean(),
    startsAt: timestamp,
    endsAt: timestamp,
  }),
  delivery: z.object({
    id: z.string(),
    at: timestamp,
    alertId: z.string(),
    revision: z.int(),
    title: z.string(),
    outcome: z.enum(['sent', 'edited', 'suppressed', 'failed']),
    reason: z.string().optional(),
    code: z.string().optional(),
  }),
  score: z.object({
    kind: z.string(),
    /** Hours after the alert. */
    horizon: z.number(),
    /** `way`: its alerts say which way the price goes; `size`: only that it moves. */
    sense: z.enum(['way', 'size']),
    alerts: z.int(),
    days: z.int(),
    /** Absent where there is not enough to say anything. Past moves, never a forecast. */
    found: z
      .object({
        medianMove: z.number(),
        usualMove: z.number(),
        hits: z.number(),
        usualHits: z.number(),
      })
      .optional(),
    /** What that comes to, beside all other kinds and horizons. */
    finding: z.enum(['more', 'less', 'nothing', 'few']).optional(),
  }),
} as const;

type Records = typeof apiRecords;
export type ApiRecord<Name extends keyof Records> = z.output<Records[Name]>;

/** Where a page of deliveries went on. */
export interface DeliveryCursor {
  /** Market ms. */
  readonly at: number;
  readonly id: string;
}

/** What a place has, as the HTTP API says it. */
export interface ApiData {
  subscriptions(receiver: Receiver): Promise<ApiRecord<'subscription'>[]>;
  rules(receiver: Receiver): Promise<ApiRecord<'rule'>[]>;
  silences(receiver: Receiver): Promise<ApiRecord<'silence'>[]>;
  /** Newest first. */
  deliveries(
    receiver: Receiver,
    given: { readonly before: DeliveryCursor | undefined; readonly limit: number },
  ): Promise<ApiRecord<'delivery'>[]>;
  scores(of: {
    readonly kind?: string | undefined;
    readonly symbol?: string | undefined;
  }): Promise<ApiRecord<'score'>[]>;
}
