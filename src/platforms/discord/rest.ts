import { Agent, FormData } from 'undici';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { isNeverSent } from '../../runtime/never-sent.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { requestText } from '../../runtime/request-text.ts';
import type { Secret } from '../../runtime/secret.ts';
import { CalledOff, isCalledOff } from '../../runtime/send-check.ts';
import { minute, second } from '../../runtime/units.ts';
import type { NotifierPorts } from '../ports.ts';
import { createTokenHold, type TokenRefusal } from '../token-hold.ts';
import { type DiscordRefusal, exhaustedFor, type RawDiscordAnswer, readRefusal } from './failure.ts';
import type { DiscordOptions } from './options.ts';

export interface DiscordUpload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Begins with a slash. */
  readonly path: string;
  /** The key of the rate limit that the request counts against, as the pace knows it. */
  readonly place: string;
  readonly json?: unknown;
  readonly files?: readonly DiscordUpload[];
  readonly signal: AbortSignal;
}

export type RestAnswer =
  | { readonly ok: true; readonly json: unknown }
  | ({ readonly ok: false } & DiscordRefusal);

export interface Rest {
  /** Sends a request once, without retries. Never throws. */
  ask(call: Call): Promise<RestAnswer>;
  close(): Promise<void>;
}

/**
 * Discord bans an IP address for 10,000 invalid requests in 10 minutes. After half of that nothing is sent until enough of them
 * are older.
 */
export const refusals = { max: 5_000, per: 10 * minute };
/** Number of first requests that are slow because connections must be opened: about as many as are sent in a second. */
const slowRequests = 50;
/** Maximum size of a response, bytes. A hundred messages take a tenth of it. */
const maxAnswerBytes = 4_000_000;

/** Headers that every request with the bot's token must have. */
export const tokenHeaders = (token: Secret): Readonly<Record<string, string>> => ({
  authorization: `Bot ${token.reveal()}`,
  // The format that Discord requires of every client (API reference, "User Agent").
  'user-agent': 'DiscordBot (tocsin, 1)',
});

export const notAccepted = msg('Discord does not accept DISCORD_TOKEN: set a valid one and restart');

/**
 * Creates a client of Discord's REST API for one bot token. It sends each request once, reports the rate limits that
 * responses state, and pauses before Discord bans the bot.
 */
export function createRest(
  { token, apiUrl, timeout }: DiscordOptions,
  ports: NotifierPorts,
  { max, per } = refusals,
): Rest {
  const { pace, steady: clock, log } = ports;
  const agent = new Agent({
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 30 * second,
    connect: { timeout },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxAnswerBytes,
  });
  const tokenHold = createTokenHold(ports);
  let invalid: number[] = [];
  let warned = false;
  /** The shortest time between a request and its response, ms. It rises slowly, because network routes change. */
  let fastest = Number.POSITIVE_INFINITY;
  let timedRequests = 0;

  /** Returns why no request may be sent at present; undefined if requests may be sent. */
  const withheldReason = (): DiscordRefusal | undefined => {
    const now = clock.now();
    if (invalid.length < max) return undefined;
    invalid = invalid.filter((at) => at > now - per);
    const first = invalid[invalid.length - max];
    if (first === undefined) {
      warned = false;
      return undefined;
    }
    if (!warned)
      log.error('Discord refused half of what it bans an address for; sending rests until that is past');
    warned = true;
    return withheld({
      reason: msg('too many requests were refused; sending pauses before Discord bans the bot'),
      retryAfter: first + per - now,
    });
  };

  const applyLimits = (
    place: string,
    { answer, refusal }: { readonly answer: RawDiscordAnswer; readonly refusal: DiscordRefusal | undefined },
  ): void => {
    const spent = exhaustedFor(answer.headers);
    if (spent > 0) pace.block(place, spent);
    if (refusal === undefined) return;
    if (refusal.outcome.kind === 'rate_limited') {
      pace.block(refusal.global ? undefined : place, refusal.outcome.retryAfter);
    }
    if (refusal.invalid) invalid.push(clock.now());
  };

  /** Returns the refusal, which holds all requests if it is about the token. */
  const heedToken = (refusal: DiscordRefusal | undefined): DiscordRefusal | undefined => {
    // A 401 may also refuse the token of a webhook, which concerns one place only.
    if (refusal?.status === 401 && refusal.outcome.kind !== 'gone')
      return withheld(tokenHold.refused(notAccepted));
    if (refusal === undefined || refusal.code) tokenHold.accepted();
    return refusal;
  };

  return {
    async ask({ method, path, place, json, files, signal }) {
      if (isCalledOff(signal)) return { ok: false, ...calledOff };
      const held = tokenHold.held();
      const unsent = held === undefined ? withheldReason() : withheld(held);
      if (unsent !== undefined) return { ok: false, ...unsent };
      try {
        const begun = clock.now();
        const { status, headers, text } = await requestText(`${apiUrl}/v10${path}`, {
          method,
          headers: {
            ...tokenHeaders(token),
            ...(json !== undefined && files === undefined && { 'content-type': 'application/json' }),
          },
          body: json === undefined ? null : files === undefined ? JSON.stringify(json) : form(json, files),
          dispatcher: agent,
          signal,
        });
        const answered = clock.now();
        fastest = Math.min(answered - begun, fastest * 1.01 + 0.1);
        timedRequests += 1;
        // The first requests are slow, so the shortest time is not known yet: the time of the response is reported.
        pace.reportDelay(begun, Math.max(begun, answered - (timedRequests > slowRequests ? fastest : 0)));
        const answer: RawDiscordAnswer = { status, headers, json: parseJson(text) };
        const isSuccess = status >= 200 && status < 300 && (answer.json !== undefined || status === 204);
        const given = isSuccess ? undefined : readRefusal(answer);
        applyLimits(place, { answer, refusal: given });
        const refusal = heedToken(given);
        return refusal === undefined ? { ok: true, json: answer.json } : { ok: false, ...refusal };
      } catch (error) {
        return { ok: false, ...(error instanceof CalledOff ? calledOff : unreachedRefusal(error, signal)) };
      }
    },
    close: () => agent.close(),
  };
}

function form(json: unknown, files: readonly DiscordUpload[]): FormData {
  const parts = new FormData();
  parts.append('payload_json', JSON.stringify(json));
  for (const [index, { name, type, bytes }] of files.entries()) {
    // The bytes are copied, because of a view into a larger buffer the whole buffer would be sent.
    parts.append(`files[${index}]`, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  return parts;
}

/** A request to which Discord has given no answer. */
const unanswered = (outcome: DeliveryFailure, reason: Text): DiscordRefusal => ({
  status: 0,
  code: undefined,
  outcome,
  reason,
  global: false,
  invalid: false,
});

const withheld = ({ reason, retryAfter }: TokenRefusal): DiscordRefusal =>
  unanswered({ kind: 'rate_limited', retryAfter }, reason);

const calledOff = unanswered(
  { kind: 'unavailable', accepted: 'no' },
  msg('sending was cancelled before it began'),
);

function unreachedRefusal(error: unknown, signal: AbortSignal): DiscordRefusal {
  const neverSent = isNeverSent(error);
  const reason = neverSent
    ? msg('Discord could not be reached; retrying')
    : signal.aborted
      ? msg('sending was cancelled')
      : msg('Discord gave no answer in time or broke off; retrying under the same nonce');
  return unanswered({ kind: 'unavailable', accepted: neverSent ? 'no' : 'unknown' }, reason);
}

export const toError = ({ outcome, reason }: DiscordRefusal): DeliveryError =>
  new DeliveryError(outcome, reason);
