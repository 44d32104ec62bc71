import { DeliveryError, type DeliveryFailure } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { minute, second } from '../runtime/units.ts';

/** Returns the delivery failure that a response's HTTP status means; undefined if the post was accepted. */
export function httpFailure(
  status: number,
  { retryAfter, now }: { readonly retryAfter: unknown; readonly now: number },
): DeliveryFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 429) {
    // A server that asks for no pause at all would get the same post again and again without one.
    const pause = Math.max(second, parseRetryAfter(retryAfter, now) ?? minute);
    return { kind: 'rate_limited', retryAfter: pause };
  }
  // 503 means that the request was not handled (RFC 9110 §15.6.4). Any other 5xx may be sent after the post was accepted.
  if (status >= 500) return { kind: 'unavailable', accepted: status === 503 ? 'no' : 'unknown' };
  if (status === 408) return { kind: 'unavailable', accepted: 'unknown' };
  return { kind: 'rejected' };
}

/** What the bot does about each kind of failure, as the error message says it. */
export const httpRemedies: Readonly<Record<Exclude<DeliveryFailure['kind'], 'rejected'>, Text>> = {
  rate_limited: msg('resending when it asked to'),
  unavailable: msg('retrying'),
  barred: msg('its subscriptions are on hold'),
  missing: msg('tried again for three days, then its subscriptions end'),
  gone: msg('its subscriptions end'),
  moved: msg('following it'),
};

/** Builds the error for a post that a server refused: the response's status and what the bot does about it. */
export const refusedPostError = (
  failure: DeliveryFailure,
  {
    host,
    status,
    remedies,
  }: {
    readonly host: string;
    readonly status: number;
    readonly remedies: Readonly<Record<DeliveryFailure['kind'], Text>>;
  },
): DeliveryError =>
  new DeliveryError(
    failure,
    msg('{host} answered {status}: {what}', { host, status: String(status), what: remedies[failure.kind] }),
  );
