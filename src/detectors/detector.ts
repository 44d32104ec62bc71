import type { z } from 'zod';
import type { Change, Labels } from '../alert/alert.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { PresetName } from '../alert/presets.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { Text } from '../language/text.ts';

export interface ObserveContext<State, Options = unknown> {
  readonly data: DataClient;
  readonly options: Options;
  /** undefined before the first observation. */
  readonly state: State | undefined;
  /** Symbols people care about, most wanted first: what is not for everyone is asked in this order. */
  readonly symbols: readonly string[];
  /** Market time, ms. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Which way the price is said to go after an alert. A detector's `null` instead: its alerts say nothing of it. */
export interface DirectionClaim {
  readonly of: (labels: Labels) => 'up' | 'down' | null;
  /** Ends "the price had gone …": `against the crowded side`. */
  readonly said: Text;
}

/**
 * A pure reducer over what the data service says, the same live and over the past.
 * The first observation is a silent baseline; state is JSON; what cannot be seen changes nothing.
 */
export interface Detector<
  Options extends z.ZodType = z.ZodType,
  State extends z.ZodType = z.ZodType,
  Observation = unknown,
> {
  /** The `kind` label of its alerts. */
  readonly name: string;
  /** One sentence for /help and subscriptions. */
  readonly description: Text;
  /** From which preset on it is included: `quiet` ⊂ `standard` ⊂ `everything`. See alert/presets.ts. */
  readonly preset: PresetName;
  /** node-cron, with seconds, in market time UTC; the configuration may give another. */
  readonly schedule: string;
  /** Why so often and what a look asks for; stands beside the schedule in config/default.yaml. */
  readonly cost?: string;
  /** Why it does not run unless the configuration says so; left out: it runs. */
  readonly off?: string;
  /** Every option has a default and, by `describe`, its meaning with its unit: config/default.yaml is written from them. */
  readonly options: Options;
  /** Schema of the state kept between runs. */
  readonly state: State;
  /** How long a burst of its alerts is gathered into one post, ms; 0: told at once. See `burst` of a Change. */
  readonly groupWait?: number;
  /** What its alerts say of the price, by which its record is judged. Left out: that it moves more than usual. */
  readonly claim?: DirectionClaim | null;
  /** It asks for what a service may lack by the interface: where it was never offered, nobody misses it. */
  readonly extension?: boolean;
  /** An alert as it may fire, of made values, at market ms: for showing what its alerts look like. */
  readonly sample?: (now: number) => Change;
  /** Reads the present. Throws ApiError: nothing changes, and it is asked again on schedule. */
  observe(context: ObserveContext<z.output<State>, z.output<Options>>): Promise<Observation>;
  /**
   * Market ms, excluded, until which a look that brings the same answers changes nothing, after one that has brought
   * them: a replay passes over it. Left out: each look counts.
   */
  steady?(
    observation: Observation,
    after: { readonly state: z.output<State>; readonly options: z.output<Options>; readonly now: number },
  ): number;
  step(
    state: z.output<State> | undefined,
    observation: Observation,
    context: { readonly options: z.output<Options>; readonly now: number },
  ): { readonly state: z.output<State>; readonly changes: readonly Change[] };
}

/** What an alert of the detector says of the price; null: nothing. */
export const claimOf =
  ({ claim }: Pick<Detector, 'claim'>) =>
  (labels: Labels): Expectation | null =>
    claim === undefined ? 'move' : (claim?.of(labels) ?? null);

/** Infers the types of one detector's file; the collection holds them as `Detector`. */
export const defineDetector = <Options extends z.ZodType, State extends z.ZodType, Observation>(
  detector: Detector<Options, State, Observation>,
): Detector<Options, State, Observation> => detector;
