import type { Generated } from 'kysely';
import type { LeaseTables } from '../database/leases.ts';
import type { RowId } from './ports.ts';
import type { RecordTables } from './record/record-tables.ts';

/** What belongs to a place. */
interface Owned {
  receiver: string;
  notifier: string;
  address: string;
}

/** Columns holding JSON are text in both databases; times are market ms unless named wall. */
export interface Tables extends LeaseTables, RecordTables {
  detector: { name: string; state: string; updated_at: number };
  alert: {
    id: string;
    fingerprint: string;
    kind: string;
    group_key: string;
    /** The whole Alert as JSON, latest revision. */
    body: string;
    due: number;
    /** The only receiver that the alert is for; null: it is for all subscribers. */
    only_for: string | null;
    /** Fingerprint of the broader alert that keeps this one from being announced. */
    held_by: string | null;
    updated_at: number;
    ends_at: number | null;
  };
  /** Revisions that were announced and not yet handed on to every receiver. */
  dispatch: {
    id: Generated<RowId>;
    alert_id: string;
    revision: number;
    group_key: string;
    /** The Alert as of this revision, by which it is decided who wants it. */
    body: string;
    due: number;
    at: number;
    /** How far it has come: see Cursor. */
    matcher: Generated<RowId>;
    receiver: Generated<string>;
    cursor: Generated<RowId>;
    /** 1 goes before 0. */
    urgent: number;
    /** 1 if it comes from a backup: it may have been handed on and sent. */
    doubtful: Generated<number>;
  };
  subscription: Owned & {
    seq: Generated<RowId>;
    id: string;
    /** As it was entered: "watchlist" stands for the symbols that the place follows. */
    kinds: string;
    symbols: string;
    min_severity: string;
    /** The matcher of what it asks for, with the watchlist's symbols in its place; null if it is paused. */
    matcher: RowId | null;
    quiet_hours: string | null;
    /** The guild or chat the receiver is a part of. */
    account: string | null;
    digest: string | null;
    mention: string | null;
    /** JSON of a Style; null: the usual one. */
    style: string | null;
    paused: Generated<number>;
    created_by: string;
    created_at: number;
    /** Name of the file that defines it; null: it is the place's own. */
    file: string | null;
    /** 1 if it has moved to another matcher or receiver while alerts were handed on: see pages.ts. */
    moved: Generated<number>;
  };
  /**
   * What subscriptions ask for, with a watchlist's symbols in its place: each stored once, and only while a subscription
   * uses it.
   */
  matcher: {
    id: Generated<RowId>;
    /** Hash of what it asks for. */
    key: string;
    kinds: string;
    symbols: string;
    min_severity: string;
    /** Number of subscriptions that use it. */
    wanted: number;
  };
  /** People's own conditions. */
  rule: Owned & {
    id: string;
    /** The number of its last change. Numbers rise over all rules with every change of any rule. */
    revision: number;
    account: string;
    name: string | null;
    condition: string;
    clear: string | null;
    symbols: string;
    hold: number;
    mode: string;
    expires_at: number | null;
    severity: string;
    paused: number;
    created_by: string;
    created_at: number;
    file: string | null;
    /** JSON of the position that it is about. */
    position: string | null;
  };
  /** Keys of the bot's HTTP API. Times are wall ms. */
  api_key: Owned & {
    id: string;
    /** Hash of the key, which itself is not stored. */
    digest: string;
    name: string;
    /** Separated by spaces. */
    scopes: string;
    /** The place that the key belongs to. */
    created_wall: number;
    revoked_wall: number | null;
    /** Number of requests made with it, and when the last of them came. */
    requests: Generated<number>;
    used_wall: number | null;
  };
  /** Addresses to which others send signals. */
  hook: Owned & {
    id: string;
    account: string;
    name: string;
    /** JSON of a HookLock. */
    secret: string;
    template: string;
    severity: string;
    lasts: number | null;
    /** How long its calls run, ms; null: it makes none. */
    calls: number | null;
    created_by: string;
    created_at: number;
    /** JSON of the last bodies that came, newest first. */
    recent: string | null;
  };
  /** Messages that hooks received. A message waits until alerts have been made of it, and is known for a while after that. */
  hook_inbox: {
    hook: string;
    key: string;
    /** Wall ms. */
    at: number;
    market: number;
    /** JSON of signals. */
    body: string;
    done: number;
  };
  /** Questions whose answers places keep current, and what is known of the messages: see BoardPost. */
  living_board: Owned & {
    id: string;
    account: string;
    line: string;
    form: string;
    /** JSON; null: it is no brief. */
    daily: string | null;
    created_by: string;
    created_at: number;
    turn: Generated<number>;
    begun: Generated<number>;
    reference: string | null;
    shown: string | null;
    pinned: Generated<number>;
    /** Wall ms. */
    renewed_at: number | null;
    due: number | null;
    ended: Generated<number>;
  };
  /** Guilds and chats: a row is written before a change, so that changes of one account come one after another. */
  account: { key: string };
  watchlist: { receiver: string; symbols: string; file: string | null };
  /** What places and people have chosen of how messages are written. `whose`: a receiver's key, or a person. */
  preferences: { whose: string; chosen: string };
  audit: {
    id: Generated<RowId>;
    at: number;
    receiver: string;
    notifier: string;
    who: string;
    person: string | null;
    /** JSON of a Text. */
    what: string;
  };
  /** What people and hooks predicted of prices. */
  price_call: Owned & {
    id: string;
    symbol: string;
    side: 'long' | 'short';
    horizon: number;
    made_at: number;
    created_by: string;
    /** Of the person or the hook, as it was shown then. */
    name: string;
  };
  silence: Owned & {
    id: string;
    kinds: string;
    symbols: string;
    starts_at: number;
    ends_at: number;
    created_by: string;
  };
  /** Revisions that were accepted and not yet sent, a row for each receiver. */
  outbox: Owned & {
    id: Generated<RowId>;
    group_key: string;
    alert_id: string;
    revision: number;
    urgent: number;
    /** Market ms before which it is not sent. */
    due: number;
    attempts: Generated<number>;
    /** Why it waits, JSON of a Reason. */
    reason: string | null;
    /** Reference of a post that a newer one of the group has replaced, and that is to be edited to point there; else null. */
    replaced: string | null;
    /** 1 if it comes from a backup: it may have been sent. */
    doubtful: Generated<number>;
  };
  /** Receivers for which something waits, a row each: delivery finds here which receiver is next. */
  queue: {
    receiver: string;
    notifier: string;
    /** Urgency of the most urgent that waits: 2 cannot wait, 1 is news, 0 brings a message up to date. */
    urgency: number;
    /** Market ms at which its turn comes: the earliest of what waits is due, and the receiver is not held. */
    ready: number;
    /** Market ms before which nothing is sent there, whatever is due: its platform said so, or did not respond. */
    held: Generated<number>;
    /** Token of the lease under which something is being sent there; null: nothing is. */
    token: RowId | null;
    /** JSON of the posts that were begun there and whose outcome is not known: they may have arrived. */
    begun: string | null;
  };
  /** Receivers whose place is gone for now. If it does not come back until `until_wall`, everything they have is deleted. */
  rest: {
    receiver: string;
    until_wall: number;
    /**
     * 0: nothing is sent until they are woken (a guild was left, say); 1: not found, and tried now and then with what
     * comes.
     */
    tried: Generated<number>;
  };
  /** The current message of a group at a receiver. */
  post: {
    receiver: string;
    group_key: string;
    reference: string;
    /** Alert id → revision shown, JSON. */
    shown: string;
    /** 1 if it says that data is missing for an alert in it. */
    unknown: number;
    updated_at: number;
  };
  delivery: {
    id: Generated<RowId>;
    at: number;
    alert_id: string;
    revision: number;
    receiver: string;
    notifier: string;
    address: string;
    /** JSON of a Text. */
    title: string;
    outcome: string;
    /** JSON of a Reason. */
    reason: string | null;
    /** 1 if a post counts against the place's budget. */
    interrupts: Generated<number>;
  };
  /** What a data service reported about the present, as deflated JSON: it does not report it again. */
  reading: { market: string; feed: string; at: number; body: Uint8Array };
  request: { key: string; at: number };
  message: {
    seq: Generated<RowId>;
    room: string;
    id: string;
    body: string;
    /** When it was first put, by the database's clock, µs. */
    at: Generated<number>;
  };
  setting: { name: string; value: string };
  connection: { platform: string; sealed: string };
  /** Members who signed in on the page, by hashes of their proof and of their browser's secret, and of the one before it. */
  web_session: {
    proof: string;
    digest: string;
    previous: string | null;
    person: string;
    name: string;
    renewed_wall: number;
    until_wall: number;
  };
}
