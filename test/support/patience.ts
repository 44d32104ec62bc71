/** Wall ms that a test waits for what must come: long enough for any machine, for only a failure waits it out. */
export const patience = 120_000;
