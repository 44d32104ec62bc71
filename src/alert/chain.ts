import { createHash, hash } from 'node:crypto';
import type { Alert } from './alert.ts';
import { createRoot } from './hash-tree.ts';
import type { Expectation } from './outcome.ts';

/** An announced revision of an alert, or a ledger of what is stored. Its hash depends on all links before it. */
export interface ChainLink {
  /** The number of the link, from 1, without gaps. */
  readonly n: number;
  /** JSON: see `chainBody` and ledger.ts. */
  readonly body: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** The number and hash of a link, as posted. A posted head proves which links existed up to it and what they contained. */
export type ChainHead = Pick<ChainLink, 'n' | 'hash'>;
/** A head as posted, with the root of the tree over all links up to it. Heads of earlier versions have none. */
export type PostedHead = ChainHead & { readonly root?: string | undefined };

/** The head of an empty chain. */
export const noHead: ChainHead = { n: 0, hash: '0'.repeat(64) };

/** Returns the hash of an alert as it is stored, by which a link knows all that cards show of it. */
export const storedHash = (body: string): string => hash('sha256', body);

/**
 * Returns what the hash covers: which alert it was, what it said and when, and what it claimed about the price, if its
 * outcome is followed.
 */
export const chainBody = (alert: Alert, prediction?: Expectation): string => {
  const { id, revision, status, severity, labels, startsAt, updatedAt, endsAt, annotations } = alert;
  const { title } = annotations;
  const stored = storedHash(JSON.stringify(alert));
  return JSON.stringify({
    id,
    revision,
    status,
    severity,
    labels,
    startsAt,
    updatedAt,
    endsAt,
    title,
    prediction,
    stored,
  });
};

export function nextLink(before: ChainHead, body: string): ChainLink {
  const n = before.n + 1;
  return {
    n,
    body,
    hash: createHash('sha256').update([before.hash, n, body].join('\n')).digest('hex'),
  };
}

/** Checks links one after another, and against the heads that were posted. `end` reports the first problem. */
export function createChainCheck(heads: readonly PostedHead[]) {
  const headsByNumber = Map.groupBy(heads, ({ n }) => n);
  let head = noHead;
  let problem: string | undefined;
  let matchingHeads = 0;
  const tree = createRoot();
  return {
    add(link: ChainLink): void {
      if (problem !== undefined) return;
      const expected = nextLink(head, link.body);
      if (link.n !== expected.n) problem = `link ${expected.n} is missing: ${link.n} follows ${head.n}`;
      else if (link.hash !== expected.hash)
        problem = `link ${link.n} or an earlier one was changed: its hash does not match its content`;
      tree.add(link.hash);
      for (const { n, hash, root } of headsByNumber.get(link.n) ?? []) {
        if (problem !== undefined) return;
        if (hash === link.hash && (root ?? tree.root()) === tree.root()) matchingHeads += 1;
        else problem = `head ${n} was posted as ${hash}, but is now ${link.hash}: the chain was rewritten`;
      }
      head = link;
    },
    /** Returns the last head, the first problem found, and as `matchingHeads` the number of posted heads that match the chain. */
    end(): {
      readonly head: ChainHead;
      readonly matchingHeads: number;
      readonly problem?: string | undefined;
    } {
      const missingHead = heads.find(({ n }) => n > head.n);
      if (problem === undefined && missingHead !== undefined)
        problem = `head ${missingHead.n} was posted, but the chain ends at ${head.n}: its last links are missing`;
      return { head, matchingHeads, problem };
    },
  };
}

/** Returns the text of a head as it is posted. `headsIn` finds such heads in any text. */
export const headText = ({ n, hash, root }: PostedHead): string =>
  root === undefined ? `${n} ${hash}` : `${n} ${hash} tree ${root}`;

export const headsIn = (text: string): PostedHead[] =>
  [...text.matchAll(/\b(\d{1,15}) ([0-9a-f]{64})(?: tree ([0-9a-f]{64}))?\b/g)].map(
    ([, n = '', hash = '', root]) => ({ n: Number(n), hash, root }),
  );
