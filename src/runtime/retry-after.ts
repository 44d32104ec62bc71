const longest = 24 * 3_600_000;

/** Returns how long to pause, ms, for one who asks for `ms`: at most a day, because a slip would be a pause for good. */
export const boundedPause = (ms: number): number => Math.min(longest, ms);

/** Parses Retry-After to ms, at most a day. Undefined if there is no valid value. */
export function parseRetryAfter(header: unknown, wallNow: number): number | undefined {
  const ms = parseWait(header, wallNow);
  return ms === undefined ? undefined : boundedPause(ms);
}

/**
 * Parses Retry-After (RFC 9110 §10.2.3), in seconds or as an HTTP date, to ms, however long. Undefined if there is no valid
 * value.
 */
export function parseWait(header: unknown, wallNow: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : httpDate(text) - wallNow;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Parses an HTTP date. All date forms of RFC 9110 begin with a weekday; Date.parse alone would read "-5" as a year. */
const httpDate = (text: string): number => (/^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN);
