import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRefills } from '../runtime/bucket.ts';
import type { Clock } from '../runtime/clock.ts';
import { day, minute, second } from '../runtime/units.ts';
import { messageKey, refusalOf } from './admit.ts';
import { type HookLog, type Inbox, maxWaiting } from './inbox.ts';
import { type ReadBody, readBody, Unreadable } from './read.ts';
import { createRefusing, refusalStatus } from './refuse.ts';
import { type SeenBody, seenBodyOf } from './seen-body.ts';
import { refusals, type Signal } from './signal.ts';

/** A request to `POST /hooks/ID` or `/hooks/ID/SECRET`. */
export interface HookRequest {
  readonly id: string;
  readonly secret?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if it was too large to be read. */
  readonly body: Uint8Array | undefined;
}

/** What came of a request, for metrics. */
export const hookOutcomes = ['accepted', 'known', 'unauthorized', ...refusals] as const;
export type HookOutcome = (typeof hookOutcomes)[number];

/** The response to the sender. */
export interface HookAnswer {
  readonly status: 200 | 202 | 400 | 401 | 413 | 503;
  readonly body: { readonly status: string; readonly alerts?: number } | { readonly error: string };
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

export interface ReceivingOptions {
  readonly hooks: Pick<HookLog, 'find' | 'note'>;
  readonly inbox: Pick<Inbox, 'accept'>;
  /** Throws if the text does not mean a tracked market. */
  readonly resolveSymbol: (text: string) => string;
  /** The last price of a tracked market; undefined if it is not known. */
  readonly priceOf?: ((symbol: string) => number | undefined) | undefined;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: Clock;
  readonly steady: Clock;
  readonly onStored: () => void;
  /** Called once for each request. */
  readonly onOutcome?: ((outcome: HookOutcome) => void) | undefined;
  /** Called with what went wrong after a message was stored, or refused. */
  readonly onError: (error: unknown) => void;
}

/** How long the id of a message that its sender named is remembered; longer than a signature is valid. */
export const namedKeyLifetime = day;
/**
 * How long equal content counts as the same message: senders retry within seconds, but may send the same content on
 * another day.
 */
const contentKeyLifetime = 5 * minute;
/**
 * How many calls a hook accepts at once, as many as come when many things fail together, and after how long each becomes
 * available again. Each process counts by itself; the total is bounded by how many messages may wait.
 */
const pace = { burst: 600, interval: second / 10 };
/**
 * Handles requests of senders. A message answered with 202 is in the database and becomes an alert, even if this
 * process dies.
 */
export function createReceiving(options: ReceivingOptions): (request: HookRequest) => Promise<HookAnswer> {
  const { hooks, inbox, resolveSymbol, priceOf, now, wall, steady, onStored, onOutcome, onError } = options;
  const calls = createRefills(pace);
  const refuse = createRefusing(options);
  let lastAt = 0;

  /** Wall time, in the order in which requests came, so that an exit is never handled before its entry. */
  const nextAt = (): number => {
    const at = wall.now();
    lastAt = at <= lastAt && lastAt - at < second ? lastAt + 1 : at;
    return lastAt;
  };

  return async ({ id, secret, headers, body }) => {
    const at = nextAt();
    const found = await hooks.find(id);
    const sent = { secret, headers, body: body ?? new Uint8Array(), now: at };
    const isSigned = found !== undefined && 'signing' in found.lock;
    const tooLarge = {
      refused: 'too-large',
      at,
      error: 'the body is larger than 1 MB: send it in parts',
    } as const;
    // Whether a body that was not read is signed by the hook's key cannot be known: nobody is told.
    if (body === undefined && isSigned) {
      onOutcome?.('too-large');
      return { status: refusalStatus['too-large'], body: { error: tooLarge.error } };
    }
    const refusal = refusalOf(found?.lock, sent);
    if (refusal !== undefined) {
      onOutcome?.('unauthorized');
      return { status: refusal.status, body: { error: refusal.error } };
    }
    if (found === undefined) throw new TypeError('a hook that is not there refuses nothing');
    const { hook } = found;
    const wait = calls.take(id, steady.now());
    if (wait > 0)
      return refuse(hook, {
        refused: 'busy',
        at,
        error: 'too often: 600 at once and then ten a second',
        wait,
      });
    if (body === undefined) return refuse(hook, tooLarge);
    let read: ReadBody;
    try {
      const contentType = headers['content-type'] ?? '';
      read = readBody(body, { ...hook, contentType, resolveSymbol, priceOf, now: at });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return refuse(hook, { refused: 'unreadable', at, error: error.message, text: textOf(body) });
    }
    const { signals } = read;
    const { key, hasSenderId } = messageKey({ headers, body });
    const received = { hook: id, key, at, market: now(), signals };
    const since = at - (hasSenderId ? namedKeyLifetime : contentKeyLifetime);
    const about = hasSenderId ? undefined : aboutOf(signals);
    const outcome = await inbox.accept(received, { since, about, maxWaiting });
    if (outcome === 'full')
      return refuse(hook, {
        refused: 'full',
        at,
        error: 'too many of this hook wait to become alerts',
        wait: minute,
      });
    const isKnown = outcome === 'twice';
    if (!isKnown) onStored();
    onOutcome?.(isKnown ? 'known' : 'accepted');
    const seen: SeenBody = seenBodyOf(
      { ...read, text: textOf(body) },
      { at: received.market, ...(isKnown && { isKnown }) },
    );
    // The message is stored: what goes wrong now is not the sender's.
    await hooks.note(id, seen).catch(onError);
    return isKnown
      ? { status: 200, body: { status: 'known: nothing has changed' } }
      : { status: 202, body: { status: 'accepted', alerts: signals.length } };
  };
}

/** Returns a hash of what the signals of a body are about. */
const aboutOf = (signals: readonly Signal[]): string =>
  createHash('sha256')
    .update(JSON.stringify(signals.map(({ identity }) => Object.entries(identity).sort())))
    .digest('hex')
    .slice(0, 16);

/** The beginning of a body, to be shown. */
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body.subarray(0, 4_000));
