import type { Alert } from '../../alert/alert.ts';
import type { Reason } from '../../alert/reason.ts';
import type { Receiver, Subscription } from '../../alert/subscription.ts';

/** An id of a row: a number if that is exact, else a bigint, because databases may give ids beyond 2^53. */
export type RowId = number | bigint;

/** What a subscription asks for, with the symbols of the watchlist in its place. */
export type Criteria = Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>;

/**
 * How far a dispatch has come. The subscriptions of all matchers before `matcher` have been handled, and of `matcher` those of
 * all receivers before `receiver`, and those of `receiver` up to `subscription`. A cursor begins with zeros and '', and ids are
 * above zero. A `matcher` of −1 is behind all others: there the subscriptions are handled that have moved to another matcher or
 * receiver meanwhile.
 */
export interface Cursor {
  readonly matcher: RowId;
  /** The receiver's key. */
  readonly receiver: string;
  readonly subscription: RowId;
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

/** Announced revisions on their way to the receivers that want them. */
export interface Expansion {
  /**
   * Returns what is to be handed on next, the most urgent and oldest first, with all of the same post that has come
   * equally far, so that none of them is told without the others. Empty if nothing waits.
   * @param except dispatches that wait to be tried again
   */
  next(except?: readonly RowId[]): Promise<RowId[]>;
  /** Reads these in the order in which they were announced. Throws TypeError if the alert of a dispatch cannot be read. */
  read(dispatches: readonly RowId[]): Promise<Dispatch[]>;
  /** Returns about `size` subscriptions behind the cursor, of those that ask for something that `wants` accepts. */
  page(
    cursor: Cursor,
    options: { readonly size: number; readonly wants: (criteria: Criteria) => boolean },
  ): Promise<Page>;
  /**
   * Unmarks the subscriptions that have moved to another matcher or receiver. Until then they are on the last pages of every
   * dispatch, whatever its cursor has passed. Does nothing while a dispatch has been handed on to some receivers and not
   * to all.
   */
  forgetMoves(): Promise<void>;
  /** Deletes dispatches that cannot be handed on. */
  drop(dispatches: readonly RowId[]): Promise<void>;
  /** Returns whether a receiver is suspended, so that nothing is sent to it: its place may be gone for now. */
  isSuspended(receiver: Receiver): Promise<boolean>;
  /** Returns all subscriptions, except paused ones, of those of these receivers that have several. */
  ofReceiversWithSeveral(receivers: readonly Receiver[]): Promise<Subscription[]>;
  /**
   * Does what `enqueue` does when a kind has gone blind or has data again, but for alerts of one place alone: for some of
   * them, with ids after `after`. Returns the id to continue after; null if there are no more.
   */
  enqueueOwnEdits(
    turned: Omit<KindSight, 'among'> & { readonly after: string },
    now: number,
  ): Promise<string | null>;
  /**
   * Puts the receivers of one page into the outbox and moves the cursor, in one transaction. A receiver that is there
   * already is not added again. In a digest that still waits, the revision replaces earlier ones of its alert. If a kind
   * has gone blind or has data again, the current messages of the page's receivers about that kind go there too, to be
   * edited.
   */
  enqueue(
    routed: readonly Routed[],
    options: { readonly next: Cursor | null; readonly now: number },
  ): Promise<void>;
}
