import type { HookLog, Inbox } from '../hook/inbox.ts';
import type { OutcomeLog } from '../record/outcome-log.ts';
import type { RuleLog } from '../rules/live.ts';
import type { Lease, ListedLeases } from '../runtime/role.ts';
import type { AlertLog, ChainStore, DispatchUnit, PublicAlerts } from './ports/alerts.ts';
import type { AllDeliveries, DeliveryLog, Outbox } from './ports/deliveries.ts';
import type { Expansion } from './ports/expansion.ts';
import type {
  BoardLog,
  Changes,
  FileStore,
  HookStore,
  PlaceReader,
  PlaceStore,
  ReceiverStore,
  RuleStore,
  SubscriptionStore,
  SubscriptionTotals,
} from './ports/places.ts';
import type {
  DetectorStates,
  Downtime,
  Guarded,
  Heartbeat,
  Horizons,
  KeyStore,
  MarketBinding,
  Messages,
  ReadingStore,
  Requests,
  SealedConnections,
  SessionStore,
  Settings,
} from './ports/state.ts';

export type * from './ports/alerts.ts';
export type * from './ports/deliveries.ts';
export type * from './ports/expansion.ts';
export type * from './ports/places.ts';
export type * from './ports/state.ts';

/** The part of the store for commands: what they may read, and the few ways in which they may change something. */
export interface CommandStore extends PlaceReader, Changes {
  readonly alerts: PublicAlerts;
  readonly deliveries: DeliveryLog;
  /** Oldest first. */
  downtimes(): Promise<Downtime[]>;
}

/** The parts of the store that are written only by the holder of a role. */
export interface RoleStore {
  dispatch<Result>(work: (unit: DispatchUnit) => Promise<Result>): Promise<Result>;
  readonly expansion: Expansion;
  readonly outbox: Outbox;
  readonly outcomes: OutcomeLog;
  readonly chain: ChainStore;
  readonly files: FileStore;
  readonly boardLog: BoardLog;
  /**
   * Stores that the bot runs, and a downtime if the last heartbeat was more than `gap` wall ms ago. If that one lies ahead, the
   * clock was wrong: what was written by it is based anew, and true is returned.
   */
  heartbeat(at: Heartbeat & { readonly speed?: number }, gap: number): Promise<boolean>;
  /** Deletes what is past its horizon. */
  prune(horizons: Horizons): Promise<void>;
}

/** Everything that the bot stores. Who uses it names the ports that it needs. */
export interface Store extends PlaceStore, Changes, RoleStore, Guarded {
  readonly subscriptions: SubscriptionStore & SubscriptionTotals;
  readonly rules: RuleStore & RuleLog;
  readonly hooks: HookStore & HookLog;
  readonly inbox: Inbox;
  readonly receivers: ReceiverStore;
  readonly alerts: PublicAlerts;
  readonly log: AlertLog;
  readonly deliveries: AllDeliveries;
  readonly keys: KeyStore;
  readonly detectors: DetectorStates;
  readonly readings: ReadingStore;
  readonly requests: Requests;
  readonly messages: Messages;
  readonly settings: Settings;
  readonly connections: SealedConnections;
  readonly sessions: SessionStore;
  readonly market: MarketBinding;
  readonly leases: ListedLeases;
  /** Returns the store for a lease: each transaction first checks that the lease is held, and throws LostRole if not. */
  under(lease: Lease): RoleStore;
  /** Oldest first. */
  downtimes(): Promise<Downtime[]>;
  /** Resolves if the database responds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
