import { Agent, request } from 'undici';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { isNeverSent } from '../../runtime/never-sent.ts';
import { parseRetryAfter } from '../../runtime/retry-after.ts';
import { checkedDispatcher, isCalledOff } from '../../runtime/send-check.ts';
import { httpFailure, httpRemedies } from '../http-failure.ts';
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

export interface SlackApi {
  /** Sends one request. Throws DeliveryError if no valid response of Slack arrives. */
  ask(call: SlackCall): Promise<SlackAnswer>;
  close(): Promise<void>;
}

/**
 * Client of Slack's Web API for one bot token (docs.slack.dev/apis/web-api). A token that Slack has refused is not sent
 * again.
 */
export function createSlackApi(
  { token, apiUrl, timeout }: SlackOptions,
  { now, onTokenRefused }: { readonly now: () => number; readonly onTokenRefused: (reason: Text) => void },
): SlackApi {
  const agent = new Agent({ connect: { timeout: timeout / 2 }, maxResponseSize: maxAnswer });
  let tokenRefusal: SlackRefusal | undefined;

  const exchange = async ({ method, query, body, signal }: SlackCall) => {
    try {
      const answer = await request(`${apiUrl}/${method}?${new URLSearchParams(query)}`.replace(/\?$/, ''), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token.reveal()}`,
          'user-agent': 'tocsin',
          ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        dispatcher: checkedDispatcher(agent, signal),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      return { ...answer, text: await answer.body.text() };
    } catch (cause) {
      const accepted = isNeverSent(cause) ? 'no' : 'unknown';
      throw new DeliveryError(
        { kind: 'unavailable', accepted },
        msg('{host} gave no answer in time or broke off; retrying', { host: new URL(apiUrl).host }),
        { cause },
      );
    }
  };

  return {
    async ask(call) {
      if (tokenRefusal !== undefined) return { ok: false, refusal: tokenRefusal };
      if (isCalledOff(call.signal)) {
        const stopped = { kind: 'unavailable', accepted: 'no' } as const;
        const { host } = new URL(apiUrl);
        throw new DeliveryError(stopped, msg('{host} was not asked: sending was cancelled', { host }));
      }
      const { statusCode, headers, text } = await exchange(call);
      const retryAfter = parseRetryAfter(headers['retry-after'], now());
      if (statusCode === 429) return { ok: false, refusal: refusalOf('ratelimited', retryAfter) };
      const json = answerSchema.safeParse(parseJson(text));
      if (!json.success) throw unreadableError(apiUrl, statusCode);
      if (json.data.ok) return { ok: true, json: json.data, scopes: scopesOf(headers['x-oauth-scopes']) };
      const refusal = refusalOf(json.data.error ?? String(statusCode), retryAfter);
      // What a token may not read it may still post to: in a private channel, reading takes a scope of its own.
      if (call.query !== undefined && concernsToken(refusal))
        return { ok: false, refusal: { ...refusal, outcome: { kind: 'rejected' } } };
      if (concernsToken(refusal)) {
        tokenRefusal = refusal;
        onTokenRefused(refusal.reason);
      }
      return { ok: false, refusal };
    },
    close: () => agent.close(),
  };
}

const scopesOf = (header: unknown): readonly string[] | undefined =>
  typeof header === 'string' ? header.split(',').map((scope) => scope.trim()) : undefined;

/** Error for a response that is not Slack’s JSON: it comes from a proxy, or Slack has an outage. */
function unreadableError(apiUrl: string, status: number): DeliveryError {
  const failed = httpFailure(status, { retryAfter: undefined, now: 0 }) ?? {
    kind: 'unavailable' as const,
    accepted: 'unknown' as const,
  };
  const what =
    failed.kind === 'rejected' ? msg('the URL must be that of Slack’s Web API') : httpRemedies[failed.kind];
  return new DeliveryError(
    failed,
    msg('{host} answered {status}: {what}', { host: new URL(apiUrl).host, status: String(status), what }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
