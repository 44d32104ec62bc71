import { Agent } from 'undici';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Clock } from '../../runtime/clock.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { parseRetryAfter } from '../../runtime/retry-after.ts';
import { askHttp } from '../ask-http.ts';
import { httpFailure, httpRemedies } from '../http-failure.ts';
import { createTokenHold, type TokenPorts, type TokenRefusal } from '../token-hold.ts';
import { concernsToken, refusalOf, type SlackRefusal } from './failure.ts';
import type { SlackOptions } from './options.ts';

/** Largest response in bytes; two hundred messages take a fifth of it. */
const maxAnswer = 4_000_000;

const answerSchema = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

export type SlackAnswer =
  | { readonly ok: true; readonly json: object; readonly scopes: readonly string[] | undefined }
  | { readonly ok: false; readonly refusal: SlackRefusal };

export interface SlackCall {
  /** Name of the method, such as `chat.postMessage`. */
  readonly method: string;
  /** Arguments of a method that reads. A method that writes takes its arguments as JSON in `body`. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

interface SlackApi {
  /** Sends one request. Throws DeliveryError if no valid response of Slack arrives. */
  ask(call: SlackCall): Promise<SlackAnswer>;
  close(): Promise<void>;
}

/**
 * Client of Slack's Web API for one bot token (docs.slack.dev/apis/web-api).
 */
export function createSlackApi(
  { token, apiUrl, timeout }: SlackOptions,
  ports: TokenPorts & { readonly wall: Clock },
): SlackApi {
  const agent = new Agent({ connect: { timeout: timeout / 2 } });
  const tokenHold = createTokenHold(ports);

  const exchange = ({ method, query, body, signal }: SlackCall) =>
    askHttp(`${apiUrl}/${method}?${new URLSearchParams(query)}`.replace(/\?$/, ''), {
      headers: {
        authorization: `Bearer ${token.reveal()}`,
        ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      },
      body: body && JSON.stringify(body),
      agent,
      timeout,
      signal,
      maxBytes: maxAnswer,
    });

  return {
    async ask(call) {
      const held = tokenHold.held();
      if (held !== undefined) return { ok: false, refusal: withheld('held', held) };
      const { status, headers, text } = await exchange(call);
      const retryAfter = parseRetryAfter(headers['retry-after'], ports.wall.now());
      if (status === 429) return { ok: false, refusal: refusalOf('ratelimited', retryAfter) };
      const json = answerSchema.safeParse(parseJson(text));
      if (!json.success) throw unreadableError(apiUrl, status);
      const refusal = json.data.ok ? undefined : refusalOf(json.data.error ?? String(status), retryAfter);
      if (refusal === undefined || !concernsToken(refusal)) tokenHold.accepted();
      if (refusal === undefined)
        return { ok: true, json: json.data, scopes: scopesOf(headers['x-oauth-scopes']) };
      // What a token may not read it may still post to: in a private channel, reading takes a scope of its own.
      if (call.query !== undefined && concernsToken(refusal))
        return { ok: false, refusal: { ...refusal, outcome: { kind: 'rejected' } } };
      if (concernsToken(refusal))
        return { ok: false, refusal: withheld(refusal.code, tokenHold.refused(refusal.reason)) };
      return { ok: false, refusal };
    },
    close: () => agent.close(),
  };
}

const scopesOf = (header: unknown): readonly string[] | undefined =>
  typeof header === 'string' ? header.split(',').map((scope) => scope.trim()) : undefined;

/** Error for a response that is not Slack’s JSON: it comes from a proxy, or Slack has an outage. */
function unreadableError(apiUrl: string, status: number): DeliveryError {
  const failure = httpFailure(status, { retryAfter: undefined, now: 0 });
  const isRefused = failure?.kind === 'rejected';
  // What refuses the request is no Slack, and says nothing about the message.
  const outcome = failure === undefined || isRefused ? unavailable(isRefused ? 'no' : 'unknown') : failure;
  const what = isRefused ? msg('the URL must be that of Slack’s Web API') : httpRemedies.unavailable;
  return new DeliveryError(
    outcome,
    msg('{host} answered {status}: {what}', { host: new URL(apiUrl).host, status: String(status), what }),
  );
}

const unavailable = (accepted: 'no' | 'unknown') => ({ kind: 'unavailable', accepted }) as const;

const withheld = (code: string, { reason, retryAfter }: TokenRefusal): SlackRefusal => ({
  code,
  outcome: { kind: 'rate_limited', retryAfter },
  reason,
});
