/** What a spreadsheet would take for a formula if it stood at the beginning of a text. */
const formula = /^[\s]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]|^[\t\r\n]/;

/** Writes a cell (RFC 4180). A text that begins like a formula stays a text: an apostrophe stands before it. */
function cellOf(cell: string | number | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as a spreadsheet takes it; undefined is an empty cell. */
export interface PageSheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | undefined)[])[];
}

/** Writes a table as CSV. Its first character says that it is UTF-8, without which Excel takes it for something else. */
export const csvOf = ({ columns, rows }: PageSheet): string =>
  `\uFEFF${[columns, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`;

/** A time as a spreadsheet reads it; undefined if there is none. */
export const cellTime = (at: number | null | undefined): string | undefined =>
  at === undefined || at === null ? undefined : new Date(at).toISOString();
