import type { Alert } from '../alert/alert.ts';
import type { Reason } from '../alert/reason.ts';
import type { Receiver, Subscription } from '../alert/subscription.ts';
import type { PricePrediction } from '../record/outcome-log.ts';

/** An id of a row: a number if that is exact, else a bigint, because databases may give ids beyond 2^53. */
export type RowId = number | bigint;

/** A stored alert, with the group (post) it belongs to, and with what keeps it from being announced. */
export interface KeptAlert {
  readonly alert: Alert;
  readonly group: string;
  /** Market ms before which its group is not sent. */
  readonly due: number;
  /** Fingerprint of the broader alert that holds it back; null if none does. */
  readonly heldBy: string | null;
}

/** What one detector's run reads and writes, in one transaction. */
export interface DispatchUnit {
  /** Returns the open episode of a fingerprint. */
  findOpen(fingerprint: string): Promise<KeptAlert | undefined>;
  /** Returns the firing alerts of these kinds; left out: of all kinds. */
  firing(kinds?: readonly string[]): Promise<KeptAlert[]>;
  /** Returns the alerts of these kinds that fire or have ended since `since` (market ms), the latest first. */
  firingOrEndedSince(kinds: readonly string[], since: number): Promise<KeptAlert[]>;
  /** Returns the firing alerts of a kind that are held back. */
  heldBack(kind: string): Promise<KeptAlert[]>;
  save(kept: KeptAlert): Promise<void>;
  /** Hands this revision to expansion, to be sent when it is due. */
  announce(kept: KeptAlert): Promise<void>;
  /** Notes that the price after this alert is to be recorded. */
  followPrice(alert: Alert, judged: PricePrediction): Promise<void>;
  /** Whether this state was stored at that time. It is asked when a commit got no answer. */
  isSaved(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<boolean>;
  saveState(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<void>;
}

/** What a subscription asks for, with the symbols of the watchlist in its place. */
export type Criteria = Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>;

/**
 * How far a dispatch has come. The subscriptions of all matchers before `matcher` have been handled, and those of `matcher`
 * up to `subscription`. A cursor begins with zeros, and ids are above zero. A `matcher` of −1 is behind all others: there
 * the subscriptions are handled that have moved to another matcher or receiver meanwhile.
 */
export interface Cursor {
  readonly matcher: RowId;
  readonly subscription: RowId;
  /**
   * Set if an alert that many want goes from receiver to receiver: the subscriptions of all receivers before this key have
   * been handled, and those of this receiver up to `subscription`; `matcher` is 0.
   */
  readonly receiver?: string;
}

/** One announced revision on its way to the receivers that want it. */
export interface Dispatch {
  readonly id: RowId;
  readonly alert: Alert;
  readonly group: string;
  readonly due: number;
  readonly cursor: Cursor;
  /** Whether it comes from a backup: a bot that went on after the backup may have sent it. */
  readonly doubtful: boolean;
}

/** A receiver of a dispatch, and the post in which it is sent. */
export interface Destination {
  readonly receiver: Receiver;
  readonly group: string;
  /** Market ms before which it is not sent. */
  readonly due: number;
}

/** A dispatch, and the receivers of a page of subscriptions that get it. */
export interface Routed {
  readonly dispatch: Dispatch;
  readonly destinations: readonly Destination[];
  /** Receivers whose subscriptions cannot be read or followed, which is noted in their delivery log. */
  readonly failed?: readonly { readonly receiver: Receiver; readonly reason: Reason }[];
  readonly blindnessChange?: KindSight;
}

/** A kind that has gone blind or has data again, and a page of receivers whose messages may be about it. */
export interface KindSight {
  readonly kind: string;
  readonly blind: boolean;
  readonly among: readonly Pick<Subscription, 'receiver'>[];
}

export interface Page {
  /** Without paused ones, and with the symbols of a watchlist in its place. */
  readonly subscriptions: readonly Subscription[];
  /** Receivers of subscriptions that cannot be read. */
  readonly unreadable: readonly Receiver[];
  /** Cursor behind the page; null when it is the last. */
  readonly next: Cursor | null;
}
