const longest = 24 * 3_600_000;

/** Retry-After (RFC 9110 §10.2.3), in seconds or as an HTTP date, to ms; undefined where it says nothing. At most a day. */
export function parseRetryAfter(header: unknown, wallNow: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : httpDate(text) - wallNow;
  return Number.isNaN(ms) ? undefined : Math.min(longest, Math.max(0, ms));
}

/** Only the date forms of RFC 9110 begin with a weekday; Date.parse alone takes "-5" for a year. */
const httpDate = (text: string): number => (/^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN);
