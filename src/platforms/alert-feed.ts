import type { AlertStatus, Severity } from '../alert/alert.ts';
import type { ReasonCode } from '../alert/reason.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import type { Reader } from '../language/say.ts';

/** Who looks: in their words, and what their place may see. */
export interface Viewer {
  readonly reader: Reader;
  readonly receiver: Receiver;
}

/** An alert in one line. Times are market ms. */
export interface AlertRow {
  readonly id: string;
  readonly kind: string;
  readonly symbol?: string;
  /** The worst it has reached. */
  readonly severity: Severity;
  readonly status: AlertStatus;
  readonly revision: number;
  /** What it said when it stood out most. */
  readonly title: string;
  /** What its end said. */
  readonly ending?: string;
  /** What it is called among others of its kind: simultaneous ones of one name are shown as one. */
  readonly groupName?: string;
  readonly startsAt: number;
  readonly updatedAt: number;
  readonly endsAt: number | null;
  /** Whether it was sent to anybody, and if not, why. */
  readonly delivery: 'sent' | 'waiting' | 'held';
  readonly reason?: string;
}

/** What became of one revision of an alert at one place. */
export interface AlertDelivery {
  readonly at: number;
  readonly revision: number;
  readonly notifier: string;
  readonly place: string;
  readonly title: string;
  readonly outcome: 'sent' | 'edited' | 'suppressed' | 'failed';
  readonly reason?: string;
  readonly code?: ReasonCode;
}

/** One alert from its beginning to its end. */
export interface AlertLife {
  readonly row: AlertRow;
  /** As it is shown in chats. */
  readonly card: Card<string>;
  /** What the price did afterwards, and the record of its kind; where either is known. */
  readonly after?: Card<string>;
  /** Oldest first. */
  readonly states: readonly { readonly at: number; readonly state: AlertState; readonly text?: string }[];
  /** Newest first. */
  readonly deliveries: readonly AlertDelivery[];
}
export type AlertState = 'began' | 'worsened' | 'changed' | 'ended';

export interface AlertFeed {
  /** Newest first. */
  page(
    viewer: Viewer,
    given: {
      readonly before?: { readonly updatedAt: number; readonly id: string } | undefined;
      readonly limit: number;
      readonly firing?: boolean;
      readonly kind?: string | undefined;
    },
  ): Promise<readonly AlertRow[]>;
  /** Those that have changed since then, market ms. */
  changed(viewer: Viewer, since: number): Promise<readonly AlertRow[]>;
  life(viewer: Viewer, id: string): Promise<AlertLife | undefined>;
  /** Market time, ms, and how many of its seconds pass in one. */
  clock(): { readonly now: number; readonly speed: number };
}
