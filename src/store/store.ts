import type { Alert } from '../alert/alert.ts';
import type { ChainHead } from '../alert/chain.ts';
import type { Reason } from '../alert/reason.ts';
import type { AddressMatch, Receiver, Subscription } from '../alert/subscription.ts';
import type { HookLog, Inbox } from '../hook/inbox.ts';
import type { Text } from '../language/text.ts';
import type { OutcomeLog } from '../record/outcome-log.ts';
import type { RuleLog } from '../rules/live.ts';
import type { CountedLeases } from '../runtime/divided.ts';
import type { Lease } from '../runtime/role.ts';
import type { AlertLog } from './alert-log.ts';
import type { Criteria, Cursor, Dispatch, DispatchUnit, Page, Routed, RowId, Turned } from './dispatch.ts';
import type { FileStore } from './files.ts';
import type { KeyStore } from './keys.ts';
import type { Audit, Author, Downtime, PlaceReader, PlaceStore } from './place.ts';
import type { ReadingStore } from './reading.ts';
import type { Claim, Queued, Settlement } from './settlement.ts';

export type * from './dispatch.ts';
export type * from './place.ts';
export type * from './reading.ts';
export type * from './settlement.ts';

/** What became of one revision of one alert at one receiver. `at` is market ms. */
export interface Delivery {
  readonly at: number;
  readonly alertId: string;
  readonly revision: number;
  readonly receiver: Receiver;
  readonly title: Text;
  /** Its alert as it is now: where `recent` was asked, and that is still kept. */
  readonly alert?: Alert;
  readonly outcome: 'sent' | 'edited' | 'suppressed' | 'failed';
  /** Why it was held back or failed; for a sent one, a doubt such as "possibly doubled". */
  readonly reason: Reason | null;
}

/** One as it stands in the log: `id` is a whole number. */
export interface IdentifiedDelivery extends Delivery {
  readonly id: string;
}

/** What commands may read, and the one way in which they change something. */
export interface CommandStore extends PlaceReader {
  /**
   * All or nothing, one at a time for each account, so that limits hold. `record` says what was done; it is
   * kept in the audit log together with it. `work` must use what it is given and nothing else of the store.
   */
  change<Result>(
    author: Author,
    work: (places: PlaceStore, record: (what: Text) => void) => Promise<Result>,
  ): Promise<Result>;
  readonly audit: {
    /** Newest first. */
    of(receiver: Receiver, limit: number): Promise<Audit[]>;
  };
  /** Deletes all that is kept about a place, and says how many rows of what. */
  forgetPlace(receiver: Receiver): Promise<Readonly<Record<string, number>>>;
  /** Takes a person's name out of everything kept of the author's platform, and forgets what they have chosen. */
  forgetPerson(author: Pick<Author, 'receiver' | 'who' | 'person'>): Promise<number>;
  /** Those that are for whoever is subscribed: what is for one place alone is nobody else's to see. */
  readonly alerts: {
    /** @param kinds of these alone; left out: of all */
    firing(kinds?: readonly string[]): Promise<Alert[]>;
    /** Latest revisions, newest first. */
    recent(limit: number): Promise<Alert[]>;
    /**
     * Told to nobody because a broader alert stood for them, those that go on and those that have ended since then
     * (market ms), newest first; `by` is the broader one's title.
     */
    heldBack(since: number): Promise<{ readonly alert: Alert; readonly by: Text }[]>;
  };
  readonly deliveries: {
    /** Newest first. */
    recent(receiver: Receiver, limit: number): Promise<Delivery[]>;
    /** What was held back for good or failed since then, newest first. */
    missed(
      receiver: Receiver,
      given: { readonly since: number; readonly limit: number },
    ): Promise<Delivery[]>;
    /** What is on its way to the receiver or held back for a while, the soonest due first. */
    waiting(receiver: Receiver, limit: number): Promise<Waiting[]>;
  };
  /** Oldest first. */
  downtimes(): Promise<Downtime[]>;
}

/** Accepted and not yet sent. `due` is market ms. */
export interface Waiting {
  readonly alertId: string;
  readonly title: Text;
  readonly due: number;
  /** Why it was postponed or is tried again; null where it simply is not its turn yet. */
  readonly reason: Reason | null;
}

/** All the bot remembers. */
export interface Store extends Omit<CommandStore, keyof PlaceReader>, PlaceStore {
  readonly subscriptions: PlaceStore['subscriptions'] & {
    /** Named symbols and groups of all subscriptions, the most wanted first; watchlists spelled out. */
    symbols(): Promise<string[]>;
    count(): Promise<number>;
  };
  readonly rules: PlaceStore['rules'] & RuleLog;
  readonly hooks: PlaceStore['hooks'] & HookLog;
  readonly inbox: Inbox;
  readonly receivers: {
    /** Its subscriptions, rules, silences and whatever waits for it end. */
    end(receiver: Receiver, why: Why): Promise<void>;
    /** It lives on under another address, with everything it has. */
    move(from: Receiver, to: Receiver): Promise<void>;
    /** Receivers with subscriptions or rules. */
    find(of: AddressMatch): Promise<Receiver[]>;
    /** They are told nothing, and what they have is kept: for `restFor` from `wall` ms on, unless woken before. */
    rest(receivers: readonly Receiver[], why: Why & { readonly wall: number }): Promise<void>;
    /** Those that rest. */
    resting(of: AddressMatch): Promise<Receiver[]>;
    /** @param at market ms */
    wake(receivers: readonly Receiver[], at: number): Promise<void>;
  };
  readonly log: AlertLog;
  readonly keys: KeyStore;
  readonly files: FileStore;
  readonly detectors: {
    state(name: string): Promise<unknown>;
    /** What was kept at another moment than `at`, market ms; undefined: nothing. */
    since(
      name: string,
      at: number | undefined,
    ): Promise<{ readonly state: unknown; readonly at: number } | undefined>;
    /**
     * In place of all states whose names begin so, those that are made of them. Whoever has a role of such a name has lost
     * it: what it goes on to write is of before.
     * @param make undefined: they stay as they are
     */
    remake(
      prefix: string,
      make: (kept: ReadonlyMap<string, unknown>) => ReadonlyMap<string, unknown> | undefined,
    ): Promise<void>;
  };
  readonly leases: CountedLeases;
  /** The same, whose every transaction begins by seeing that the lease is held: where it is not, LostRole is thrown. */
  under(lease: Lease): RoleStore;
  dispatch<Result>(work: (unit: DispatchUnit) => Promise<Result>): Promise<Result>;
  readonly expansion: {
    /**
     * What is to be handed on next, the oldest; with all of its post that has come as far, so that
     * none of them is told without the others. Empty where nothing waits.
     * @param except those that rest
     */
    next(except?: readonly RowId[]): Promise<RowId[]>;
    /** In the order in which they were announced. Throws TypeError where the alert of one cannot be read. */
    read(dispatches: readonly RowId[]): Promise<Dispatch[]>;
    /** Subscriptions after the cursor, about `size` of them: of those that ask for something that `wants` takes. */
    page(
      cursor: Cursor,
      options: { readonly size: number; readonly wants: (criteria: Criteria) => boolean },
    ): Promise<Page>;
    /**
     * Those that have come to ask for something else are known until then, and are on the last pages, whatever the cursor
     * has passed. Does nothing while a dispatch is handed on to some and not to all.
     */
    forgetMoves(): Promise<void>;
    /** Nothing can be made of them: they go. */
    drop(dispatches: readonly RowId[]): Promise<void>;
    /** Whether a receiver is to be told anything at all: its place may be gone for now. */
    rests(receiver: Receiver): Promise<boolean>;
    /** All subscriptions, but for paused ones, of those of these receivers that have several. */
    ofThoseWithSeveral(receivers: readonly Receiver[]): Promise<Subscription[]>;
    /**
     * As `enqueue` for a kind that has gone blind or sees again, about alerts of one place alone: a part of them, after
     * that id. Returns the id to go on after; null where there are no more.
     */
    turnOwn(turned: Omit<Turned, 'among'> & { readonly after: string }, now: number): Promise<string | null>;
    /**
     * Puts the receivers of one page into the outbox and moves the cursor, together. Receivers already there stay once; in a
     * digest that still waits the revision takes the place of earlier ones of its alert. Where a kind has gone blind
     * or sees again, the living messages of the page's receivers about that kind go there too, to be edited.
     */
    enqueue(
      routed: readonly Routed[],
      options: { readonly next: Cursor | null; readonly now: number },
    ): Promise<void>;
  };
  readonly outbox: {
    /**
     * Whose turn it is among those that `fits` takes, who is asked in order: what cannot wait, then news, then corrections,
     * and of each whoever has waited longest. Nobody to whom something is being sent, nor while all sending is paused.
     */
    next(options: {
      readonly notifier: string;
      readonly now: number;
      readonly count: number;
      readonly fits: (queued: Queued) => boolean;
    }): Promise<Queued[]>;
    /** What is to be told to each of them, with all it is decided by; to some there may be nothing any more. */
    look(keys: readonly string[], now: number): Promise<Claim[]>;
    /**
     * Returns the claims that are another's by now, or whose receivers have nothing any more.
     * @param again it was tried before, and whether it was kept is not known: a commit may stay unanswered
     */
    settle(settlements: readonly Settlement[], again?: boolean): Promise<ReadonlySet<Claim>>;
    /** What others have left behind who delivered before is free. Returns how many posts were begun and may stand. */
    recover(notifier: string): Promise<{ readonly begun: number }>;
    /**
     * Messages that do not show yet that an alert of theirs is over, and to which nothing is under way, go out once
     * more: their subscription has ended, or their place was gone for a while. Returns how many.
     */
    endLagging(now: number): Promise<number>;
    /**
     * What waits for a notifier that is not among these since before `before` (market ms) has failed, which is in the
     * log. Returns how many rows.
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
    /** Newest first, from the one before which it is to go on. */
    page(
      receiver: Receiver,
      given: { readonly before: Pick<IdentifiedDelivery, 'at' | 'id'> | undefined; readonly limit: number },
    ): Promise<IdentifiedDelivery[]>;
  };
  readonly outcomes: OutcomeLog;
  readonly readings: ReadingStore;
  /** What was announced, bound together. */
  readonly chain: { head(): Promise<ChainHead> };
  /** Requests sent to the data service, for its budget. */
  readonly requests: {
    /** Other processes may write it, too. */
    readonly shared: boolean;
    load(key: string, since: number): Promise<number[]>;
    /** Forgets what lies after `until`. False: as many as `most` are there after `since`, and nothing is recorded. */
    take(
      key: string,
      request: { readonly at: number; readonly since: number; readonly until: number; readonly most: number },
    ): Promise<boolean>;
    /** Forgets one of that time. */
    giveBack(key: string, at: number): Promise<void>;
  };
  /** The web console's conversation. The same id again replaces the message. */
  readonly messages: {
    put(given: { readonly id: string; readonly room: string; readonly body: string }): Promise<void>;
    read(id: string, room: string): Promise<string | undefined>;
    /** Oldest first. */
    recent(room: string, limit: number): Promise<{ readonly id: string; readonly body: string }[]>;
  };
  readonly settings: {
    get(name: string): Promise<string | undefined>;
    put(name: string, value: string): Promise<void>;
  };
  /** Says that the bot runs. After a gap of more than `gap` wall ms a downtime is kept. */
  heartbeat(at: { readonly market: number; readonly wall: number }, gap: number): Promise<void>;
  /** Forgets what is past its horizon. */
  prune(horizons: Horizons): Promise<void>;
  /** Resolves where the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What is written by whoever has a role, and by nobody else. */
export type RoleStore = Pick<
  Store,
  'dispatch' | 'expansion' | 'outbox' | 'outcomes' | 'heartbeat' | 'prune' | 'files'
>;

/** Why a receiver is told nothing, for its audit. `at` is market ms. */
export interface Why {
  readonly at: number;
  readonly reason: Text;
}

/** Up to where what is over is forgotten. */
export interface Horizons {
  /** Market ms. */
  readonly now: number;
  /** Market ms: what ended before it. */
  readonly before: number;
  /** Market ms: requests to the data service, kept for the budget's window alone. */
  readonly requests: number;
  /** Market ms: what the price did after alerts before it, and anyway. */
  readonly record: number;
  /** Wall ms: whoever has rested until it. */
  readonly wall: number;
}
