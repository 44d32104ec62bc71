import { createHash } from 'node:crypto';
import type { Alert } from './alert.ts';

/** One announced revision, bound by its hash to all that were announced before. */
export interface ChainLink {
  /** From 1 on, without a gap. */
  readonly n: number;
  /** What was announced, JSON. */
  readonly body: string;
  /** Hex. */
  readonly hash: string;
}

/** A head as it was posted: whoever has it knows that everything up to it was there, and as it was. */
export type ChainHead = Pick<ChainLink, 'n' | 'hash'>;

/** Before the first. */
export const noHead: ChainHead = { n: 0, hash: '0'.repeat(64) };

/** What can be judged afterwards: whose it is, what it said and when; not how it looked. */
export const chainBody = ({
  id,
  revision,
  status,
  severity,
  labels,
  startsAt,
  updatedAt,
  endsAt,
  annotations: { title },
}: Alert): string =>
  JSON.stringify({ id, revision, status, severity, labels, startsAt, updatedAt, endsAt, title });

export function linked(before: ChainHead, body: string): ChainLink {
  const n = before.n + 1;
  return {
    n,
    body,
    hash: createHash('sha256').update([before.hash, n, body].join('\n')).digest('hex'),
  };
}

/** Follows links one after another. */
export function chainCheck(heads: readonly ChainHead[]) {
  const wanted = Map.groupBy(heads, ({ n }) => n);
  let head = noHead;
  let problem: string | undefined;
  let held = 0;
  return {
    add(link: ChainLink): void {
      if (problem !== undefined) return;
      const expected = linked(head, link.body);
      if (link.n !== expected.n) problem = `link ${expected.n} is missing: ${link.n} follows ${head.n}`;
      else if (link.hash !== expected.hash)
        problem = `link ${link.n} or an earlier one was changed: its hash does not match its content`;
      for (const { n, hash } of wanted.get(link.n) ?? []) {
        if (problem !== undefined) return;
        if (hash === link.hash) held += 1;
        else problem = `head ${n} was posted as ${hash}, but is now ${link.hash}: the chain was rewritten`;
      }
      head = link;
    },
    /** `held`: posted heads that are in it. */
    end(): { readonly head: ChainHead; readonly held: number; readonly problem?: string } {
      const beyond = heads.find(({ n }) => n > head.n);
      if (problem === undefined && beyond !== undefined)
        problem = `head ${beyond.n} was posted, but the chain ends at ${head.n}: its last links are missing`;
      return { head, held, ...(problem !== undefined && { problem }) };
    },
  };
}

/** How a head is posted, and found again in any text around it. */
export const headText = ({ n, hash }: ChainHead): string => `${n} ${hash}`;

export const headsIn = (text: string): ChainHead[] =>
  [...text.matchAll(/\b(\d{1,15}) ([0-9a-f]{64})\b/g)].map(([, n = '', hash = '']) => ({
    n: Number(n),
    hash,
  }));
