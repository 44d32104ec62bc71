import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';

/**
 * The number of attempts after which something that fails by its own fault, or because of a bug in Tocsin, counts as
 * failed.
 */
export const tries = 3;

export const defect = (error: unknown): Reason => ({
  code: 'defect',
  text: msg('a bug in Tocsin: {problem}', {
    problem: error instanceof Error ? error.message : String(error),
  }),
});
