import { z } from 'zod';

/** The shards that this process runs, and the number of all shards. */
interface Shards {
  readonly ids: readonly number[];
  readonly count: number;
}

const maxShards = 16_384;

/** Reads `"0-3/16"` as shards 0 to 3 of 16, and `"5/16"` as shard 5 of 16. */
export const shards = z.string().transform((text, context): Shards => {
  const [, first, last = first, of] = /^(\d{1,5})(?:-(\d{1,5}))?\/(\d{1,5})$/.exec(text.trim()) ?? [];
  const [from, to, count] = [Number(first), Number(last), Number(of)];
  if (from <= to && to < count && count <= maxShards) {
    return { ids: Array.from({ length: to - from + 1 }, (_, index) => from + index), count };
  }
  context.addIssue({
    code: 'custom',
    message: 'give shards such as "0-3/16": the first, the last, and of how many',
  });
  return z.NEVER;
});
