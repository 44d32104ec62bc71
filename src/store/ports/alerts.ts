import type { Alert } from '../../alert/alert.ts';
import type { ChainHead, PostedHead } from '../../alert/chain.ts';
import type { Receiver } from '../../alert/subscription.ts';
import type { HookLog } from '../../hook/inbox.ts';
import type { Text } from '../../language/text.ts';
import type { PricePrediction } from '../../record/outcome-log.ts';
import type { Delivery } from './deliveries.ts';
import type { CallStore } from './places.ts';

/** A stored alert, with the group (post) it belongs to, and with what keeps it from being announced. */
export interface KeptAlert {
  readonly alert: Alert;
  readonly group: string;
  /** Market ms before which its group is not sent. */
  readonly due: number;
  /** Fingerprint of the broader alert that holds it back; null if none does. */
  readonly heldBy: string | null;
}

/** What one detector's run reads and writes, in one transaction. */
export interface DispatchUnit {
  findOpen(fingerprint: string): Promise<KeptAlert | undefined>;
  /** Returns the firing alerts of these kinds; left out: of all kinds. */
  firing(kinds?: readonly string[]): Promise<KeptAlert[]>;
  /** Returns the alerts of these kinds that fire or have ended since `since` (market ms), the latest first. */
  firingOrEndedSince(kinds: readonly string[], since: number): Promise<KeptAlert[]>;
  heldBack(kind: string): Promise<KeptAlert[]>;
  save(kept: KeptAlert): Promise<void>;
  /** Hands this revision to expansion, to be sent when it is due. */
  announce(kept: KeptAlert): Promise<void>;
  /** Notes that the price after this alert is to be recorded. */
  followPrice(alert: Alert, judged: PricePrediction): Promise<void>;
  readonly hooks: Pick<HookLog, 'read'>;
  readonly calls: CallStore;
  /** Whether this state was stored at that time. It is asked when a commit got no answer. */
  isSaved(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<boolean>;
  saveState(detector: string, given: { readonly state: unknown; readonly now: number }): Promise<void>;
}

/** Alerts for all subscribers. Alerts for one place alone are left out: others must not see them. */
export interface PublicAlerts {
  /** @param kinds alerts of these kinds alone; left out: of all kinds */
  firing(kinds?: readonly string[]): Promise<Alert[]>;
  /** Latest revisions, newest first. */
  recent(limit: number): Promise<Alert[]>;
  /**
   * Alerts that nobody was told of because a broader alert held them back, newest first: those that fire, and those that
   * have ended since `since` (market ms). `by` is the broader alert's title.
   */
  heldBack(since: number): Promise<{ readonly alert: Alert; readonly by: Text }[]>;
}

/** Where a page of alerts continues: behind this alert, newest first. */
export interface AlertCursor {
  readonly updatedAt: number;
  readonly id: string;
}

/** A stored alert, and the broader alert that keeps it from being announced, if any. */
export interface LoggedAlert {
  readonly alert: Alert;
  readonly heldBy?: Alert | undefined;
}

/** The stored alerts, as a receiver may read them: those for all subscribers, and those for the receiver alone. */
export interface AlertLog {
  /** Latest revisions, newest first. */
  page(given: {
    readonly receiver: Receiver;
    readonly before?: AlertCursor | undefined;
    readonly limit: number;
    readonly firing?: boolean;
    readonly kind?: string | undefined;
  }): Promise<LoggedAlert[]>;
  /** The latest alerts that have changed at or after `since` (market ms), the oldest change first. */
  changed(given: {
    readonly receiver: Receiver;
    readonly since: number;
    readonly limit: number;
  }): Promise<LoggedAlert[]>;
  one(id: string, receiver: Receiver): Promise<LoggedAlert | undefined>;
  /** The deliveries of these alerts to every receiver, newest first. */
  deliveries(
    alerts: readonly Pick<Alert, 'id' | 'startsAt'>[],
    limit: number,
  ): Promise<(Delivery & { readonly alertId: string })[]>;
  /** Returns the ids of those alerts that were sent to a receiver, as far as the deliveries soon after their beginning show. */
  sentSoon(alerts: readonly Pick<Alert, 'id' | 'startsAt'>[]): Promise<readonly string[]>;
}

/** The announced revisions, and ledgers of the record, each linked to all before it by its hash. */
export interface ChainStore {
  head(): Promise<ChainHead>;
  /** Returns the head with the root of the tree over all links. It reads all hashes. */
  posted(): Promise<PostedHead>;
  /** Adds to the chain what has become of the record since. Only the process that announces may call it. */
  join(): Promise<void>;
}
