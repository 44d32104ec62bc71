import type { Alert } from '../../alert/alert.ts';
import type { DeliveryOutcome, Reason, ReasonCode } from '../../alert/reason.ts';
import type { Receiver, Silence, Subscription } from '../../alert/subscription.ts';
import type { Reader } from '../../language/say.ts';
import type { Text } from '../../language/text.ts';
import type { RowId } from './expansion.ts';

/** The current message of a group at a receiver. */
export interface Post {
  readonly reference: string;
  /** Alert id → revision shown. */
  readonly shown: Readonly<Record<string, number>>;
  /** Whether the message says that data is missing for an alert in it. */
  readonly unknown: boolean;
}

/** A post that was about to be sent, with what it was to show; at most one of a group. */
export interface BegunPost extends Omit<Post, 'reference'> {
  readonly group: string;
  /** The post is an update of a message that no longer exists; absent: it is news. */
  readonly isUpdate?: boolean;
}

/** A receiver whose turn it is. */
export interface Queued {
  readonly key: string;
  readonly receiver: Receiver;
  /** The urgency of what waits for the receiver: 2 is urgent, 1 is news, 0 brings a message up to date. */
  readonly urgency: number;
}

/** Everything due for one receiver and group. */
export interface Claim {
  readonly key: string;
  readonly receiver: Receiver;
  /** The language, time zone and so on that the place has chosen. */
  readonly reader: Reader;
  readonly group: string;
  readonly rows: readonly {
    readonly id: RowId;
    readonly alertId: string;
    readonly revision: number;
  }[];
  /** Every alert of the group that this receiver was or is to be told of, in its latest revision, sorted by start. */
  readonly alerts: readonly Alert[];
  /** Alerts that a stage has taken out of `alerts`, and why. */
  readonly leftOut?: readonly { readonly alert: Alert; readonly reason: Reason }[];
  /** Alerts of the group whose stored text cannot be read, so that nobody can be told of them. */
  readonly unreadable?: readonly string[];
  readonly post: Post | undefined;
  /**
   * Reference of an earlier message of the group. If it is set, the claim is only to edit that message, so that it points
   * to `post`.
   */
  readonly replaced: string | null;
  /** Without paused ones, and with the symbols of a watchlist in its place. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly urgent: boolean;
  readonly attempts: number;
  /** Posts that have interrupted the place in the last 24 h, market time. */
  readonly interruptions: number;
  /** How many posts may interrupt the place in 24 h, if it has chosen that; null: any number. */
  readonly budget?: number | null | undefined;
  /** Why the claim was postponed or is tried again; null if neither. Once it is `over_budget`, it stays so. */
  readonly waitedFor: ReasonCode | null;
  /** The post of this claim that was begun and may have arrived; null if there is none. */
  readonly postInDoubt: BegunPost | null;
  /** Posts of other groups at this receiver that were begun and may have arrived. */
  readonly otherPostsInDoubt?: readonly BegunPost[];
  /** Whether its rows come from several groups, whose alerts are over and share one post. */
  readonly folded?: boolean;
}

/** The outcome of a claim. Times: `until` is market ms; `wall` is wall ms. */
export type Settlement = {
  readonly claim: Claim;
  readonly at: number;
} /** From now on the message may be posted, as `post`; null: it is edited, which may be repeated. */ & (
  | {
      readonly kind: 'begun';
      readonly post: BegunPost | null;
      /** The claim was begun before: its edit is to become a post. Left out: it is begun for the first time. */
      readonly isHeld?: boolean;
    }
  /** The post that was begun has not arrived. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'sent' | 'edited';
      readonly reference: string;
      readonly shown: Readonly<Record<string, number>>;
      /** Whether the message says that data is missing for an alert in it. */
      readonly unknown?: boolean;
      readonly note: Reason | null;
      /** Whether the message counts against the place's budget for the next 24 h. */
      readonly interrupts?: boolean;
      /** Reference of the message that this one replaces, which is then edited to point here. */
      readonly replaced?: string;
    }
  /** The message that was replaced points to the newer one, or cannot be edited any more for that reason. */
  | { readonly kind: 'pointed'; readonly reason: Reason | null }
  | { readonly kind: 'suppressed' | 'failed'; readonly reason: Reason }
  | {
      readonly kind: 'postponed';
      readonly until: number;
      /** The group of the post in which it is sent then, if that is another group. */
      readonly group?: string | undefined;
      readonly reason: Reason;
    }
  | {
      readonly kind: 'retry';
      readonly until: number;
      readonly attempted: boolean;
      /** Whether the post may have arrived all the same. */
      readonly inDoubt: boolean;
      /** What waits until then: all that the receiver is to get, or only this message, while others are sent before it. */
      readonly holds: 'receiver' | 'message';
      readonly reason: Reason;
    }
  | { readonly kind: 'barred'; readonly wall: number; readonly reason: Reason }
  | { readonly kind: 'missing'; readonly wall: number; readonly until: number; readonly reason: Reason }
  | { readonly kind: 'gone'; readonly reason: Reason }
  | { readonly kind: 'moved'; readonly to: Receiver }
);

export type SettlementOf<Kind extends Settlement['kind']> = Extract<Settlement, { kind: Kind }>;

/** What waits to be sent. */
export interface Outbox {
  /**
   * Returns the receivers whose turn it is and that `fits` accepts. `fits` is asked in order: first about what cannot
   * wait, then about news, then about corrections, and within each about those that have waited longest. A receiver to
   * which something is being sent is left out. While sending is paused, none is returned.
   */
  next(options: {
    readonly notifier: string;
    readonly now: number;
    readonly count: number;
    readonly fits: (queued: Queued) => boolean;
  }): Promise<Queued[]>;
  /** Returns those of the receivers whose turn it is and to which nothing is being sent. */
  queued(keys: readonly string[], now: number): Promise<Queued[]>;
  /** Returns the claims of those of these receivers that have something due, and none while sending is paused. */
  look(keys: readonly string[], now: number): Promise<Claim[]>;
  /**
   * Stores outcomes. Returns the claims that belong to another process by now, or whose receivers have nothing any more.
   * @param again an earlier attempt may have been stored: its commit stayed unanswered
   */
  settle(settlements: readonly Settlement[], again?: boolean): Promise<ReadonlySet<Claim>>;
  /** Frees the receivers that earlier holders of the role took. Returns how many posts were begun and may have arrived. */
  recover(notifier: string): Promise<{ readonly begun: number }>;
  /** Enqueues edits of messages that do not show the end of an alert yet and for which nothing waits. Returns how many. */
  endLagging(now: number): Promise<number>;
  /**
   * Deletes what has waited since before `before` (market ms) for a notifier that is not among these, and logs it as
   * failed. Returns how many rows.
   */
  endUnserved(
    notifiers: readonly string[],
    given: { readonly before: number; readonly now: number },
  ): Promise<number>;
  /** Rows waiting, counted up to 10,000 (`more`: there are more), and the market time the oldest was due. */
  backlog(): Promise<{ readonly waiting: number; readonly more?: true; readonly oldest: number | null }>;
}

/** The outcome of one revision of one alert at one receiver. `at` is market ms. */
export interface Delivery {
  readonly at: number;
  readonly alertId: string;
  readonly revision: number;
  readonly receiver: Receiver;
  readonly title: Text;
  /** The alert's latest revision: given by `recent` alone, and only if it is still stored. */
  readonly alert?: Alert;
  readonly outcome: DeliveryOutcome;
  /** Why it was held back or failed; for a sent message, a doubt such as "possibly doubled". */
  readonly reason: Reason | null;
}

/** A delivery with its id in the log, a whole number. */
export interface IdentifiedDelivery extends Delivery {
  readonly id: string;
}

/** A revision that was accepted and not yet sent. `due` is market ms. */
export interface Waiting extends Pick<Alert, 'labels'> {
  readonly alertId: string;
  readonly title: Text;
  readonly due: number;
  /** Why it was postponed or is tried again; null if its turn has just not come yet. */
  readonly reason: Reason | null;
}

/** The deliveries to each place. */
export interface DeliveryLog {
  /** Newest first. */
  recent(receiver: Receiver, limit: number): Promise<Delivery[]>;
  /** What was suppressed or failed since `since` (market ms), newest first. */
  missed(receiver: Receiver, given: { readonly since: number; readonly limit: number }): Promise<Delivery[]>;
  /** What is on its way to the receiver or postponed, the soonest due first. */
  waiting(receiver: Receiver, limit: number): Promise<Waiting[]>;
}

/** How a place with subscriptions is served. */
export interface DeliveryPlace {
  readonly receiver: Receiver;
  /** Market ms of the last post; null: none lately. */
  readonly last: number | null;
  readonly sent: number;
  readonly failed: number;
}

/** The deliveries to all places. */
export interface AllDeliveries extends DeliveryLog {
  /** The places that have subscriptions, those that subscribed last first, with what was delivered there since a time. */
  places(given: { readonly since: number; readonly limit: number }): Promise<DeliveryPlace[]>;
  latest(limit: number): Promise<Delivery[]>;
  /** Newest first, continuing after `before` if that is given. */
  page(
    receiver: Receiver,
    given: { readonly before: Pick<IdentifiedDelivery, 'at' | 'id'> | undefined; readonly limit: number },
  ): Promise<IdentifiedDelivery[]>;
}
