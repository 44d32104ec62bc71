/** What comes by schedule comes often enough to be waited for, and people may ask 60 times in 15 s. */
export const speed = 60;

/** The two programs behind a page, each of which can be killed and started again as it was. */
export interface Behind {
  readonly url: string;
  killBot(): Promise<void>;
  /** Resolves once it answers. */
  startBot(): Promise<void>;
  killService(): Promise<void>;
  startService(): Promise<void>;
}
