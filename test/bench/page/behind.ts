/**
 * Market seconds per wall second: fast enough that scheduled work comes soon and people may ask 60 times in 45 s, and slow
 * enough for a busy machine. A machine that does not keep up makes figures old, and the page says so.
 */
export const speed = 20;

/** The two programs behind a page, each of which can be killed and started again with the same data. */
export interface Behind {
  readonly url: string;
  killBot(): Promise<void>;
  /** Starts the bot; resolves once it answers. */
  startBot(): Promise<void>;
  killService(): Promise<void>;
  startService(): Promise<void>;
}
