import type { Logger } from 'pino';
import type { Change, Fact, Labels } from '../alert/alert.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { ReasonCode } from '../alert/reason.ts';
import type { Text } from '../language/text.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import type { Lease } from '../runtime/role.ts';
import type { DispatchUnit, Store } from '../store/ports.ts';
import type { DrawBoard } from './boards.ts';
import type { DeliveryContext, Outlet } from './delivery.ts';
import type { TellMarket } from './market-then.ts';

export interface PipelineOptions extends Pick<DeliveryContext, 'budget' | 'expireAfter' | 'inhibitRules'> {
  readonly store: Store;
  readonly outlets: readonly Outlet[];
  readonly pageSize: number;
  /** Market time, ms. */
  readonly now: () => number;
  /** Market ms that pass in one wall ms; left out: one. */
  readonly speed?: () => number;
  readonly wall: WallClock;
  /** A clock that runs evenly even if the wall clock is set. */
  readonly steady: Clock;
  readonly random: () => number;
  /** Tracked symbols, the largest volume first. Left out: `top20` and similar groups match no symbol. */
  readonly universe?: () => readonly string[];
  /** Returns where the data comes from, as every card shows it: "simulated, 240 ×", say. */
  readonly source: () => Text;
  /** The market that the alerts are about. The record of prices after alerts keeps markets apart. */
  readonly market?: string;
  /** Returns what the price did after earlier alerts of a kind, as a fact for its cards. */
  readonly recordOf?: (kind: string) => Fact | undefined;
  /** Adds what their markets are like to alerts that begin or change; left out: nothing is added. */
  readonly tellMarket?: TellMarket;
  /** Draws what boards show; left out: none are kept. */
  readonly draw?: DrawBoard;
  readonly log: Logger;
  /** Called with every outcome of the pipeline, for metrics. */
  readonly count: (given: {
    readonly outcome: string;
    readonly reason: ReasonCode | '';
    readonly notifier: string;
  }) => void;
  /**
   * Called for every message that was sent without being postponed or retried before, with the wall seconds between the
   * newest revision in it and its acceptance by the platform.
   */
  readonly delivered?: (
    seconds: number,
    given: { readonly notifier: string; readonly lane: 'urgent' | 'routine' },
  ) => void;
  /** Ms after which another process can take over a role whose holder has died. */
  readonly ttl?: number;
}

export interface Pipeline {
  /**
   * Stores a detector's new state and its changes in one transaction, under the lease `watching` if given. Delivery
   * follows after it, in the background.
   */
  dispatch(
    detector: {
      readonly name: string;
      readonly groupWait: number;
      /** Returns what an alert of this detector predicts about the price; left out: nothing. */
      readonly prediction?: (labels: Labels) => Expectation | null;
    },
    given: {
      readonly state: unknown;
      readonly changes: readonly Change[];
      readonly watching?: Lease | undefined;
      /** What else is stored in the same transaction. Called again if that fails. */
      readonly also?: ((unit: DispatchUnit) => Promise<void>) | undefined;
    },
  ): Promise<void>;
  /** Delivers by one more outlet from now on, unless it does already. */
  serve(outlet: Outlet): Promise<void>;
  /** Delivers by this outlet no more: what waits for it stays. Resolves once what is being sent is stored. */
  dismiss(name: string): Promise<void>;
  /** Resolves once the messages that are being sent have been sent and their outcomes stored. */
  stop(): Promise<void>;
}
