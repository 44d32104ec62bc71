import type { Hook } from '../alert/hook.ts';
import type { Rule } from '../alert/rule.ts';
import type { Addresses, Receiver, Silence, Subscription } from '../alert/subscription.ts';
import type { HookLock } from '../hook/admit.ts';
import type { Inbox } from '../hook/inbox.ts';
import type { SeenBody } from '../hook/seen-body.ts';
import type { Preferences } from '../language/preferences.ts';
import type { Text } from '../language/text.ts';

/** Read access to what a place has. */
export interface PlaceReader {
  readonly subscriptions: {
    of(receiver: Receiver): Promise<Subscription[]>;
    /** How many the whole guild or chat has, without those that files define. */
    countOfAccount(receiver: Receiver): Promise<number>;
  };
  readonly silences: {
    /** The silences of the receiver that end after `now`. */
    of(receiver: Receiver, now: number): Promise<Silence[]>;
  };
  readonly rules: {
    /** Oldest first. */
    of(receiver: Receiver): Promise<Rule[]>;
    /** How many the whole guild or chat has, without those that files define. */
    countOfAccount(receiver: Receiver): Promise<number>;
  };
  readonly hooks: {
    /** Oldest first; without their secrets. */
    of(receiver: Receiver): Promise<Hook[]>;
    /** How many the whole guild or chat has. */
    countOfAccount(receiver: Receiver): Promise<number>;
    /** The last bodies that came to a hook, newest first. */
    recent(id: string): Promise<SeenBody[]>;
  };
  readonly watchlist: {
    /** The symbols a place follows, in its order. */
    of(receiver: Receiver): Promise<string[]>;
    /** The file that defines these symbols; undefined if they are the place's own. */
    fileOf(receiver: Receiver): Promise<string | undefined>;
  };
  readonly preferences: {
    /** Empty if nothing was chosen. */
    of(whose: Chooser): Promise<Preferences>;
  };
  readonly sending: {
    /** Since when and by whom all sending is paused; null if it is not. */
    paused(): Promise<Pause | null>;
  };
}

/** A place, or a person as identified by their platform: `telegram:1234`. */
export type Chooser = Receiver | string;

export interface Pause {
  readonly by: string;
  readonly at: number;
}

/**
 * Write access to what a place has. Ids are shown to people; the id of something that another receiver has counts as
 * unknown.
 */
export interface PlaceWriter {
  readonly subscriptions: {
    add(subscription: Omit<Subscription, 'id'>): Promise<Subscription>;
    /** Replaces what has this id; false if this receiver has nothing with this id. */
    update(subscription: Subscription): Promise<boolean>;
    remove(id: string, receiver: Receiver): Promise<boolean>;
  };
  readonly silences: {
    add(silence: Omit<Silence, 'id'>): Promise<Silence>;
    remove(id: string, receiver: Receiver): Promise<boolean>;
  };
  readonly rules: {
    add(rule: Omit<Rule, 'id'>): Promise<Rule>;
    /** Replaces what has this id; false if this receiver has nothing with this id. */
    update(rule: Rule): Promise<boolean>;
    remove(id: string, receiver: Receiver): Promise<boolean>;
  };
  readonly hooks: {
    add(hook: Omit<Hook, 'id'>, lock: HookLock): Promise<Hook>;
    remove(id: string, receiver: Receiver): Promise<boolean>;
    /** Accepts a message as if the hook had received it. */
    readonly accept: Inbox['accept'];
  };
  readonly watchlist: { set(receiver: Receiver, symbols: readonly string[]): Promise<void> };
  readonly preferences: { set(whose: Chooser, preferences: Preferences): Promise<void> };
  readonly sending: {
    pause(pause: Pause): Promise<void>;
    resume(): Promise<void>;
  };
}

/** Everything a change needs, within its transaction. */
export interface PlaceStore {
  readonly subscriptions: PlaceReader['subscriptions'] & PlaceWriter['subscriptions'];
  readonly silences: PlaceReader['silences'] & PlaceWriter['silences'];
  readonly rules: PlaceReader['rules'] & PlaceWriter['rules'];
  readonly hooks: PlaceReader['hooks'] & PlaceWriter['hooks'];
  readonly watchlist: PlaceReader['watchlist'] & PlaceWriter['watchlist'];
  readonly preferences: PlaceReader['preferences'] & PlaceWriter['preferences'];
  readonly sending: PlaceReader['sending'] & PlaceWriter['sending'];
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

/** A stretch of market time in which the bot was not running. */
export interface Downtime {
  readonly from: number;
  readonly to: number;
}
