/**
 * SQLSTATEs of a connection that broke (08), a transaction that others ended (40), a server without room (53) or that ends
 * or starts (57), and one that has become a standby.
 */
const passing = /^(?:(?:08|40|53|57)[\dA-Z]{3}|25006)$/;
/** Codes of the system, such as ECONNRESET. */
const ofSystem = /^E(?!RR_)[A-Z_]+$/;
/** What pg and our own socket say, without a code, of a connection that is gone. */
const gone = /^Connection terminated|is not queryable$|^timeout exceeded|^Postgres has said nothing/;

/** Returns whether an error of a Postgres database may pass by itself, such as one of a fail-over. */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string')
    return passing.test(error.code) || ofSystem.test(error.code);
  return gone.test(error.message);
};
