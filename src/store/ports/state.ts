import type { Receiver } from '../../alert/subscription.ts';
import type { Guard } from '../../database/guard.ts';
import type { Lease } from '../../runtime/role.ts';

/** The stored states of detectors, and of other parts that store a state as detectors do. */
export interface DetectorStates {
  state(name: string): Promise<unknown>;
  /** Returns the state if it was stored at another time than `at` (market ms); undefined: it was not, or there is none. */
  since(
    name: string,
    at: number | undefined,
  ): Promise<{ readonly state: unknown; readonly at: number } | undefined>;
}

/** Requests sent to the data service, for its budget. */
export interface Requests {
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
}

/** Small values, stored by name. */
export interface Settings {
  get(name: string): Promise<string | undefined>;
  put(name: string, value: string): Promise<void>;
  /** Stores a value unless one is stored, and returns the stored one: whichever process comes first decides. */
  keep(name: string, value: string): Promise<string>;
}

/** What operators gave to connect platforms, sealed, by platform. */
export interface SealedConnections {
  all(): Promise<Readonly<Record<string, string>>>;
  /** Undefined: forgets it. */
  put(platform: string, sealed: string | undefined): Promise<void>;
}

/** A member who signed in on the page. Times are wall ms. */
export interface WebSession {
  /** Hash of what proved who it is. */
  readonly proof: string;
  readonly person: string;
  /** What the platform called the person then. */
  readonly name: string;
  /** When the browser got its present secret. */
  readonly renewedAt: number;
}

export interface SessionStore {
  /** Returns false if the proof has begun a session before. */
  begin(session: WebSession & { readonly digest: string; readonly until: number }): Promise<boolean>;
  /** Finds the session of a secret: of the one that was replaced too, for requests that were on their way. */
  find(digest: string, now: number): Promise<WebSession | undefined>;
  /** Whether a session that was found lasts. */
  lasts(proof: string, now: number): Promise<boolean>;
  /** Replaces the secret. Returns false if it is not the present one. */
  renew(digest: string, given: { readonly next: string; readonly at: number }): Promise<boolean>;
  end(proof: string, at: number): Promise<void>;
}

/** What a data service reported about the present, as JSON. Each market has its own readings; times are market ms. */
export interface ReadingStore {
  /** Adds readings. Readings that exist already stay as they are. */
  add(
    market: string,
    kept: { readonly feed: string; readonly at: number; readonly readings: unknown },
  ): Promise<void>;
  /** Returns the readings of one feed, from < at ≤ to, ascending, at most `limit`. */
  page(
    market: string,
    given: {
      readonly feed: string;
      readonly window: { readonly from: number; readonly to: number };
      readonly limit: number;
    },
  ): Promise<{ readonly at: number; readonly readings: unknown }[]>;
}

/** What is stored of a key of the bot's HTTP API. Times are wall ms. */
export interface BotKey {
  readonly id: string;
  readonly digest: string;
  /** What the key is for, in the words of the person who created it. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** The place that the key belongs to. The key gives access to what this place may see and do, and to nothing else. */
  readonly receiver: Receiver;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface UsedKey extends BotKey {
  readonly requests: number;
  /** Null: it was never used. */
  readonly usedAt: number | null;
}

export interface KeyStore {
  add(key: BotKey): Promise<void>;
  find(id: string): Promise<BotKey | undefined>;
  /** Oldest first, revoked ones included. */
  all(): Promise<UsedKey[]>;
  /** Returns false if there is no such key or it was revoked before. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Counts one more request. */
  countUse(id: string, at: number): Promise<void>;
}

/** The web console's conversation. Putting the same id again replaces the message. */
export interface Messages {
  /** @param given with the lease under which the message is put, if its role could be another process's by now */
  put(given: {
    readonly id: string;
    readonly room: string;
    readonly body: string;
    readonly lease?: Lease | undefined;
  }): Promise<void>;
  read(id: string, room: string): Promise<string | undefined>;
  /** Oldest first. */
  recent(room: string, limit: number): Promise<{ readonly id: string; readonly body: string }[]>;
}

export interface Guarded {
  /** Why nothing can be stored any more, if so. */
  readonly guard: Guard;
  /** Looks whether the database is still the one that was opened; `guard` knows the answer. */
  look(): Promise<void>;
}

/** Which market the database is bound to: what is stored bears its times. */
export interface MarketBinding {
  /**
   * Binds the database to a market. If it was bound to another one, or to another run of this one, all that is stored about
   * that market's alerts is deleted, all leases become void, and the other market is returned. What people have set is kept,
   * with the time that remains of it.
   * @throws ConfigError as `otherMarket`
   */
  bind(market: string, reported: ReportedMarket): Promise<string | undefined>;
  /**
   * Stores what is believed of the market. Stores nothing and returns false if the database is bound to another run of it.
   * @throws ConfigError if the database has been bound to another market since; a new start binds it or refuses
   */
  keepTime(market: string, reported: ReportedMarket): Promise<boolean>;
  /** Returns the market that the database is bound to, and the latest time that was reported of it. */
  bound(): Promise<Bound | undefined>;
}

/** What is believed of a market now. */
export interface ReportedMarket extends Pick<Bound, 'run' | 'wall' | 'speed'> {
  readonly now: number;
}

/**
 * The market that a database is bound to, and what was believed of it last: its time, market ms, at `wall`, the id of its run,
 * and market seconds per wall second.
 */
export interface Bound {
  readonly market: string;
  readonly time: number;
  readonly wall?: number;
  readonly run?: string | undefined;
  readonly speed?: number | undefined;
}

/** A moment by both clocks, ms. */
export interface Heartbeat {
  readonly market: number;
  readonly wall: number;
}

/** A stretch of market time in which the bot was not running. */
export interface Downtime {
  readonly from: number;
  readonly to: number;
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
