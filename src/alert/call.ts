import { hour } from '../runtime/units.ts';
import { horizons } from './outcome.ts';
import type { Receiver } from './subscription.ts';

/** A prediction of a person or a hook that a price rises (`long`) or falls within a time. Times are market ms. */
export interface PriceCall {
  readonly id: string;
  /** The place in which it was made, which alone may see it. */
  readonly receiver: Receiver;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  /** One of the record's horizons. */
  readonly horizon: number;
  readonly at: number;
  /** The person, as the platform proves it; else the name. Of a hook, the kind of its alerts. */
  readonly createdBy: string;
  /** The name of the person or the hook when the call was made. */
  readonly name: string;
}

/** An alert that announces the direction of a price, of a hook that makes calls. */
export interface HookEntry extends Pick<PriceCall, 'symbol' | 'side' | 'at'> {
  readonly hook: string;
}

/** Returns the first full hour after a call. An earlier price would credit the caller with moves that were known. */
export const countsFrom = ({ at }: Pick<PriceCall, 'at'>): number => (Math.floor(at / hour) + 1) * hour;

export const endOf = (call: Pick<PriceCall, 'at' | 'horizon'>): number => countsFrom(call) + call.horizon;

/** The longest that a call is open. */
export const longestRun = hour + Math.max(...horizons);
