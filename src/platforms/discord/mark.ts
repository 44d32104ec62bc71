import { hash } from 'node:crypto';
import { z } from 'zod';
import type { DiscordRow } from './render.ts';

/**
 * The mark by which a post is found again: the ids of its first row of buttons and of the first button in it. Discord keeps
 * these ids and does not show them. They are 32-bit integers and never 0, because Discord would replace a 0.
 */
export interface PostMark {
  /** Identifies the post, whatever its content. */
  readonly post: number;
  /** Identifies the post's content. */
  readonly version: number;
}

const idOf = (text: string): number => hash('sha256', text, 'buffer').readUInt32BE() >>> 1 || 1;

/** Returns the part of the mark that is the same for every attempt at the post. */
export const postMarkId = (id: string): number => idOf(id);

export function markOf({ id, version }: { readonly id: string; readonly version: string }): PostMark {
  const post = postMarkId(id);
  const versionId = idOf(version);
  // The ids must be unique within a message.
  return { post, version: versionId === post ? versionId ^ 1 || 2 : versionId };
}

export const isSameMark = (a: PostMark, b: PostMark): boolean => a.post === b.post && a.version === b.version;

/** Returns the rows with the mark in their ids. Without any row there is nothing that could carry the mark. */
export function withMark(rows: readonly DiscordRow[], { post, version }: PostMark): DiscordRow[] {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const [leading, ...rest] = first.components;
  const components = leading === undefined ? [] : [{ ...leading, id: version }, ...rest];
  return [{ ...first, id: post, components }, ...others];
}

const markedComponents = z
  .tuple([z.object({ id: z.int(), components: z.tuple([z.object({ id: z.int() })]).rest(z.unknown()) })])
  .rest(z.unknown());

/** Reads the mark from a message's components; undefined if there is none. In messages of others the ids mean nothing. */
export function readMark(components: unknown): PostMark | undefined {
  const { data } = markedComponents.safeParse(components);
  if (data === undefined) return undefined;
  const [
    {
      id,
      components: [first],
    },
  ] = data;
  return { post: id, version: first.id };
}
