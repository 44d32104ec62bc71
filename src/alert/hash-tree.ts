import { hash } from 'node:crypto';
import type { ChainHead, ChainLink } from './chain.ts';

/**
 * A tree over the hashes of all links, as in RFC 6962: its root, posted with the head, lets anybody check a single link by
 * some twenty hashes, without the other links. docs/verify.html does so in a browser.
 */
const nodeOf = (left: string, right: string): string => hash('sha256', `node\n${left}\n${right}`);

/** Returns the largest power of two below n. */
const split = (n: number): number => 2 ** Math.floor(Math.log2(n - 1));

/** Adds up the root of a growing tree; it holds one hash for each bit of the size. */
export function createRoot() {
  const parts: { readonly size: number; readonly hash: string }[] = [];
  return {
    add(leaf: string): void {
      let part = { size: 1, hash: leaf };
      for (let last = parts.at(-1); last?.size === part.size; last = parts.at(-1)) {
        part = { size: 2 * part.size, hash: nodeOf(last.hash, part.hash) };
        parts.pop();
      }
      parts.push(part);
    },
    /** Returns the root; undefined while there are no leaves. */
    root: (): string | undefined =>
      parts.reduceRight<string | undefined>(
        (right, { hash: left }) => (right === undefined ? left : nodeOf(left, right)),
        undefined,
      ),
  };
}

const rootOf = (leaves: readonly string[]): string => {
  const tree = createRoot();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root() ?? '';
};

/** What one message needs to say so that a link can be checked against the root of a tree with `size` links. */
interface LinkProof {
  readonly size: number;
  readonly link: Omit<ChainLink, 'hash'> & { readonly before: string };
  /** The hashes beside the way from the link to the root, and on which side each stands. */
  readonly path: readonly (readonly ['left' | 'right', string])[];
}

/** @param leaves the hashes of the links of the tree, of which the link is one */
export function proofOf({ n, body }: ChainLink, before: ChainHead, leaves: readonly string[]): LinkProof {
  const path: [side: 'left' | 'right', hash: string][] = [];
  for (let [at, all] = [n - 1, leaves]; all.length > 1; ) {
    const middle = split(all.length);
    const isLeft = at < middle;
    path.unshift(isLeft ? ['right', rootOf(all.slice(middle))] : ['left', rootOf(all.slice(0, middle))]);
    [at, all] = isLeft ? [at, all.slice(0, middle)] : [at - middle, all.slice(middle)];
  }
  return { size: leaves.length, link: { n, before: before.hash, body }, path };
}
