import type { Alert } from '../alert/alert.ts';
import type { Reason, ReasonCode } from '../alert/reason.ts';
import type { Receiver, Silence, Subscription } from '../alert/subscription.ts';
import type { Reader } from '../language/say.ts';
import type { RowId } from './dispatch.ts';

/** The living message of a group at a receiver. */
export interface Post {
  readonly reference: string;
  /** Alert id → revision shown. */
  readonly shown: Readonly<Record<string, number>>;
  /** It says that something in it cannot be seen. */
  readonly unknown: boolean;
}

/** A post that was begun, as it was to be; one of a group. */
export interface Begun extends Omit<Post, 'reference'> {
  readonly group: string;
}

/** A receiver whose turn it is. */
export interface Queued {
  readonly key: string;
  readonly receiver: Receiver;
  /** What it waits for: 2 cannot wait, 1 is news, 0 brings a message up to date. */
  readonly urgency: number;
}

/** Everything due for one receiver and group. */
export interface Claim {
  readonly key: string;
  readonly receiver: Receiver;
  /** As the place has chosen to be told. */
  readonly reader: Reader;
  readonly group: string;
  readonly rows: readonly {
    readonly id: RowId;
    readonly alertId: string;
    readonly revision: number;
  }[];
  /** Latest revision of every alert of the group this receiver was told of or is to be told of, by start. */
  readonly alerts: readonly Alert[];
  /** Those of its rows that a stage has taken out of `alerts`, and why. */
  readonly leftOut?: readonly { readonly alert: Alert; readonly reason: Reason }[];
  /** Alerts of the group that are kept and cannot be read: nobody can be told of them. */
  readonly unreadable?: readonly string[];
  readonly post: Post | undefined;
  /** Reference of an earlier message of the group: the claim is to let it point to `post`, and nothing else. */
  readonly replaced: string | null;
  /** Without those that are paused; watchlists spelled out. */
  readonly subscriptions: readonly Subscription[];
  readonly silences: readonly Silence[];
  readonly urgent: boolean;
  readonly attempts: number;
  /** Posts that have interrupted the place in the last 24 h, market time. */
  readonly spent: number;
  /** How many may, as the place has chosen; null: any number. */
  readonly budget?: number | null;
  /** Why it was postponed or tried again, where it was. */
  readonly waitedFor: ReasonCode | null;
  /** It was begun to be posted, and its end is not known: it may stand. */
  readonly doubt: Begun | null;
  /** Posts of other groups there whose end is not known. */
  readonly besides?: readonly Begun[];
  /** Its rows come from groups of their own. */
  readonly folded?: boolean;
}

/** What becomes of a claim. Times: `until` market ms; `wall` wall ms. */
export type Settlement = {
  readonly claim: Claim;
  readonly at: number;
} /** From now on it may be posted, as that; null: it is edited, which done twice is done once. */ & (
  | { readonly kind: 'begun'; readonly post: Begun | null }
  /** The post that was begun does not stand. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'sent' | 'edited';
      readonly reference: string;
      readonly shown: Readonly<Record<string, number>>;
      /** The message says that something in it cannot be seen. */
      readonly unknown?: boolean;
      readonly note: Reason | null;
      /** It took of the place's attention: it counts for the next 24 h. */
      readonly interrupts?: boolean;
      /** Reference of the message that this one replaces: it is to point here, and waits for that in the outbox. */
      readonly replaced?: string;
    }
  /** The message that was replaced points to the newer one, or cannot any more, for that reason. */
  | { readonly kind: 'pointed'; readonly reason: Reason | null }
  | { readonly kind: 'suppressed' | 'failed'; readonly reason: Reason }
  | {
      readonly kind: 'postponed';
      readonly until: number;
      /** The post it is then told in, where that is another. */
      readonly group?: string | undefined;
      readonly reason: Reason;
    }
  | {
      readonly kind: 'retry';
      readonly until: number;
      readonly attempted: boolean;
      /** The post that was begun may stand all the same. */
      readonly mayStand: boolean;
      /** Who waits: what the receiver is to get, or this message alone while others pass it. */
      readonly holds: 'receiver' | 'message';
      readonly reason: Reason;
    }
  | { readonly kind: 'barred'; readonly wall: number; readonly reason: Reason }
  | { readonly kind: 'missing'; readonly wall: number; readonly until: number; readonly reason: Reason }
  | { readonly kind: 'gone'; readonly reason: Reason }
  | { readonly kind: 'moved'; readonly to: Receiver }
);

export type SettlementOf<Kind extends Settlement['kind']> = Extract<Settlement, { kind: Kind }>;
