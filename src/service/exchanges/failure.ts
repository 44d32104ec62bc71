import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';

/** An answer that is not 200, as the error that says whose turn it is. `pause` counts for 418 and 429 alone. */
export function failureOf(endpoint: string, status: number, body: string, pause: number): ApiError {
  const said = `HTTP ${status}${messageOf(body)}`;
  if (status === 429 || status === 418) {
    const action = status === 418 ? 'this address is banned' : 'too many requests';
    return new ApiError(
      endpoint,
      'rate_limited',
      `${said}: ${action}, asking again in ${Math.ceil(pause / second)} s`,
      {
        retryAfter: pause,
      },
    );
  }
  if (status === 451 || status === 403) {
    return new ApiError(
      endpoint,
      'unauthorized',
      `${said}: refused from this place: run the data service where the exchange allows it, or choose another market`,
    );
  }
  if (status >= 500) return new ApiError(endpoint, 'server_error', `${said}: asked again on schedule`);
  return new ApiError(endpoint, 'invalid_request', said);
}

/** Binance says `{code, msg}`, Deribit `{error: {message}}`; anything else is not repeated. */
function messageOf(body: string): string {
  try {
    const { msg, error } = JSON.parse(body) as { msg?: unknown; error?: { message?: unknown } };
    const text = msg ?? error?.message;
    return typeof text === 'string' ? ` (${text.slice(0, 200)})` : '';
  } catch {
    return '';
  }
}

/** Retry-After in ms: seconds or an HTTP date. */
export function retryAfterOf(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * second : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
