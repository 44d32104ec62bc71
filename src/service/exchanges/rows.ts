import { z } from 'zod';

/** A number written as text. */
export const decimal = z
  .string()
  .min(1)
  .transform(Number)
  .pipe(z.number({ error: 'must be a decimal string' }));

/** The valid rows of a list, and how many were invalid. */
export interface Rows<Row> {
  readonly rows: Row[];
  readonly dropped: number;
  /** What was wrong with the first dropped row. */
  readonly example: string;
}

/** Called when invalid rows of a response were dropped. `of` is the number of all rows. */
export type OnRowsDropped = (dropped: {
  readonly endpoint: string;
  readonly dropped: number;
  readonly of: number;
  readonly example: string;
}) => void;

/**
 * Schema of a list in which single rows may be invalid (an empty rate, a null volume, no longs and no shorts): such rows
 * are dropped and counted. If more than half of the rows are invalid, the whole response is.
 * @param row schema of a row; gives undefined for a valid row that is not wanted
 */
export const rowsOf = <Row>(row: z.ZodType<Row | undefined>) =>
  z.array(z.unknown()).transform((entries, context): Rows<Row> => {
    const rows: Row[] = [];
    const issues: z.core.$ZodIssue[] = [];
    for (const [index, entry] of entries.entries()) {
      const parsed = row.safeParse(entry);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        if (issue !== undefined) issues.push({ ...issue, path: [index, ...issue.path] });
      } else if (parsed.data !== undefined) rows.push(parsed.data);
    }
    const [first] = issues;
    if (first !== undefined && 2 * issues.length > entries.length) {
      context.addIssue({ code: 'custom', message: first.message, path: [...first.path] });
      return z.NEVER;
    }
    const example = first === undefined ? '' : `field "${first.path.join('.')}": ${first.message}`;
    return { rows, dropped: issues.length, example };
  });
