import { z } from 'zod';
import { ApiError } from '../../runtime/errors.ts';
import { day, minute, second } from '../../runtime/units.ts';

/** An upstream's refusal of further requests for a time. */
export const upstreamRefusal = z.object({
  /** True if the whole upstream refuses, false if only the pools of the requested path are affected. */
  whole: z.boolean(),
  until: z.number(),
  reason: z.enum(['rate_limited', 'unauthorized']),
  /** The upstream's own words and what they mean. */
  why: z.string(),
});
export type UpstreamRefusal = z.output<typeof upstreamRefusal>;

/** Binance bans for 2 minutes to 3 days (developers.binance.com, limits). A later end is taken for an error and cut to this. */
const longestBan = 3 * day;
/** No refusal lasts longer: the exchange's clock may differ by a second. */
export const longestPause = longestBan + second;
const shortestBan = 5 * minute;
/** Firewalls count requests over 5 minutes (Binance), or ask for 10 minutes without any (Bybit, docs/v5/rate-limit). */
const firewallPause = 10 * minute;
/**
 * The words of a 403 that is a limit and ends by itself, such as Bybit's "access too frequent". CloudFront's page for a blocked
 * address, "There might be too much traffic", has neither.
 */
const limitText = /\btoo (frequent|many)\b/i;
const countryPause = 15 * minute;
const refusalStatuses: ReadonlySet<number> = new Set([429, 418, 403, 451]);

/**
 * Returns the refusal that a response contains, or undefined if the response is not a refusal.
 * @param defaultPause the pause after a 429 that states none, ms
 */
export function refusalOf(
  { status, body, retryAfter }: { status: number; body: string; retryAfter: number | undefined },
  { now, defaultPause }: { readonly now: number; readonly defaultPause: number },
): UpstreamRefusal | undefined {
  // This check comes before the body is parsed, because a successful response may be long.
  if (!refusalStatuses.has(status)) return undefined;
  const statusText = `HTTP ${status}${messageOf(body)}`;
  const banned = bannedUntil(body, now);
  const refuses = (
    reason: UpstreamRefusal['reason'],
    usualPause: number,
    meaning: string,
  ): UpstreamRefusal => ({
    whole: status !== 429 || banned !== undefined,
    until: Math.max(
      now + Math.min(longestBan, retryAfter ?? (banned === undefined ? usualPause : 0)),
      banned ?? 0,
    ),
    reason,
    why: `${statusText}: ${meaning}`,
  });
  switch (status) {
    case 429:
      return refuses('rate_limited', defaultPause, 'too many requests');
    case 418:
      return refuses('rate_limited', shortestBan, 'this address is banned');
    case 403:
      return limitText.test(body)
        ? refuses('rate_limited', firewallPause, 'too many requests')
        : refuses('unauthorized', firewallPause, blockedAddress);
    case 451:
      return refuses('unauthorized', countryPause, blockedCountry);
    default:
      return undefined;
  }
}
const blockedAddress =
  "the exchange's firewall blocks this address, for too many requests or for its network";
const blockedCountry =
  'the exchange does not serve this country: run the data service where it does, set data.embedded.live.proxy, or choose another venue (data.venue)';

/** Returns the error for a request to an upstream that is paused. */
export function pausedError(
  endpoint: string,
  { until, reason, why, now }: { readonly now: number } & UpstreamRefusal,
): ApiError {
  const retryAfter = Math.max(0, until - now);
  const message = `${why}; nothing is asked for ${Math.ceil(retryAfter / second)} s`;
  return new ApiError(endpoint, reason, message, { retryAfter });
}

/** Whether further requests would only be refused too, so that the caller should stop its series of requests. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.reason === 'rate_limited' || error.reason === 'unauthorized');

/** Whether the request was wrong. In most cases the exchange no longer has the symbol. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'invalid_request';

/**
 * Whether a response arrived whole and its rows were invalid, so that the same request would get the same rows. HTML and half a
 * JSON have no field.
 */
export const isInvalid = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'malformed' && (error.field ?? '') !== '';

/**
 * Returns the error for a response that is neither 200 nor a refusal. Only 400 is the request's fault: what a timeout (408), a
 * maintenance page (302, 404) or a firewall's challenge (202) says is nothing about the symbol.
 */
export function failureOf(endpoint: string, status: number, body: string): ApiError {
  const statusText = `HTTP ${status}${messageOf(body)}`;
  if (status === 400) return new ApiError(endpoint, 'invalid_request', statusText);
  return new ApiError(endpoint, 'server_error', `${statusText}: asked again on schedule`);
}

/**
 * Extracts the error text of a response: Binance sends `{code, msg}`, Bybit `{retCode, retMsg}`, Deribit
 * `{error: {message}}`. Texts in other forms are ignored.
 */
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

/** Reads the end of a ban from a text such as "IP(1.2.3.4) banned until 1659146400000", which comes without Retry-After. */
function bannedUntil(body: string, now: number): number | undefined {
  const until = Number(/banned until (\d{13})\b/i.exec(body)?.[1]);
  // One second is added because the exchange's clock may differ and a request during the ban lengthens it.
  return until > now ? Math.min(until + second, now + longestBan) : undefined;
}
