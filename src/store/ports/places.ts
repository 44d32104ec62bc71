import type { PriceCall } from '../../alert/call.ts';
import type { Hook } from '../../alert/hook.ts';
import type { BoardPost, LivingBoard } from '../../alert/living-board.ts';
import type { Rule } from '../../alert/rule.ts';
import type { Addresses, AddressMatch, Receiver, Silence, Subscription } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import type { HookLock } from '../../hook/admit.ts';
import type { Inbox } from '../../hook/inbox.ts';
import type { SeenBody } from '../../hook/seen-body.ts';
import type { Preferences } from '../../language/preferences.ts';
import type { Text } from '../../language/text.ts';

// What places have. Ids are shown to people; the id of something that another place has counts as unknown.

export interface SubscriptionStore {
  of(receiver: Receiver): Promise<Subscription[]>;
  /** How many the whole guild or chat has, without those that files define. */
  countOfAccount(receiver: Receiver): Promise<number>;
  add(subscription: Omit<Subscription, 'id'>): Promise<Subscription>;
  /** Replaces what has this id; false if this receiver has nothing with this id. */
  update(subscription: Subscription): Promise<boolean>;
  remove(id: string, receiver: Receiver): Promise<boolean>;
}

export interface SubscriptionTotals {
  /** Symbols and groups that subscriptions name, the most wanted first, with a watchlist's symbols in its place. */
  symbols(): Promise<string[]>;
  count(): Promise<number>;
}

export interface SilenceStore {
  /** The silences of the receiver that end after `now`. */
  of(receiver: Receiver, now: number): Promise<Silence[]>;
  add(silence: Omit<Silence, 'id'>): Promise<Silence>;
  remove(id: string, receiver: Receiver): Promise<boolean>;
}

export interface RuleStore {
  /** Oldest first. */
  of(receiver: Receiver): Promise<Rule[]>;
  /** How many the whole guild or chat has, without those that files define. */
  countOfAccount(receiver: Receiver): Promise<number>;
  add(rule: Omit<Rule, 'id'>): Promise<Rule>;
  /** Replaces what has this id; false if this receiver has nothing with this id. */
  update(rule: Rule): Promise<boolean>;
  remove(id: string, receiver: Receiver): Promise<boolean>;
}

export interface HookStore {
  /** Oldest first; without their secrets. */
  of(receiver: Receiver): Promise<Hook[]>;
  /** How many the whole guild or chat has. */
  countOfAccount(receiver: Receiver): Promise<number>;
  /** The last bodies that came to a hook, newest first. */
  recent(id: string): Promise<SeenBody[]>;
  add(hook: Omit<Hook, 'id'>, lock: HookLock): Promise<Hook>;
  /** Replaces what has this id, but not its secret; false if this receiver has nothing with this id. */
  update(hook: Hook): Promise<boolean>;
  remove(id: string, receiver: Receiver): Promise<boolean>;
  /** Accepts a message as if the hook had received it. */
  readonly accept: Inbox['accept'];
}

export interface BoardStore {
  /** Oldest first, without those that have ended. */
  of(receiver: Receiver): Promise<LivingBoard[]>;
  /** How many the whole guild or chat has. */
  countOfAccount(receiver: Receiver): Promise<number>;
  add(board: Omit<LivingBoard, 'id'>): Promise<LivingBoard>;
  /** Marks the board as ended; whoever delivers brings its message to an end. */
  end(id: string, receiver: Receiver): Promise<boolean>;
}

export interface CallStore {
  /** Those made at or after `since` (market ms; left out: all), oldest first. */
  of(receiver: Receiver, since?: number): Promise<PriceCall[]>;
  add(call: Omit<PriceCall, 'id'>): Promise<PriceCall>;
}

/** A board and what is known of its message. */
export interface KeptBoard {
  readonly board: LivingBoard;
  readonly post: BoardPost;
}

/** The boards of a platform, for the one process that delivers there. */
export interface BoardLog {
  /** None while sending is paused; without those of places that are gone for now. */
  all(notifier: string): Promise<KeptBoard[]>;
  /** Stores what is known of the message; false if the board is no longer there. It does not change whether it has ended. */
  keep(id: string, post: BoardPost): Promise<boolean>;
  remove(id: string): Promise<void>;
}

export interface WatchlistStore {
  /** The symbols a place follows, in its order. */
  of(receiver: Receiver): Promise<string[]>;
  /** The file that defines these symbols; undefined if they are the place's own. */
  fileOf(receiver: Receiver): Promise<string | undefined>;
  set(receiver: Receiver, symbols: readonly string[]): Promise<void>;
}

/** A place, or a person as identified by their platform: `telegram:1234`. */
export type Chooser = Receiver | string;

export interface PreferencesStore {
  /** Empty if nothing was chosen. */
  of(whose: Chooser): Promise<Preferences>;
  set(whose: Chooser, preferences: Preferences): Promise<void>;
}

export interface Pause {
  readonly by: string;
  readonly at: number;
}

export interface PauseStore {
  /** Since when and by whom all sending is paused; null if it is not. */
  paused(): Promise<Pause | null>;
  pause(pause: Pause): Promise<void>;
  resume(): Promise<void>;
}

/** Everything a change needs, within its transaction. */
export interface PlaceStore {
  readonly subscriptions: SubscriptionStore;
  readonly silences: SilenceStore;
  readonly rules: RuleStore;
  readonly hooks: HookStore;
  readonly watchlist: WatchlistStore;
  readonly boards: BoardStore;
  readonly calls: CallStore;
  readonly preferences: PreferencesStore;
  readonly sending: PauseStore;
}

/** Read access to what a place has. */
export interface PlaceReader {
  readonly subscriptions: Pick<SubscriptionStore, 'of' | 'countOfAccount'>;
  readonly silences: Pick<SilenceStore, 'of'>;
  readonly rules: Pick<RuleStore, 'of' | 'countOfAccount'>;
  readonly hooks: Pick<HookStore, 'of' | 'countOfAccount' | 'recent'>;
  readonly watchlist: Pick<WatchlistStore, 'of' | 'fileOf'>;
  readonly boards: Pick<BoardStore, 'of' | 'countOfAccount'>;
  readonly calls: Pick<CallStore, 'of'>;
  readonly preferences: Pick<PreferencesStore, 'of'>;
  readonly sending: Pick<PauseStore, 'paused'>;
}

/** A line of the audit log: who changed what, and when. */
export interface Audit {
  readonly at: number;
  readonly who: string;
  readonly what: Text;
}

/** Creates the ids of what places own, and tells which account a receiver belongs to. */
export interface PlaceIds extends Pick<Addresses, 'accountOf'> {
  newId(): string;
}

/** Who makes a change, and where. */
export interface Author {
  readonly receiver: Receiver;
  /** The person's name, as it is shown. */
  readonly who: string;
  /** The person's identity, if the platform proves it; else null. */
  readonly person: string | null;
  /** Market ms. */
  readonly at: number;
}

/** What people change, and what is forgotten when they ask for it. */
export interface Changes {
  /**
   * Runs `work` in a transaction, one at a time for each account, so that limits hold. `audit` says what was done; it is
   * stored in the audit log in the same transaction. `work` must use what it is given and nothing else of the store.
   */
  change<Result>(
    author: Author,
    work: (places: PlaceStore, audit: (what: Text) => void) => Promise<Result>,
  ): Promise<Result>;
  readonly audit: {
    /** Newest first. */
    of(receiver: Receiver, limit: number): Promise<Audit[]>;
  };
  /** Deletes all that is stored about a place. Returns the number of deleted rows by table. */
  forgetPlace(receiver: Receiver): Promise<Readonly<Record<string, number>>>;
  /**
   * Removes a person's name from what is stored of the author's platform, and their preferences and calls. Returns the rows changed.
   */
  forgetPerson(author: Pick<Author, 'receiver' | 'who' | 'person'>): Promise<number>;
}

/** Receivers as their platforms find them: gone, moved, or out of reach for now. */
export interface ReceiverStore {
  /** Deletes the receiver's subscriptions, rules, silences and whatever waits for it. */
  end(receiver: Receiver, why: StopReason): Promise<void>;
  /** Moves everything that a receiver has to its new address. */
  move(from: Receiver, to: Receiver): Promise<void>;
  /** Receivers with subscriptions, rules or hooks. */
  find(of: AddressMatch): Promise<Receiver[]>;
  /** Whether the receiver has subscriptions, rules, hooks or boards, or had some lately. */
  has(receiver: Receiver): Promise<boolean>;
  /** Returns some receivers of a notifier: those where the person changed something last, then those that subscribed last. */
  likely(notifier: string, person: string): Promise<readonly Receiver[]>;
  /**
   * Stops sending to these receivers, and keeps what they have, for `suspendedFor` from `wall` ms on or until they are woken.
   */
  suspend(receivers: readonly Receiver[], why: StopReason & { readonly wall: number }): Promise<void>;
  /** Receivers that are suspended, or that were not found lately. */
  suspended(of: AddressMatch): Promise<Receiver[]>;
  /** Ends the suspension of these receivers. `at` is market ms. */
  wake(receivers: readonly Receiver[], at: number): Promise<void>;
}

/** Why nothing is sent to a receiver, for its audit log. `at` is market ms. */
export interface StopReason {
  readonly at: number;
  readonly reason: Text;
}

/** What is stored of the kinds of things that files may contain, oldest first. */
export interface Held {
  readonly subscriptions: readonly Subscription[];
  readonly rules: readonly Rule[];
  /** In no particular order. */
  readonly watchlists: readonly Watchlist[];
}

/** Changes of things, which are known by their ids (added things already have one), or, for a watchlist, by its place. */
interface Changed<Thing> {
  readonly added: readonly Thing[];
  readonly changed: readonly Thing[];
  readonly removed: readonly Thing[];
}

export interface FileChanges {
  readonly subscriptions: Changed<Subscription>;
  readonly rules: Changed<Rule>;
  readonly watchlists: Changed<Watchlist>;
  /** Lines for the audit log of each place. */
  readonly records: readonly (Pick<Author, 'receiver' | 'who'> & { readonly what: Text })[];
}

/**
 * What files define, as it is stored for places. Queries on SQLite end within the same turn of the event loop, and those
 * for a thousand entries take most of a tenth of a second. The work yields in between to other work that needs no database.
 */
export interface FileStore {
  /** Everything that files define, and everything else that these places have. */
  held(receivers: readonly Receiver[]): Promise<Held>;
  /**
   * Applies what `decide` makes of the stored things, in one transaction, and one at a time over all processes. `decide`
   * may be called again if nothing of the first attempt was stored.
   * @param at market ms
   */
  change<Decided extends FileChanges>(
    given: { readonly receivers: readonly Receiver[]; readonly at: number },
    decide: (held: Held, newId: () => string) => Decided,
  ): Promise<Decided>;
  /** Makes everything that files define the places’ own. Returns how many things that is. */
  release(): Promise<number>;
}
