import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../runtime/clock.ts';
import { day, minute, second } from '../runtime/units.ts';
import { messageKey, refusalOf } from './admit.ts';
import type { HookLog, Inbox } from './inbox.ts';
import { createPaces } from './pace.ts';
import { readBody, Unreadable } from './read.ts';

/** A request to `POST /hooks/ID` or `/hooks/ID/SECRET`. */
export interface HookRequest {
  readonly id: string;
  readonly secret?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The response to the sender. */
export interface HookAnswer {
  readonly status: 200 | 202 | 400 | 401 | 429 | 503;
  readonly body: { readonly status: string; readonly alerts?: number } | { readonly error: string };
  /** Seconds. */
  readonly retryAfter?: number;
}

export interface ReceivingOptions {
  readonly hooks: Pick<HookLog, 'find'>;
  readonly inbox: Pick<Inbox, 'accept'>;
  /** Throws if the text does not mean a tracked market. */
  readonly resolveSymbol: (text: string) => string;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: Clock;
  readonly steady: Clock;
  /** Called when a message was stored. */
  readonly onStored: () => void;
}

/** How long the id of a message that its sender named is remembered; longer than a signature is valid. */
export const namedKeyLifetime = day;
/**
 * How long equal content counts as the same message: senders retry within seconds, but may send the same content on
 * another day.
 */
const contentKeyLifetime = 5 * minute;
/** The same after another message of the hook, as in "buy", "sell", "buy". */
const followedKeyLifetime = 30 * second;
/** Messages of one hook that may wait while no process handles them. */
const maxWaiting = 1_000;

/**
 * Handles requests of senders. A message answered with 202 is in the database and becomes an alert, even if this
 * process dies.
 */
export function createReceiving({
  hooks,
  inbox,
  resolveSymbol,
  now,
  wall,
  steady,
  onStored,
}: ReceivingOptions): (request: HookRequest) => Promise<HookAnswer> {
  const paces = createPaces(steady);
  return async ({ id, secret, headers, body }) => {
    const found = await hooks.find(id);
    const at = wall.now();
    const refusal = refusalOf(found?.lock, { secret, headers, body, now: at });
    if (refusal !== undefined) return { status: refusal.status, body: { error: refusal.error } };
    if (found === undefined) throw new TypeError('a hook that is not there refuses nothing');
    const wait = paces.take(id);
    if (wait > 0) return tooMany(429, { error: 'too often: 60 at once and then one a second', wait });
    const { key, hasSenderId } = messageKey({ headers, body });
    try {
      const signals = readBody(body, {
        ...found.hook,
        contentType: headers['content-type'] ?? '',
        resolveSymbol,
      });
      const received = { hook: id, key, at, market: now(), signals };
      const known = hasSenderId
        ? { since: at - namedKeyLifetime }
        : { since: at - contentKeyLifetime, sinceFollowed: at - followedKeyLifetime };
      const outcome = await inbox.accept(received, { ...known, maxWaiting });
      if (outcome === 'full')
        return tooMany(503, { error: 'too many of this hook wait to become alerts', wait: minute });
      if (outcome === 'twice') return { status: 200, body: { status: 'known: nothing has changed' } };
      onStored();
      return { status: 202, body: { status: 'accepted', alerts: signals.length } };
    } catch (error) {
      if (error instanceof Unreadable) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

const tooMany = (
  status: 429 | 503,
  { error, wait }: { readonly error: string; readonly wait: number },
): HookAnswer => ({ status, body: { error }, retryAfter: Math.ceil(wait / second) });
