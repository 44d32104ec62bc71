import { z } from 'zod';

/** A number written as text. */
export const decimal = z
  .string()
  .min(1)
  .transform(Number)
  .pipe(z.number({ error: 'must be a decimal string' }));

/** What is good of a list, and what is not. */
export interface Rows<Row> {
  readonly rows: Row[];
  readonly dropped: number;
  /** What was wrong with the first dropped row. */
  readonly example: string;
}

/** Told of the odd rows of one answer, which were dropped. */
export type OnOdd = (odd: {
  readonly endpoint: string;
  readonly dropped: number;
  readonly of: number;
  readonly example: string;
}) => void;

/**
 * Schema of a list in which single rows may be odd (an empty rate, a null volume, no longs and no shorts): they are
 * dropped and counted. Where more than half are, it is the answer that is not as promised.
 * @param row gives undefined for what is as promised and not meant
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
