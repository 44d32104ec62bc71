import { z } from 'zod';
import { UserError } from '../../language/errors.ts';

/** Query parameters of every list. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page. */
  cursor: z.string().max(300).optional(),
};

export const invalidCursor = 'cursor: give the "next" of the page before';

type Key = readonly [at: number | string, id: string];

/** Returns where the next page begins, whatever is added or removed meanwhile; null if this page is the last. */
export function nextCursor<Row>(
  rows: readonly Row[],
  { limit, of }: { readonly limit: number; readonly of: (row: Row) => Key },
): string | null {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return null;
  return Buffer.from(JSON.stringify(of(last).map(String))).toString('base64url');
}

const key = z.tuple([z.string().max(40), z.string().max(100)]);
const timedKey = z.tuple([z.coerce.number().int().min(0), z.string().regex(/^[0-9a-z-]{1,80}$/)]);

/**
 * Parses a cursor that `nextCursor` has made.
 * @throws UserError if it is not such a cursor
 */
export const cursorOf = (text: string): readonly [at: string, id: string] => parseCursor(key, text);

/** Parses a cursor whose time is a number of ms. */
export const timedCursorOf = (text: string): readonly [at: number, id: string] => parseCursor(timedKey, text);

function parseCursor<Known>(schema: z.ZodType<Known>, text: string): Known {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (cause) {
    throw new UserError(invalidCursor, { cause });
  }
}
