import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';

/** How often something is tried that fails by its own fault or a bug of ours, before it counts as failed. */
export const tries = 3;

export const defect = (error: unknown): Reason => ({
  code: 'defect',
  text: msg('a bug in Tocsin: {problem}', {
    problem: error instanceof Error ? error.message : String(error),
  }),
});
