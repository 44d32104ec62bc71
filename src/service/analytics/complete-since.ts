import { timeOf } from '../../runtime/rows.ts';

/**
 * Returns the time of the first row after the last hole; undefined if there is no hole. What a venue no longer keeps, or never
 * sent, cannot be fetched later: a window that begins with a hole says so, as one with a hole in it does.
 * @param rows ascending, within a window that begins at `from`, market ms
 * @param usual the longest time between two rows that is no hole, ms
 */
export function completeSince(
  rows: readonly { readonly timestamp: string }[],
  from: number,
  usual: number,
): string | undefined {
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const [row, before] = [rows[index], rows[index - 1]];
    if (row !== undefined && timeOf(row) - (before === undefined ? from : timeOf(before)) > usual)
      return row.timestamp;
  }
  return undefined;
}
