/** SQLSTATE classes of wrong data (21, 22), a violated constraint (23) and an invalid statement (42). */
const refusedClasses = ['21', '22', '23', '42'];
/** Primary result codes of SQLite: error, too big, constraint, mismatch, range. */
const refusedResults = [1, 18, 19, 20, 25];

/**
 * Returns whether the work itself is at fault and would fail at every retry: a defect in this program, or data that a
 * database refuses. Everything else (a lock, a full disk, an unreachable server) is temporary.
 */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number')
    return refusedResults.includes(error.errcode & 0xff);
  return 'code' in error && typeof error.code === 'string' && refusedClasses.includes(sqlClass(error.code));
}

/** Returns the class of a SQLSTATE, which has five characters; Node's own error codes are longer. */
const sqlClass = (code: string): string => (code.length === 5 ? code.slice(0, 2) : '');
