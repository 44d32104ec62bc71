import type { z } from 'zod';
import type { Change, Labels } from '../alert/alert.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { PresetName } from '../alert/presets.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { Text } from '../language/text.ts';
import { day } from '../runtime/units.ts';

/** The longest gap in the data over which a market's state is kept, ms: after a longer one the market is new. */
export const maxDataGap = 2 * day;

export interface ObserveContext<State, Options = unknown> {
  readonly data: DataClient;
  readonly options: Options;
  /** The state after the last run. Undefined before the first observation. */
  readonly state: State | undefined;
  /** The symbols that people subscribe to, most wanted first: the order in which to ask if not all can be asked about. */
  readonly symbols: readonly string[];
  /** Those of them that subscriptions name themselves and not by a group. Left out: all. */
  readonly named?: readonly string[];
  /** The newest prices of the followed markets, given to detectors that follow prices. Left out: none are streamed. */
  readonly prices?: NewestPrices;
  /** Market time, ms. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Prices as the market overview has them: of the whole market at one time. */
interface NewestPrices {
  readonly coins: readonly { readonly symbol: string; readonly price: number }[];
  readonly timestamp: string;
}

/** The direction in which a detector's alerts say that the price will go. */
export interface DirectionPrediction {
  readonly directionOf: (labels: Labels) => 'up' | 'down' | null;
  /** Completes the sentence "the price had gone …", for example with `against the crowded side`. */
  readonly phrase: Text;
}

/**
 * Finds alerts in the answers of the data service. `observe` asks, and `step` is a pure reducer, so that a detector
 * behaves the same on live data and in a replay of the past. The first observation is a baseline and causes no alert.
 * The state is JSON. Missing data changes nothing.
 */
export interface Detector<
  Options extends z.ZodType = z.ZodType,
  State extends z.ZodType = z.ZodType,
  Observation = unknown,
> {
  /** The name of the detector, which is also the `kind` label of its alerts. */
  readonly name: string;
  /** One sentence for /help and subscriptions. */
  readonly description: Text;
  /** The smallest preset that includes this detector: `quiet` ⊂ `standard` ⊂ `everything`. See alert/presets.ts. */
  readonly preset: PresetName;
  /** When the detector runs, in node-cron syntax with seconds, market time, UTC. The configuration can set another schedule. */
  readonly schedule: string;
  /** Whether it also runs when streamed prices change, at most once a second. Left out: it does not. */
  readonly followsPrices?: boolean;
  /** Why the detector runs this often and which requests a run needs. Written beside the schedule in config/default.yaml. */
  readonly cost?: string;
  /** Why the detector is off unless the configuration turns it on. Left out: it is on by default. */
  readonly off?: string;
  /** Every option has a default and, by `describe`, its meaning with its unit, which config/default.yaml repeats. */
  readonly options: Options;
  /** The schema of the state that is kept between runs. */
  readonly state: State;
  /** How long alerts are gathered into one post, ms. Left out or 0: each is posted at once. See `Change.burst`. */
  readonly groupWait?: number;
  /** Says the smallest event that the options let through: less is not worth acting on. Left out: nothing is stated. */
  smallest?(options: z.output<Options>): Text;
  /** What the alerts predict about the price, for their record. Left out: that it moves more than usual. `null`: nothing. */
  readonly prediction?: DirectionPrediction | null;
  /** Makes an example of the detector's alerts from invented values, begun at `now`, market ms. */
  readonly sample?: (now: number) => Change;
  /**
   * Asks the data service for what `step` needs.
   *
   * @throws ApiError where the data cannot be had: nothing changes, and the detector runs again on schedule
   */
  observe(context: ObserveContext<z.output<State>, z.output<Options>>): Promise<Observation>;
  /**
   * Returns the next state, and the alerts that begin, change or end with this observation. `able`: whether it knows enough of
   * any value to say that it stands out; left out: always.
   */
  step(
    state: z.output<State> | undefined,
    observation: Observation,
    context: { readonly options: z.output<Options>; readonly now: number },
  ): { readonly state: z.output<State>; readonly changes: readonly Change[]; readonly able?: boolean };
}

/** Returns a function that says what an alert with the given labels predicts about the price. Null: nothing. */
export const predictionOf =
  ({ prediction }: Pick<Detector, 'prediction'>) =>
  (labels: Labels): Expectation | null =>
    prediction === undefined ? 'move' : (prediction?.directionOf(labels) ?? null);

/** Returns the detector unchanged, with the types of its file inferred. Lists of detectors hold the plain type `Detector`. */
export const defineDetector = <Options extends z.ZodType, State extends z.ZodType, Observation>(
  detector: Detector<Options, State, Observation>,
): Detector<Options, State, Observation> => detector;
