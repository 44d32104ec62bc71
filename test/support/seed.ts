import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of what tests draw. */
    readonly seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });
