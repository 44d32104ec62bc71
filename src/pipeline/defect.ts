import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';

/** Attempts at what fails by a fault of its own or of ours: then it has failed, and others have not waited for it. */
export const tries = 3;

export const defect = (error: unknown): Reason => ({
  code: 'defect',
  text: msg('a bug in Tocsin: {problem}', {
    problem: error instanceof Error ? error.message : String(error),
  }),
});
