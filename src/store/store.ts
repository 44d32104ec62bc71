import type { Alert } from '../alert/alert.ts';
import type { Receiver, Silence, Subscription } from '../alert/subscription.ts';

/** What became of one revision of one alert at one receiver. `at` is market ms. */
export interface Delivery {
  readonly at: number;
  readonly alertId: string;
  readonly revision: number;
  readonly receiver: Receiver;
  readonly title: string;
  readonly outcome: 'sent' | 'edited' | 'suppressed' | 'failed';
  /** Why it was held back or failed; for a sent one, a doubt such as "possibly doubled". */
  readonly reason: string | null;
}

/** What commands may read and write. Ids are shown to people; another receiver's id is as good as none. */
export interface CommandStore {
  readonly subscriptions: {
    add(subscription: Omit<Subscription, 'id'>): Promise<Subscription>;
    /** False where this receiver has none of that id. */
    remove(id: string, receiver: Receiver): Promise<boolean>;
    of(receiver: Receiver): Promise<Subscription[]>;
  };
  readonly silences: {
    add(silence: Omit<Silence, 'id'>): Promise<Silence>;
    remove(id: string, receiver: Receiver): Promise<boolean>;
    /** Those of the receiver and those for everyone, ending after `now`. */
    of(receiver: Receiver, now: number): Promise<Silence[]>;
  };
  readonly alerts: {
    firing(): Promise<Alert[]>;
    /** Latest revisions, newest first. */
    recent(limit: number): Promise<Alert[]>;
  };
  readonly deliveries: {
    /** Newest first. */
    recent(receiver: Receiver, limit: number): Promise<Delivery[]>;
  };
}
