import type { Hook } from '../alert/hook.ts';
import type { HookLock } from './admit.ts';
import type { SeenBody } from './seen-body.ts';
import type { Signal } from './signal.ts';

/** The most messages of one hook that may wait while no process handles them. */
export const maxWaiting = 1_000;

/** A message that was accepted. `hook`, `key` and `at` together identify it. */
export interface Received {
  readonly hook: string;
  readonly key: string;
  /** Wall ms. */
  readonly at: number;
  /** Market ms. */
  readonly market: number;
  readonly signals: readonly Signal[];
}

export interface AcceptTerms {
  readonly since: number;
  readonly about?: string | undefined;
  readonly maxWaiting: number;
}

/**
 * Messages that wait to become alerts. The process that receives a request writes to the inbox; the process that
 * watches the market reads from it.
 */
export interface Inbox {
  /**
   * Stores a message, once. Returns `twice` if the same key has arrived since `since` (wall ms) or still waits, and
   * `full` if `maxWaiting` messages of the hook wait. With `about` the key is that of equal content, which is new once
   * another message about the same has come between, as in "buy", "sell", "buy".
   */
  accept(received: Received, terms: AcceptTerms): Promise<'kept' | 'twice' | 'full'>;
  /** Returns waiting messages, the earliest first. */
  waiting(limit: number): Promise<Received[]>;
  /** Marks messages as handled, so that they no longer wait. Idempotent. */
  finish(received: readonly Pick<Received, 'hook' | 'key' | 'at'>[]): Promise<void>;
}

export interface HookLog {
  find(id: string): Promise<{ readonly hook: Hook; readonly lock: HookLock } | undefined>;
  read(ids: readonly string[]): Promise<Hook[]>;
  /** Keeps what came last to a hook, without what came before the last few. */
  note(id: string, seenBody: SeenBody): Promise<void>;
}
