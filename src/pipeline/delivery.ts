import type { Logger } from 'pino';
import type { Alert, Fact } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { type Receiver, receiverKey } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import type { Text } from '../language/text.ts';
import type { Lane, Pace } from '../pace/pace.ts';
import type { Connection, Notification } from '../platforms/notifier.ts';
import type { Platform, PlatformLimits } from '../platforms/platform.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Begun, Claim, Settlement } from '../store/store.ts';
import type { Outage } from './outage.ts';

/** A notifier in use. */
export interface Outlet {
  readonly name: string;
  readonly connection: Connection;
  readonly concurrency: number;
  readonly pace: Pace;
  readonly sharedBy?: PlatformLimits['sharedBy'];
  /** The platform's. Absent: no address is shown. */
  readonly shown?: Platform['shown'];
  /** The platform's `machine`. */
  readonly machine?: boolean;
}

/** Whether it becomes a new message: where a platform cannot edit, an update is posted as well. */
export function isPost(
  { claim, act, notification }: Pick<Planned, 'claim' | 'act'> & Partial<Pick<Rendered, 'notification'>>,
  { connection }: Pick<Outlet, 'connection'>,
): boolean {
  if (act !== 'edit' || connection.edit === undefined) return true;
  const edited = editedBy(claim);
  if (edited === undefined || notification === undefined) return false;
  return connection.editPosts?.(edited, notification) ?? false;
}

/** Whether no edit is ever a message of its own. */
export const isEditedInPlace = ({ edit, editPosts }: Connection): boolean =>
  edit !== undefined && editPosts === undefined;

/** Reference of the message that an edit is of. */
export const editedBy = ({ replaced, post }: Claim): string | undefined => replaced ?? post?.reference;

/** Whose pace it counts against: the receiver's own, or what the platform lets several receivers share. */
export const placeOf = (
  { sharedBy }: Pick<Outlet, 'sharedBy'>,
  { receiver, act }: { readonly receiver: Receiver; readonly act: 'post' | 'edit' },
): string => sharedBy?.(receiver.address, act) ?? receiverKey(receiver);

/** How log lines name a receiver: without what is secret in its address. */
export const shownKey = ({ shown }: Pick<Outlet, 'shown'>, { notifier, address }: Receiver): string =>
  receiverKey({ notifier, address: shown?.(address) ?? {} });

/** A turn at the pace for one request, taken before it was known which request it would be. */
export interface OwnTurn {
  /**
   * Uses the turn if it is for this place. Else gives it back and waits for one at this place: false where none came
   * soon.
   */
  at(place: string, lane: Lane): Promise<boolean>;
  /** Gives the turn back if it was not used. */
  end(): void;
}

export interface DeliveryContext extends SharedContext {
  readonly turn: OwnTurn;
}

/** What is the same for all claims taken together. */
export interface SharedContext {
  readonly outlet: Outlet;
  readonly outage: Outage;
  /** Market time, ms. */
  now(): number;
  /** Market ms at which so many wall ms will have passed. */
  after(wait: number): number;
  readonly wall: Clock;
  /** Whether this process still has the role: without it nothing is sent any more. */
  holds(): boolean;
  readonly random: () => number;
  /** Firing alerts that may hold others back. */
  readonly broader: readonly Alert[];
  readonly inhibitRules: readonly InhibitRule[];
  /** Kinds whose detector sees nothing, and the market ms at which it last did. */
  readonly blind: ReadonlyMap<string, number>;
  /** Tracked symbols, the largest volume first. */
  universe(): readonly string[];
  /** Market ms after which an alert is too old for a first post. */
  readonly expireAfter: number;
  /** Posts in any 24 h that may interrupt a place which has chosen no other number; null or left out: any number. */
  readonly budget?: number | null;
  /** "simulated, 240 ×". */
  source(): Text;
  /** What came of a kind's alerts before, as its cards say it; undefined where there is nothing to judge. */
  recordOf(kind: string): Fact | undefined;
  /** Cards of the claims taken together, so that a broadcast is made once for all who read alike. */
  readonly cards: Map<string, Card<string>>;
  readonly log: Logger;
  /**
   * Stores that it is about to be sent, which must be known before it is. False: the claim is another's by now, and is
   * left alone.
   */
  begin(claim: Claim, post: Begun | null): Promise<boolean>;
  /** Stores what became of a claim; resolves when it is stored. */
  settle(settlement: Settlement): Promise<void>;
}

/** A claim under consideration. */
export interface Considered {
  readonly claim: Claim;
  /** False: its living message may be edited, which notifies nobody, but nothing new may be posted. */
  readonly mayNotify: boolean;
}

/** What is to be done: a first post, an answer to it, or its edit. */
export interface Planned extends Considered {
  readonly act: 'send' | 'reply' | 'edit';
}

export interface Rendered extends Planned {
  /** An alert in it goes on, but its data is missing, and the message says so. */
  readonly unknown: boolean;
  readonly notification: Notification;
}
