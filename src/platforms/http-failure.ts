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
  // A login, a network's gate or a server that is moved: it says nothing about the post.
  if (status < 400) return { kind: 'missing' };
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
  /** Whether a success is one of the expected kind of server, and not of a login page or another program. */
  readonly isExpected?: boolean;
}

/** @throws DeliveryError if the response refuses the post: with its status, and what the bot does about it */
export function checkAccepted(
  { status, headers }: Pick<TextResponse, 'status' | 'headers'>,
  { host, failureByStatus, remedies, wall, isExpected = true }: Reading,
): void {
  const failure =
    failureByStatus[status] ?? httpFailure(status, { retryAfter: headers['retry-after'], now: wall.now() });
  if (failure === undefined && isExpected) return;
  const outcome = failure ?? { kind: 'missing' };
  // Something else answers there than what is needed: the address may be wrong, or what is before it passes.
  const isOther = status < 400 && failureByStatus[status] === undefined;
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
