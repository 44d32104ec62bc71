import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DiscordRow } from './render.ts';

/**
 * By what a post is found again: the ids of its first row of buttons and of the first among them, which Discord keeps and
 * shows nobody. As 32-bit integers, never 0, which Discord would replace.
 */
export interface PostMark {
  /** Of the post, whatever it says. */
  readonly post: number;
  /** Of what it says. */
  readonly version: number;
}

const idOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() >>> 1 || 1;

/** Of every attempt at the post. */
export const markedPost = (id: string): number => idOf(id);

export function markOf({ id, version }: { readonly id: string; readonly version: string }): PostMark {
  const post = markedPost(id);
  const said = idOf(version);
  // Ids are unique within a message.
  return { post, version: said === post ? said ^ 1 || 2 : said };
}

export const isMark = (a: PostMark, b: PostMark): boolean => a.post === b.post && a.version === b.version;

/** The rows with the mark; without a row there is nothing that could bear it. */
export function marked(rows: readonly DiscordRow[], { post, version }: PostMark): DiscordRow[] {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const [leading, ...rest] = first.components;
  const components = leading === undefined ? [] : [{ ...leading, id: version }, ...rest];
  return [{ ...first, id: post, components }, ...others];
}

const bearer = z
  .tuple([z.object({ id: z.int(), components: z.tuple([z.object({ id: z.int() })]).rest(z.unknown()) })])
  .rest(z.unknown());

/** Of a message's components; undefined where it has none. One of another hand has ids too, which mean nothing. */
export function readMark(components: unknown): PostMark | undefined {
  const { data } = bearer.safeParse(components);
  if (data === undefined) return undefined;
  const [
    {
      id,
      components: [first],
    },
  ] = data;
  return { post: id, version: first.id };
}
