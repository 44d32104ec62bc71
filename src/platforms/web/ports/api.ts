import { z } from 'zod';
import { severities } from '../../../alert/alert.ts';
import { deliveryOutcomes } from '../../../alert/reason.ts';
import { type Receiver, weekdays } from '../../../alert/subscription.ts';
import type { Caller } from '../../../shell/command.ts';
import type { Right } from '../../../shell/rights.ts';

/** The rights that a key of the HTTP API can have: to read its place's data, to ask questions, to change its settings. */
export const scopes = ['read', 'ask', 'manage'] as const satisfies readonly Right[];
export type Scope = (typeof scopes)[number];

/** The owner of an API key that a request carries. */
interface KeyHolder {
  readonly id: string;
  readonly name: string;
  /** The place that the key belongs to. */
  readonly receiver: Receiver;
  readonly scopes: ReadonlySet<string>;
}

export interface ApiKeys {
  /** Returns the holder of a key, and records that the key was used. Returns undefined if the key is unknown or revoked. */
  findHolder(text: string): Promise<KeyHolder | undefined>;
}

/** Market time in the data service's format: ISO 8601, UTC, with milliseconds. */
const timestamp = z.iso.datetime({ precision: 3 });
const severity = z.enum(severities);
const matcher = { kinds: z.array(z.string()), symbols: z.array(z.string()) };
const localTime = z.string();

/**
 * The items that the HTTP API returns about a place. They never contain the address of a place, which may be a secret, nor
 * the name of the person who created a record.
 */
export const apiItems = {
  alert: z.object({
    id: z.string(),
    kind: z.string(),
    symbol: z.string().optional(),
    /** The highest severity that the alert has reached. */
    severity,
    status: z.enum(['firing', 'updated', 'resolved']),
    revision: z.int(),
    title: z.string(),
    ending: z.string().optional(),
    startsAt: timestamp,
    updatedAt: timestamp,
    endsAt: timestamp.nullable(),
    /** Whether the alert was sent to any place; `held`: it was not, and `reason` says why, but not why at other places. */
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
    /** The configuration file that defines the subscription, if one does; only that file can change it. */
    file: z.string().optional(),
  }),
  rule: z.object({
    id: z.string(),
    name: z.string().nullable(),
    condition: z.string(),
    clear: z.string().nullable(),
    symbols: z.array(z.string()),
    /** Seconds for which the condition must hold before the rule fires. */
    hold: z.number(),
    mode: z.enum(['once', 'always']),
    expiresAt: timestamp.nullable(),
    severity,
    paused: z.boolean(),
    createdAt: timestamp,
    file: z.string().optional(),
    /** What is held, if the rule is about the liquidation of a position. */
    position: z
      .object({
        side: z.enum(['long', 'short']),
        entry: z.number(),
        leverage: z.number(),
        size: z.number().optional(),
      })
      .optional(),
  }),
  silence: z.object({
    id: z.string(),
    ...matcher,
    startsAt: timestamp,
    endsAt: timestamp,
  }),
  delivery: z.object({
    id: z.string(),
    at: timestamp,
    alertId: z.string(),
    revision: z.int(),
    title: z.string(),
    outcome: z.enum(deliveryOutcomes),
    reason: z.string().optional(),
    code: z.string().optional(),
  }),
  score: z.object({
    kind: z.string(),
    /** Hours after the alert. */
    horizon: z.number(),
    /** `way`: the kind's alerts say in which direction the price moves; `size`: they only say that it moves. */
    sense: z.enum(['way', 'size']),
    alerts: z.int(),
    days: z.int(),
    /** The statistics of past moves, never a forecast. Absent if there are too few alerts. */
    found: z
      .object({
        medianMove: z.number(),
        usualMove: z.number(),
        hits: z.number(),
        usualHits: z.number(),
      })
      .optional(),
    /** The conclusion from `found`, judged together with all other kinds and horizons. */
    finding: z.enum(['more', 'less', 'nothing', 'few']).optional(),
  }),
} as const;

type Records = typeof apiItems;
export type ApiItem<Name extends keyof Records> = z.output<Records[Name]>;

/** The last delivery of a page: the next page begins after it. */
interface DeliveryCursor {
  /** Market ms. */
  readonly at: number;
  readonly id: string;
}

/** The changes that the HTTP API offers; `pauseRule` and `resumeRule` beside creating, editing and ending. */
export type ApiChangeName =
  | 'createSubscription'
  | 'editSubscription'
  | 'endSubscription'
  | 'createRule'
  | 'editRule'
  | 'pauseRule'
  | 'resumeRule'
  | 'endRule'
  | 'createSilence'
  | 'endSilence';

/** A change that is stored. */
interface ApiChanged {
  readonly title: string;
  readonly summary?: string;
  /** The things that are new or have changed. */
  readonly data: readonly object[];
}

/** What a place has, as records of the HTTP API. */
export interface ApiData {
  subscriptions(receiver: Receiver): Promise<ApiItem<'subscription'>[]>;
  rules(receiver: Receiver): Promise<ApiItem<'rule'>[]>;
  silences(receiver: Receiver): Promise<ApiItem<'silence'>[]>;
  /** Returns a page of deliveries, newest first. */
  deliveries(
    receiver: Receiver,
    given: { readonly before: DeliveryCursor | undefined; readonly limit: number },
  ): Promise<ApiItem<'delivery'>[]>;
  scores(of: {
    readonly kind?: string | undefined;
    readonly symbol?: string | undefined;
  }): Promise<ApiItem<'score'>[]>;
  /**
   * Changes what the caller's place has.
   * @param given the id of what is changed, and what is given of it, as people would type it
   * @throws UserError
   */
  change(
    name: ApiChangeName,
    caller: Caller,
    given: { readonly id: string; readonly input: Readonly<Record<string, unknown>> },
  ): Promise<ApiChanged>;
}
