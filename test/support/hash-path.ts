import { hash } from 'node:crypto';
import type { proofOf } from '#src/alert/hash-tree.ts';

export type LinkProof = ReturnType<typeof proofOf>;

/** Returns the root that the proof leads to, as a stranger computes it who has the proof alone. */
export const rootBy = ({ link: { n, before, body }, path }: LinkProof): string =>
  path.reduce(
    (reached, [side, other]) =>
      hash('sha256', ['node', ...(side === 'left' ? [other, reached] : [reached, other])].join('\n')),
    hash('sha256', [before, n, body].join('\n')),
  );
