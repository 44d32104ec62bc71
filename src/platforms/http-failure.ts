import { DeliveryError, type DeliveryFailure } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import type { TextResponse } from '../runtime/request-text.ts';
import { parseRetryAfter } from '../runtime/retry-after.ts';
import { minute, second } from '../runtime/units.ts';
import type { NotifierPorts } from './ports.ts';

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

/** How a response to a post is read. */
interface Reading {
  readonly host: string;
  /** Statuses that do not mean what `httpFailure` says. */
  readonly failureByStatus: Readonly<Record<number, DeliveryFailure>>;
  readonly remedies: Readonly<Record<DeliveryFailure['kind'], Text>>;
  readonly wall: Pick<NotifierPorts['wall'], 'now'>;
  /**
   * Whether a success is one of the expected kind of server, and not of a login page or another program. Left out: each place
   * is a server of its own.
   */
  readonly isExpected?: boolean;
}

/** @throws DeliveryError if the response refuses the post: with its status, and what the bot does about it */
export function checkAccepted(
  { status, headers }: Pick<TextResponse, 'status' | 'headers'>,
  { host, failureByStatus, remedies, wall, isExpected }: Reading,
): void {
  const failure =
    failureByStatus[status] ?? httpFailure(status, { retryAfter: headers['retry-after'], now: wall.now() });
  if (failure === undefined && isExpected !== false) return;
  // A login, a network's gate or another server answers there: it says nothing about the post.
  const isOther = status < 400 && failureByStatus[status] === undefined;
  const accepted = failure === undefined ? 'unknown' : 'no';
  const doubted: DeliveryFailure =
    isExpected === undefined ? { kind: 'missing' } : { kind: 'unavailable', accepted };
  const outcome = failure === undefined || isOther ? doubted : failure;
  const what = remedies[isOther ? 'rejected' : outcome.kind];
  throw new DeliveryError(
    outcome,
    msg('{host} answered {status}: {what}', { host, status: String(status), what }),
  );
}

/** A refused token or password concerns every receiver: queued posts are held until the operator sets another one. */
const refusalPause = 10 * minute;

/** Reports that the server refuses the token or password, and returns the error. */
export function tokenRefusedError(
  reason: Text,
  { reportTokenRefused }: Pick<NotifierPorts, 'reportTokenRefused'>,
): DeliveryError {
  reportTokenRefused(reason);
  return new DeliveryError({ kind: 'rate_limited', retryAfter: refusalPause }, reason);
}
