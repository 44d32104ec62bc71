import { DeliveryError, type DeliveryFailure } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { minute } from '../runtime/units.ts';

/** What an answer's status means to whoever posts by HTTP; undefined: accepted. */
export function httpFailure(
  status: number,
  { retryAfter, now }: { readonly retryAfter: unknown; readonly now: number },
): DeliveryFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 429) return { kind: 'rate_limited', retryAfter: parseRetryAfter(retryAfter, now) ?? minute };
  // 503 says it was not handled (RFC 9110 §15.6.4); any other 5xx may come after the work was done.
  if (status >= 500) return { kind: 'unavailable', accepted: status === 503 ? 'no' : 'unknown' };
  if (status === 408) return { kind: 'unavailable', accepted: 'unknown' };
  return { kind: 'rejected' };
}

/** What is done about each, as its error says. */
export const httpRemedies: Readonly<Record<Exclude<DeliveryFailure['kind'], 'rejected'>, Text>> = {
  rate_limited: msg('resending when it asked to'),
  unavailable: msg('retrying'),
  barred: msg('its subscriptions are on hold'),
  missing: msg('tried again for three days, then its subscriptions end'),
  gone: msg('its subscriptions end'),
  moved: msg('following it'),
};

/** What a server answered instead of taking a post, and what is done about it. */
export const notTaken = (
  failed: DeliveryFailure,
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
    failed,
    msg('{host} answered {status}: {what}', { host, status: String(status), what: remedies[failed.kind] }),
  );
