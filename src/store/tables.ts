import type { Generated } from 'kysely';
import type { LeaseTables } from '../database/leases.ts';
import type { RowId } from './dispatch.ts';

/** Columns holding JSON are text in both databases; times are market ms unless named wall. */
export interface Tables extends LeaseTables {
  detector: { name: string; state: string; updated_at: number };
  alert: {
    id: string;
    fingerprint: string;
    kind: string;
    group_key: string;
    /** The whole Alert, latest revision. */
    body: string;
    due: number;
    /** The receiver it is for alone; null: for whoever is subscribed. */
    only_for: string | null;
    /** Fingerprint of the broader alert that keeps this one from being announced. */
    held_by: string | null;
    updated_at: number;
    ends_at: number | null;
  };
  /** Announced and not yet handed to every receiver. */
  dispatch: {
    id: Generated<RowId>;
    alert_id: string;
    revision: number;
    group_key: string;
    /** The Alert as of this revision: who wants it is judged by what it was. */
    body: string;
    due: number;
    /** When it was announced. */
    at: Generated<number>;
    /** Handed on to the subscriptions of all matchers before this one, and of this one up to `cursor`; −1: to all of them. */
    matcher: Generated<RowId>;
    cursor: RowId;
    /** 1 goes before 0. */
    urgent: Generated<number>;
    /** 1 where it may have been handed on and sent: it comes from a backup. */
    doubtful: Generated<number>;
  };
  subscription: {
    seq: Generated<RowId>;
    id: string;
    receiver: string;
    notifier: string;
    address: string;
    /** As it was asked for: "watchlist" is what the place follows. */
    kinds: string;
    symbols: string;
    min_severity: string;
    /** Which of all it is, as it takes effect; null where it is paused. */
    matcher: RowId | null;
    quiet_hours: string | null;
    /** The guild or chat the receiver is a part of. */
    account: string | null;
    digest: string | null;
    mention: string | null;
    paused: Generated<number>;
    created_by: string;
    created_at: number;
    /** Name of the file that has it; null: it is the place's own. */
    file: string | null;
    /** 1 where it has come to another matcher while alerts were handed on: see expansion.ts. */
    moved: Generated<number>;
  };
  /** What subscriptions ask for as they take effect, each kept once, and only while one does. */
  matcher: {
    id: Generated<RowId>;
    /** Hash of what it asks for. */
    key: string;
    kinds: string;
    symbols: string;
    min_severity: string;
    /** By how many subscriptions. */
    wanted: number;
  };
  /** People's own conditions. */
  rule: {
    id: string;
    /** Rises over all rules with every change of any. */
    revision: number;
    receiver: string;
    notifier: string;
    address: string;
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
  };
  /** Of the bot's HTTP API. Times are wall ms. */
  api_key: {
    id: string;
    /** Of the key, which itself is nowhere. */
    digest: string;
    name: string;
    /** Separated by spaces. */
    scopes: string;
    /** The place that it is of. */
    receiver: string;
    notifier: string;
    address: string;
    created_wall: number;
    revoked_wall: number | null;
    /** Requests it has made, and when the last of them came. */
    requests: Generated<number>;
    used_wall: number | null;
  };
  /** Addresses at which others bring signals. */
  hook: {
    id: string;
    receiver: string;
    notifier: string;
    address: string;
    account: string;
    name: string;
    /** JSON of a HookLock. */
    secret: string;
    template: string;
    severity: string;
    lasts: number | null;
    created_by: string;
    created_at: number;
  };
  /** What they were brought: it waits until it is alerts, and is known for a while after. */
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
  /** Guilds and chats: a row that is written before a change, so that changes of one come one after another. */
  account: { key: string };
  watchlist: { receiver: string; symbols: string; file: string | null };
  /** What places and people have chosen of how they are told. `whose`: a receiver's key, or a person. */
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
  silence: {
    id: string;
    /** Null: everywhere. */
    receiver: string | null;
    notifier: string | null;
    address: string | null;
    kinds: string;
    symbols: string;
    starts_at: number;
    ends_at: number;
    created_by: string;
  };
  /** Accepted and not yet sent. */
  outbox: {
    id: Generated<RowId>;
    receiver: string;
    notifier: string;
    address: string;
    group_key: string;
    alert_id: string;
    revision: number;
    urgent: number;
    /** Market ms before which it is not told. */
    due: number;
    attempts: Generated<number>;
    /** Why it waits, JSON of a Reason. */
    reason: string | null;
    /** Reference of the post that a newer one of the group has replaced, and that is to point there; else null. */
    replaced: string | null;
    /** 1 where it may have been sent: it comes from a backup. */
    doubtful: Generated<number>;
  };
  /** Receivers for whom something waits, a row each: whoever delivers looks here for who is next. */
  queue: {
    receiver: string;
    notifier: string;
    /** Of the most urgent that waits: 2 cannot wait, 1 is news, 0 brings a message up to date. */
    urgency: number;
    /** Market ms at which its turn comes: the earliest of what waits is due, and nothing holds it up. */
    ready: number;
    /** Market ms before which nothing is sent there, whatever is due: its platform said so, or did not answer. */
    held: Generated<number>;
    /** Of the lease under which something is being sent there; null: nothing is. */
    token: RowId | null;
    /** JSON of the post that was begun there and has not ended: it may stand. */
    begun: string | null;
  };
  /** Receivers whose place is gone for now: forgotten at the end. */
  rest: {
    receiver: string;
    until_wall: number;
    /** 0: told nothing until they wake (a guild left); 1: not found, and tried now and then with what comes. */
    tried: Generated<number>;
  };
  /** The living message of a group at a receiver. */
  post: {
    receiver: string;
    group_key: string;
    reference: string;
    /** Alert id → revision shown, JSON. */
    shown: string;
    /** 1 where it says that something in it cannot be seen. */
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
    /** 1 where a post took of the place's attention. */
    interrupts: Generated<number>;
  };
  /** What was announced, each bound to all before it. */
  chain: { n: number; body: string; hash: string };
  /** What the price did after an alert. */
  outcome: {
    alert_id: string;
    /** Which market's it is: a simulated one says nothing of a live one. */
    market: string;
    kind: string;
    symbol: string;
    claim: string;
    fired_at: number;
    /** The next time at which its price is looked at; null when all are over. */
    due: number | null;
    price: number | null;
    after_1h: number | null;
    after_4h: number | null;
    after_24h: number | null;
    estimated: Generated<number>;
    /** 1 once someone was told. */
    posted: Generated<number>;
  };
  /** At full hours: how a symbol moves anyway. */
  hourly_price: { market: string; symbol: string; at: number; price: number };
  /** What a data service said of the present, deflated JSON: it does not tell it again. */
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
}

export { migrations } from './migrations.ts';
