/** SQLSTATE classes: wrong data, a broken constraint, a statement that cannot be. */
const refusedClasses = ['21', '22', '23', '42'];
/** Primary result codes of SQLite: error, too big, constraint, mismatch, range. */
const refusedResults = [1, 18, 19, 20, 25];

/**
 * Whether what was to be done is itself at fault, and would fail again however often it is tried: a defect of ours, or
 * data that a database refuses. Everything else (a lock, a full disk, a server that is away) passes.
 */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number')
    return refusedResults.includes(error.errcode & 0xff);
  return 'code' in error && typeof error.code === 'string' && refusedClasses.includes(sqlClass(error.code));
}

/** Of a SQLSTATE, which has five characters: Node's own codes are longer. */
const sqlClass = (code: string): string => (code.length === 5 ? code.slice(0, 2) : '');
