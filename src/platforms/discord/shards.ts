import { z } from 'zod';

/** Which shards this process runs, of how many. */
export interface Shards {
  readonly ids: readonly number[];
  readonly count: number;
}

const most = 16_384;

/** `"0-3/16"`: shards 0 to 3 of 16; `"5/16"`: one of them. */
export const shards = z.string().transform((text, context): Shards => {
  const [, first, last = first, of] = /^(\d{1,5})(?:-(\d{1,5}))?\/(\d{1,5})$/.exec(text.trim()) ?? [];
  const [from, to, count] = [Number(first), Number(last), Number(of)];
  if (from <= to && to < count && count <= most) {
    return { ids: Array.from({ length: to - from + 1 }, (_, index) => from + index), count };
  }
  context.addIssue({
    code: 'custom',
    message: 'give shards such as "0-3/16": the first, the last, and of how many',
  });
  return z.NEVER;
});
