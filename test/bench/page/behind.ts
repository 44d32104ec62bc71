/**
 * What comes by schedule comes often enough to be waited for, people may ask 60 times in 45 s, and a busy machine keeps up:
 * where it does not, figures are old and the page says so.
 */
export const speed = 20;

/** The two programs behind a page, each of which can be killed and started again as it was. */
export interface Behind {
  readonly url: string;
  killBot(): Promise<void>;
  /** Resolves once it answers. */
  startBot(): Promise<void>;
  killService(): Promise<void>;
  startService(): Promise<void>;
}
