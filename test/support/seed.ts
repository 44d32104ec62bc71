import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of the random values of property tests. */
    readonly seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
