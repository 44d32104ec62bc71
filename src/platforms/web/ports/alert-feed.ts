import type { AlertStatus, Severity } from '../../../alert/alert.ts';
import type { ReasonCode } from '../../../alert/reason.ts';
import type { Receiver } from '../../../alert/subscription.ts';
import type { Card } from '../../../card/card.ts';
import type { Reader } from '../../../language/say.ts';

/** The person who looks at the alerts: how they read them, and the place whose alerts they may see. */
export interface Viewer {
  readonly reader: Reader;
  readonly receiver: Receiver;
  /** Whether they may know what became of alerts at other places. */
  readonly seesAllPlaces: boolean;
}

/** One row of a list of alerts. Times are market ms. */
export interface AlertRow {
  readonly id: string;
  readonly kind: string;
  readonly symbol?: string | undefined;
  /** The highest severity that the alert has reached. */
  readonly severity: Severity;
  readonly status: AlertStatus;
  readonly revision: number;
  /** The alert's title when the alert stood out most. */
  readonly title: string;
  /** The alert's title when it ended. */
  readonly ending?: string | undefined;
  /** The alert's name within a group: simultaneous alerts of one kind that share this name are shown as one. */
  readonly groupName?: string | undefined;
  /** What it is about within the group, where that is no market. */
  readonly groupRow?: string | undefined;
  readonly startsAt: number;
  readonly updatedAt: number;
  readonly endsAt: number | null;
  /** Whether the alert was sent to any place; `held`: it was not, and `reason` says why if the viewer may know. */
  readonly delivery: 'sent' | 'waiting' | 'held';
  readonly reason?: string | undefined;
}

/** The outcome of sending one revision of an alert to one place. */
export interface AlertDelivery {
  readonly at: number;
  readonly revision: number;
  readonly notifier: string;
  readonly place: string;
  readonly title: string;
  readonly outcome: 'sent' | 'edited' | 'suppressed' | 'failed';
  readonly reason?: string | undefined;
  readonly code?: ReasonCode | undefined;
}

/** One alert from its beginning to its end, with its cards as they are or as a page gets them. */
export interface AlertLife<Shown = Card<string>> {
  readonly row: AlertRow;
  /** The alert's card as chats show it. */
  readonly card: Shown;
  /** What the price did after the alert and the track record of the alert's kind; absent if neither is known. */
  readonly after?: Shown | undefined;
  /** Oldest first. */
  readonly states: readonly {
    readonly at: number;
    readonly state: AlertState;
    readonly text?: string | undefined;
  }[];
  /** Newest first. */
  readonly deliveries: readonly AlertDelivery[];
}
export type AlertState = 'began' | 'worsened' | 'changed' | 'ended';

export interface AlertFeed {
  /** Returns a page of alerts, newest first. */
  page(
    viewer: Viewer,
    given: {
      readonly before?: { readonly updatedAt: number; readonly id: string } | undefined;
      readonly limit: number;
      readonly firing?: boolean;
      readonly kind?: string | undefined;
    },
  ): Promise<readonly AlertRow[]>;
  /** Returns the alerts that have changed at or after `since` (market ms). */
  changed(viewer: Viewer, since: number): Promise<readonly AlertRow[]>;
  life(viewer: Viewer, id: string): Promise<AlertLife | undefined>;
  /** Returns the market time (ms) and its speed: market seconds per wall-clock second. */
  clock(): { readonly now: number; readonly speed: number };
}
