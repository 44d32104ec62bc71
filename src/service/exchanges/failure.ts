import { ApiError } from '../../runtime/errors.ts';
import { day, minute, second } from '../../runtime/units.ts';

/** An upstream's wish to be left alone. */
export interface UpstreamRefusal {
  /** All of it, not only the pool of limits that the path spends from. */
  readonly whole: boolean;
  readonly until: number;
  readonly reason: 'rate_limited' | 'unauthorized';
  /** What it said and what that means. */
  readonly why: string;
}

/** Binance bans for 2 minutes to 3 days (developers.binance.com, limits); a later end is a slip of the pen. */
const longestBan = 3 * day;
const shortestBan = 5 * minute;
/** The firewall's own window is 5 minutes: a second look well after it. */
const firewallRest = 10 * minute;
const countryRest = 15 * minute;
const refusing: ReadonlySet<number> = new Set([429, 418, 403, 451]);

/**
 * What an answer says about asking again; undefined where it says nothing. `usual`: the rest after a 429 that names
 * none.
 */
export function refusalOf(
  { status, body, retryAfter }: { status: number; body: string; retryAfter: number | undefined },
  { now, usual }: { readonly now: number; readonly usual: number },
): UpstreamRefusal | undefined {
  // Before anything is read of it: an answer that is well is long.
  if (!refusing.has(status)) return undefined;
  const said = `HTTP ${status}${messageOf(body)}`;
  const banned = bannedUntil(body, now);
  const until = (rest: number) =>
    Math.max(now + (retryAfter ?? (banned === undefined ? rest : 0)), banned ?? 0);
  switch (status) {
    case 429:
      return {
        whole: banned !== undefined,
        until: until(usual),
        reason: 'rate_limited',
        why: `${said}: too many requests`,
      };
    case 418:
      return {
        whole: true,
        until: until(shortestBan),
        reason: 'rate_limited',
        why: `${said}: this address is banned`,
      };
    case 403:
      return {
        whole: true,
        until: until(firewallRest),
        reason: 'unauthorized',
        why: `${said}: the exchange's firewall blocks this address, for too many requests or for its network`,
      };
    case 451:
      return {
        whole: true,
        until: until(countryRest),
        reason: 'unauthorized',
        why: `${said}: the exchange does not serve this country: run the data service where it does, set data.embedded.live.proxy, or choose another venue (data.venue)`,
      };
    default:
      return undefined;
  }
}

/** The error of whoever asks an upstream that rests. */
export function restError(
  endpoint: string,
  { until, reason, why, now }: { readonly now: number } & UpstreamRefusal,
): ApiError {
  const retryAfter = Math.max(0, until - now);
  const message = `${why}; nothing is asked for ${Math.ceil(retryAfter / second)} s`;
  return new ApiError(endpoint, reason, message, { retryAfter });
}

/** Whether asking on would only be refused again: a whole pass ends with it. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.reason === 'rate_limited' || error.reason === 'unauthorized');

/** Whether the question was wrong: a symbol that the exchange no longer has, mostly. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'invalid_request';

/** Any other answer that is not 200, as the error that says whose turn it is. */
export function failureOf(
  endpoint: string,
  { status, body }: { readonly status: number; readonly body: string },
): ApiError {
  const said = `HTTP ${status}${messageOf(body)}`;
  if (status >= 500) return new ApiError(endpoint, 'server_error', `${said}: asked again on schedule`);
  return new ApiError(endpoint, 'invalid_request', said);
}

/** Binance says `{code, msg}`, Bybit `{retCode, retMsg}`, Deribit `{error: {message}}`; nothing else is repeated. */
function messageOf(body: string): string {
  try {
    const { msg, retMsg, error } = JSON.parse(body) as {
      msg?: unknown;
      retMsg?: unknown;
      error?: { message?: unknown };
    };
    const text = msg ?? retMsg ?? error?.message;
    return typeof text === 'string' ? ` (${text.slice(0, 200)})` : '';
  } catch {
    return '';
  }
}

/** "IP(1.2.3.4) banned until 1659146400000", which comes without Retry-After. */
function bannedUntil(body: string, now: number): number | undefined {
  const until = Number(/banned until (\d{13})\b/i.exec(body)?.[1]);
  // A second more: the exchange's clock is not ours, and a request inside the ban lengthens it.
  return until > now ? Math.min(until + second, now + longestBan) : undefined;
}

/** Retry-After in ms: seconds or an HTTP date. */
export function retryAfterOf(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * second : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
