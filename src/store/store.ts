import type { Alert } from '../alert/alert.ts';
import type { DeliveryOutcome, Reason } from '../alert/reason.ts';
import type { AddressMatch, Receiver, Subscription } from '../alert/subscription.ts';
import type { HookLog, Inbox } from '../hook/inbox.ts';
import type { Text } from '../language/text.ts';
import type { OutcomeLog } from '../record/outcome-log.ts';
import type { RuleLog } from '../rules/live.ts';
import type { CountedLeases } from '../runtime/divide-roles.ts';
import type { Lease } from '../runtime/role.ts';
import type { AlertLog } from './alert-log.ts';
import type { MarketBinding } from './bind-market.ts';
import type { ChainStore } from './chain.ts';
import type { Criteria, Cursor, Dispatch, DispatchUnit, KindSight, Page, Routed, RowId } from './dispatch.ts';
import type { FileStore } from './files.ts';
import type { Guarded } from './identity.ts';
import type { KeyStore } from './keys.ts';
import type { Messages } from './messages.ts';
import type { Audit, Author, Downtime, PlaceReader, PlaceStore } from './place.ts';
import type { ReadingStore } from './reading-store.ts';
import type { Claim, Queued, Settlement } from './settlement.ts';

export type * from './dispatch.ts';
export type * from './place.ts';
export type * from './reading-store.ts';
export type * from './settlement.ts';

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

/** The part of the store for commands: what they may read, and the few ways in which they may change something. */
export interface CommandStore extends PlaceReader {
  /**
   * Runs `work` in a transaction, one at a time for each account, so that limits hold. `record` says what was done; it is
   * stored in the audit log in the same transaction. `work` must use what it is given and nothing else of the store.
   */
  change<Result>(
    author: Author,
    work: (places: PlaceStore, record: (what: Text) => void) => Promise<Result>,
  ): Promise<Result>;
  readonly audit: {
    /** Newest first. */
    of(receiver: Receiver, limit: number): Promise<Audit[]>;
  };
  /** Deletes all that is stored about a place. Returns the number of deleted rows by table. */
  forgetPlace(receiver: Receiver): Promise<Readonly<Record<string, number>>>;
  /**
   * Removes a person's name from what is stored of the author's platform, and their preferences. Returns the rows changed.
   */
  forgetPerson(author: Pick<Author, 'receiver' | 'who' | 'person'>): Promise<number>;
  /** Alerts for all subscribers. Alerts for one place alone are left out: others must not see them. */
  readonly alerts: {
    /** @param kinds alerts of these kinds alone; left out: of all kinds */
    firing(kinds?: readonly string[]): Promise<Alert[]>;
    /** Latest revisions, newest first. */
    recent(limit: number): Promise<Alert[]>;
    /**
     * Alerts that nobody was told of because a broader alert held them back, newest first: those that fire, and those that
     * have ended since `since` (market ms). `by` is the broader alert's title.
     */
    heldBack(since: number): Promise<{ readonly alert: Alert; readonly by: Text }[]>;
  };
  readonly deliveries: {
    /** Newest first. */
    recent(receiver: Receiver, limit: number): Promise<Delivery[]>;
    /** What was suppressed or failed since `since` (market ms), newest first. */
    missed(
      receiver: Receiver,
      given: { readonly since: number; readonly limit: number },
    ): Promise<Delivery[]>;
    /** What is on its way to the receiver or postponed, the soonest due first. */
    waiting(receiver: Receiver, limit: number): Promise<Waiting[]>;
  };
  /** Oldest first. */
  downtimes(): Promise<Downtime[]>;
}

/** A revision that was accepted and not yet sent. `due` is market ms. */
export interface Waiting extends Pick<Alert, 'labels'> {
  readonly alertId: string;
  readonly title: Text;
  readonly due: number;
  /** Why it was postponed or is tried again; null if its turn has just not come yet. */
  readonly reason: Reason | null;
}

/** Everything that the bot stores. */
export interface Store extends Omit<CommandStore, keyof PlaceReader>, PlaceStore, MarketBinding, Guarded {
  readonly subscriptions: PlaceStore['subscriptions'] & {
    /** Symbols and groups that subscriptions name, the most wanted first, with a watchlist's symbols in its place. */
    symbols(): Promise<string[]>;
    count(): Promise<number>;
  };
  readonly rules: PlaceStore['rules'] & RuleLog;
  readonly hooks: PlaceStore['hooks'] & HookLog;
  readonly inbox: Inbox;
  readonly receivers: {
    /** Deletes the receiver's subscriptions, rules, silences and whatever waits for it. */
    end(receiver: Receiver, why: StopReason): Promise<void>;
    /** Moves everything that a receiver has to its new address. */
    move(from: Receiver, to: Receiver): Promise<void>;
    /** Receivers with subscriptions, rules or hooks. */
    find(of: AddressMatch): Promise<Receiver[]>;
    /**
     * Stops sending to these receivers, and keeps what they have, for `suspendedFor` from `wall` ms on or until they are woken.
     */
    suspend(receivers: readonly Receiver[], why: StopReason & { readonly wall: number }): Promise<void>;
    /** Receivers that are suspended, or that were not found lately. */
    suspended(of: AddressMatch): Promise<Receiver[]>;
    /** Ends the suspension of these receivers. `at` is market ms. */
    wake(receivers: readonly Receiver[], at: number): Promise<void>;
  };
  readonly log: AlertLog;
  readonly keys: KeyStore;
  readonly files: FileStore;
  readonly detectors: {
    state(name: string): Promise<unknown>;
    /** Returns the state if it was stored at another time than `at` (market ms); undefined: it was not, or there is none. */
    since(
      name: string,
      at: number | undefined,
    ): Promise<{ readonly state: unknown; readonly at: number } | undefined>;
    /**
     * Replaces all states whose names begin with `prefix` by those that `make` returns. The leases of such names become
     * void: a process that held one of these roles cannot write its old state any more.
     * @param make may be called twice; undefined: the states stay as they are
     */
    remake(
      prefix: string,
      make: (kept: ReadonlyMap<string, unknown>) => ReadonlyMap<string, unknown> | undefined,
    ): Promise<void>;
  };
  readonly leases: CountedLeases;
  /** Returns the store for a lease: each transaction first checks that the lease is held, and throws LostRole if not. */
  under(lease: Lease): RoleStore;
  dispatch<Result>(work: (unit: DispatchUnit) => Promise<Result>): Promise<Result>;
  readonly expansion: {
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
  };
  readonly outbox: {
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
  };
  readonly deliveries: CommandStore['deliveries'] & {
    latest(limit: number): Promise<Delivery[]>;
    /** Newest first, continuing after `before` if that is given. */
    page(
      receiver: Receiver,
      given: { readonly before: Pick<IdentifiedDelivery, 'at' | 'id'> | undefined; readonly limit: number },
    ): Promise<IdentifiedDelivery[]>;
  };
  readonly outcomes: OutcomeLog;
  readonly readings: ReadingStore;
  readonly chain: ChainStore;
  /** Requests sent to the data service, for its budget. */
  readonly requests: {
    /** Whether other processes may add requests, too. */
    readonly shared: boolean;
    load(key: string, since: number): Promise<number[]>;
    /** Adds a request, and deletes those after `until`. False: there are `most` after `since` already, and none is added. */
    take(
      key: string,
      request: { readonly at: number; readonly since: number; readonly until: number; readonly most: number },
    ): Promise<boolean>;
    /** Deletes one request of that time. */
    giveBack(key: string, at: number): Promise<void>;
  };
  readonly messages: Messages;
  readonly settings: {
    get(name: string): Promise<string | undefined>;
    put(name: string, value: string): Promise<void>;
  };
  /**
   * Stores that the bot runs, and a downtime if the last heartbeat was more than `gap` wall ms ago. If that one lies ahead, the
   * clock was wrong: what was written by it is based anew, and true is returned.
   * @param at `speed`: market seconds per wall second; left out: 1
   */
  heartbeat(at: { market: number; wall: number; speed?: number }, gap: number): Promise<boolean>;
  /** Deletes what is past its horizon. */
  prune(horizons: Horizons): Promise<void>;
  /** Resolves if the database responds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of the store that are written only by the holder of a role. */
export type RoleStore = Pick<
  Store,
  'dispatch' | 'expansion' | 'outbox' | 'outcomes' | 'heartbeat' | 'prune' | 'files' | 'chain'
>;

/** Why nothing is sent to a receiver, for its audit log. `at` is market ms. */
export interface StopReason {
  readonly at: number;
  readonly reason: Text;
}

/** The times before which stored data is deleted. */
export interface Horizons {
  /** Market ms. */
  readonly now: number;
  /** Market ms: for what has ended. */
  readonly before: number;
  /** Wall ms: for requests to a hosted data service, which are kept for the budget's window alone. */
  readonly requests: number;
  /** Market ms: for prices after alerts, and hourly prices. */
  readonly record: number;
  /** Wall ms: for receivers whose suspension has ended. */
  readonly wall: number;
}
