import type { Logger } from 'pino';
import type { Alert, Fact } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { digestTime } from '../alert/post-group.ts';
import { type Receiver, receiverKey } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import type { Text } from '../language/text.ts';
import type { Connection, Notification } from '../platforms/notifier.ts';
import type { Platform, PlatformLimits } from '../platforms/platform.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Lane, Pace } from '../runtime/pace.ts';
import type { Lease } from '../runtime/role.ts';
import type { Claim, Post, Settlement } from '../store/ports.ts';
import type { Outage } from './outage.ts';

/** A notifier in use, with its connection and its limits. */
export interface Outlet {
  readonly name: string;
  readonly connection: Connection;
  readonly concurrency: number;
  readonly pace: Pace;
  readonly paceKey?: PlatformLimits['paceKey'];
  /** The platform's `shown`, which removes secrets from an address. If absent, no address is shown. */
  readonly shown?: Platform['shown'];
  /** The platform's `readByPrograms`: programs read its posts, so they need no budget. */
  readonly readByPrograms?: boolean | undefined;
  /** The platform's `slash`. */
  readonly slash?: Platform['slash'] | undefined;
}

/** A message that is sent; without `notification` until it is rendered. */
export type Attempt = Pick<Planned, 'claim' | 'act'> & Partial<Pick<Rendered, 'notification'>>;

/** Returns whether a planned message becomes a new message. On a platform that cannot edit, an update is posted as well. */
export function isPost(
  { claim, act, notification }: Attempt,
  { connection }: Pick<Outlet, 'connection'>,
): boolean {
  if (act !== 'edit' || connection.edit === undefined) return true;
  const edited = editedBy(claim);
  if (edited === undefined || notification === undefined) return false;
  return connection.editPosts?.(edited, notification) ?? false;
}

/** Returns whether the platform can edit and an edit never becomes a message of its own. */
export const isEditedInPlace = ({ edit, editPosts }: Connection): boolean =>
  edit !== undefined && editPosts === undefined;

/**
 * Returns whether an update changes the message that is there. Elsewhere it is a message of its own, and reaches people as a
 * first one does. Programs take every update.
 */
export const keepsCurrent = ({ connection, readByPrograms }: Outlet): boolean =>
  readByPrograms === true || isEditedInPlace(connection);

/** Returns the message that already tells of the claim's alerts and is kept up to date. A digest never is. */
export const livingPost = ({ group, post }: Claim): Post | undefined =>
  digestTime(group) === undefined ? post : undefined;

/** Returns the reference of the message that an edit of this claim would change. */
export const editedBy = ({ replaced, post }: Claim): string | undefined => replaced ?? post?.reference;

/**
 * Returns the place whose pace a request counts against: the receiver's own, or one that the platform makes several
 * receivers share.
 */
export const placeOf = (
  { paceKey }: Pick<Outlet, 'paceKey'>,
  receiver: Receiver,
  act: 'post' | 'edit',
): string => paceKey?.(receiver.address, act) ?? receiverKey(receiver);

/** Returns the name of a receiver for log lines, without the secret parts of its address. */
export const shownKey = ({ shown }: Pick<Outlet, 'shown'>, { notifier, address }: Receiver): string =>
  receiverKey({ notifier, address: shown?.(address) ?? {} });

/** A turn at the platform's pace for one request, taken before it is known which request it will be. */
export interface OwnTurn {
  /**
   * Uses the turn if it was taken for this place. Otherwise gives it back and waits for a turn at this place; returns
   * false if none comes soon.
   */
  useAt(place: string, lane: Lane): Promise<boolean>;
  /** Gives the turn back if it was not used. */
  giveBack(): void;
}

export interface DeliveryContext extends SharedContext {
  readonly turn: OwnTurn;
}

/** The part of the context that all claims of one batch share. */
export interface SharedContext {
  readonly outlet: Outlet;
  readonly outage: Outage;
  /** Market time, ms. */
  now(): number;
  /** Returns the market ms at which `wait` wall ms will have passed. */
  after(wait: number): number;
  readonly wall: Clock;
  readonly lease: Lease;
  /** Returns whether this process still holds the role. Without the role it must send nothing more. */
  holdsRole(): boolean;
  readonly random: () => number;
  /** Firing alerts that may hold back other alerts. */
  readonly broaderAlerts: readonly Alert[];
  readonly inhibitRules: readonly InhibitRule[];
  /** The kinds whose detector receives no data, each with the market ms of its last successful run. */
  readonly blind: ReadonlyMap<string, number>;
  /** Tracked symbols, the largest volume first. */
  universe(): readonly string[];
  /** Market ms after which an alert is too old for a new post. Existing messages are still edited. */
  readonly expireAfter: number;
  /**
   * The number of posts that may interrupt a place in any 24 h if the place has chosen no number of its own; null or
   * absent: any number.
   */
  readonly budget?: number | null;
  /** Returns where the data comes from, as cards show it: "simulated, 240 ×", say. */
  source(): Text;
  /**
   * Returns what the price did after earlier alerts of a kind, as a fact for its cards; undefined if there is nothing
   * to judge.
   */
  recordOf(kind: string): Fact | undefined;
  /**
   * Cache of the cards of one batch of claims, so that a broadcast is rendered once for all receivers with the same
   * settings.
   */
  readonly cards: Map<string, Card<string>>;
  readonly log: Logger;
  /**
   * Stores that the message is about to be sent; this must happen before it is sent. Returns false if the claim belongs
   * to another process by now: then nothing may be sent.
   */
  begin(
    claim: Claim,
    begun: Pick<Extract<Settlement, { kind: 'begun' }>, 'post' | 'isHeld'>,
  ): Promise<boolean>;
  /** Stores the outcome of a claim. Resolves when it is stored. */
  settle(settlement: Settlement): Promise<void>;
}

/** A claim, and the alerts in it of which people may be notified. */
export interface Considered {
  readonly claim: Claim;
  /** For the other alerts the group's existing message may be edited, which notifies nobody, but nothing may be posted. */
  readonly notifying: readonly Alert[];
}

/** A claim, and what to do with it: send a first post, reply to that post, or edit it. */
export interface Planned extends Considered {
  readonly act: 'send' | 'reply' | 'edit';
}

export interface Rendered extends Planned {
  /** Whether the message says that data is missing for an alert that still goes on. */
  readonly unknown: boolean;
  readonly notification: Notification;
}

export interface Revision {
  readonly alertId: string;
  readonly revision: number;
}

/** Returns the revisions as `ID@REVISION`, the form in which log lines name them from the detector to the message. */
export const revisionsOf = ({ rows }: { readonly rows: readonly Revision[] }): readonly string[] =>
  rows.map(({ alertId, revision }) => `${alertId}@${revision}`);
