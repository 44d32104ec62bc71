import type { Alert } from '../alert/alert.ts';
import type { Reason } from '../alert/reason.ts';
import type { Receiver, Subscription } from '../alert/subscription.ts';
import type { Judged } from '../record/outcome-log.ts';

/** A number where that has all its digits; databases may give ids beyond 2^53. */
export type RowId = number | bigint;

/** An alert as kept: with the post it belongs to, and what keeps it from being announced. */
export interface KeptAlert {
  readonly alert: Alert;
  readonly group: string;
  /** Market ms before which its group is not told. */
  readonly due: number;
  /** Fingerprint of the broader alert that holds it back. */
  readonly heldBy: string | null;
}

/** Writes of one detector's run: all or none. */
export interface DispatchUnit {
  /** The open episode of a fingerprint. */
  open(fingerprint: string): Promise<KeptAlert | undefined>;
  /** Of these kinds alone; left out: of all. */
  firing(kinds?: readonly string[]): Promise<KeptAlert[]>;
  /** Of these kinds, those that fire and those that have ended since then, market ms; the latest first. */
  lately(kinds: readonly string[], since: number): Promise<KeptAlert[]>;
  save(kept: KeptAlert): Promise<void>;
  /** Hands this revision to expansion, to be told when it is due. */
  announce(kept: KeptAlert): Promise<void>;
  /** Notes that the price after this alert is to be recorded. */
  follow(alert: Alert, judged: Judged): Promise<void>;
  /** Whether this state was stored at that time, for when a commit got no answer. */
  isSaved(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<boolean>;
  saveState(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<void>;
}

/** What a subscription asks for, as it takes effect: watchlists spelled out. */
export type Criteria = Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>;

/**
 * How far a dispatch has come: the subscriptions of all matchers before this one have been asked, and of this one up to
 * `subscription`. Ids are above zero, where it begins. A matcher of −1 is behind all others: there those are asked that
 * have changed meanwhile.
 */
export interface Cursor {
  readonly matcher: RowId;
  readonly subscription: RowId;
}

/** One announced revision on its way to those who want it. */
export interface Dispatch {
  readonly id: RowId;
  readonly alert: Alert;
  readonly group: string;
  readonly due: number;
  readonly cursor: Cursor;
  /** It was in a backup: the bot that went on may have sent it since. */
  readonly doubtful: boolean;
}

/** A receiver of a dispatch, and the post in which it is sent. */
export interface Destination {
  readonly receiver: Receiver;
  readonly group: string;
  /** Market ms before which it is not told. */
  readonly due: number;
}

/** A dispatch, and those of a page of subscriptions that get it. */
export interface Routed {
  readonly dispatch: Dispatch;
  readonly destinations: readonly Destination[];
  /** Receivers whose wishes cannot be read, which is noted in their delivery log. */
  readonly failed?: readonly { readonly receiver: Receiver; readonly reason: Reason }[];
  readonly turned?: Turned;
}

/** A kind that has lost its data or has it again, and a page of those whose messages may be about it. */
export interface Turned {
  readonly kind: string;
  readonly blind: boolean;
  readonly among: readonly Pick<Subscription, 'receiver'>[];
}

export interface Page {
  /** Without those that are paused; watchlists spelled out. */
  readonly subscriptions: readonly Subscription[];
  /** Receivers of those that cannot be read. */
  readonly unreadable: readonly Receiver[];
  /** Cursor behind the page; null when it is the last. */
  readonly next: Cursor | null;
}
