import type { Hook } from '../alert/hook.ts';
import type { HookLock } from './admit.ts';
import type { Signal } from './signal.ts';

/** One message as it was accepted: `hook`, `key` and `at` together are its name. */
export interface Received {
  readonly hook: string;
  readonly key: string;
  /** Wall ms. */
  readonly at: number;
  /** Market ms. */
  readonly market: number;
  readonly signals: readonly Signal[];
}

/** What hooks were brought, until it is alerts. Whichever process is asked writes here; whoever watches reads. */
export interface Inbox {
  /**
   * Keeps it, once: `twice` where the same key has come since then (wall ms) or still waits; `full` where as many as `most`
   * wait for the hook.
   */
  accept(
    received: Received,
    given: { readonly since: number; readonly most: number },
  ): Promise<'kept' | 'twice' | 'full'>;
  /** Those that wait, the earliest first. */
  waiting(limit: number): Promise<Received[]>;
  /** They wait no more. Again is as good as once. */
  finish(received: readonly Pick<Received, 'hook' | 'key' | 'at'>[]): Promise<void>;
}

/** The hooks of all places. */
export interface HookLog {
  find(id: string): Promise<{ readonly hook: Hook; readonly lock: HookLock } | undefined>;
  read(ids: readonly string[]): Promise<Hook[]>;
}
