import { Agent, FormData } from 'undici';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { download } from '../../runtime/download.ts';
import { isNeverSent } from '../../runtime/never-sent.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { requestText, type TextResponse } from '../../runtime/request-text.ts';
import { scrub } from '../../runtime/secret.ts';
import { isCalledOff } from '../../runtime/send-check.ts';
import type { NotifierPorts } from '../ports.ts';
import { createTokenHold, type TokenPorts, type TokenRefusal } from '../token-hold.ts';
import {
  failureOf,
  notAccepted,
  proxyPause,
  refusal,
  refusesToken,
  remedyOf,
  type TelegramRefusal,
} from './failure.ts';
import type { TelegramOptions } from './options.ts';

interface BotApiPorts extends TokenPorts, Pick<NotifierPorts, 'pace' | 'wall'> {
  /** Called after each attempt that was not called off: whether Telegram answered it, even with a refusal. */
  readonly reportAnswered?: (answered: boolean) => void;
}

interface TelegramUpload {
  readonly name: string;
  /** MIME type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

interface CallOptions<Result extends z.ZodType> {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Schema of the expected result. */
  readonly result: Result;
  readonly signal: AbortSignal;
  /** A file, uploaded as the part named `file`; the payload refers to it by `attach://file`. */
  readonly file?: TelegramUpload | undefined;
  /** Replaces the option `timeout` for this call, ms. */
  readonly timeout?: number;
}

/** A client of Telegram's Bot API 9.2. Each call is one attempt. Throws DeliveryError, which says what has to be done next. */
export interface BotApi {
  call<Result extends z.ZodType = z.ZodUnknown>(
    method: string,
    given: CallOptions<Result>,
  ): Promise<z.output<Result>>;
  /** Downloads a file that somebody sent, at most `maxBytes` bytes. Throws DeliveryError, or the errors of `download`. */
  fetch(
    fileId: string,
    given: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array>;
  /** Wall ms, by Telegram's clock as its last answer told it where this machine's is ahead. */
  now(): number;
  close(): Promise<void>;
}

/** Maximum size of a response, bytes. The largest expected response, a hundred updates, is a tenth of it. */
const maxAnswerBytes = 8_000_000;

const answerSchema = z.union([z.object({ ok: z.literal(true), result: z.unknown() }), refusal]);

export function createBotApi(
  { token, apiRoot, timeout: defaultTimeout }: TelegramOptions,
  ports: BotApiPorts,
): BotApi {
  const { pace, wall, steady: clock, reportAnswered } = ports;
  const agent = new Agent({
    connections: 64,
    maxResponseSize: maxAnswerBytes,
    connect: { timeout: defaultTimeout / 2 },
  });
  const tokenHold = createTokenHold(ports);
  /** The shortest time between a request and its response, ms. It rises slowly, so that one fast response is forgotten. */
  let fastest = 0;
  let ahead = 0;

  const api: BotApi = {
    async call(method, { payload, result, signal, file, timeout = defaultTimeout }) {
      if (isCalledOff(signal)) {
        const stopped = { kind: 'unavailable', accepted: 'no' } as const;
        throw new DeliveryError(stopped, msg('Telegram: {method} was cancelled', { method }));
      }
      const held = tokenHold.held();
      if (held !== undefined) throw tokenError(held);
      const begun = clock.now();
      const answer = await exchange(method, { payload, file, signal, timeout });
      if (isPaced(method)) {
        const answered = clock.now();
        fastest = Math.min(answered - begun, fastest * 1.01 + 0.1);
        pace.reportDelay(begun, Math.max(begun, answered - fastest));
      }
      if (answer.ok || !refusesToken(answer)) tokenHold.accepted();
      if (answer.ok) {
        const parsed = result.safeParse(answer.result);
        if (parsed.success) return parsed.data;
        throw unreadableError(method, { status: 200, cause: parsed.error });
      }
      if (refusesToken(answer)) throw tokenError(tokenHold.refused(notAccepted));
      throw refusalError(method, answer);
    },
    async fetch(fileId, { maxBytes, signal }) {
      const result = z.object({ file_path: z.string() });
      const { file_path: path } = await api.call('getFile', { payload: { file_id: fileId }, result, signal });
      return download(`${apiRoot}/file/bot${token.reveal()}/${path}`, { most: maxBytes, signal });
    },
    now: () => wall.now() - ahead,
    close: () => agent.destroy(),
  };
  return api;

  async function exchange(
    method: string,
    { payload, file, signal, timeout }: Omit<CallOptions<z.ZodType>, 'result'> & { readonly timeout: number },
  ): Promise<z.output<typeof answerSchema>> {
    let response: TextResponse;
    try {
      response = await requestText(`${apiRoot}/bot${token.reveal()}/${method}`, {
        method: 'POST',
        ...body(payload, file),
        dispatcher: agent,
        signal,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      });
    } catch (cause) {
      if (!isCalledOff(signal)) reportAnswered?.(false);
      const accepted = isNeverSent(cause) ? 'no' : 'unknown';
      throw new DeliveryError(
        { kind: 'unavailable', accepted },
        accepted === 'no'
          ? msg('Telegram cannot be reached; retrying')
          : msg('Telegram gave no answer to {method} in time or broke off; retrying', { method }),
        { cause },
      );
    }
    const parsed = answerSchema.safeParse(parseJson(response.text));
    const saidAt = Date.parse(String(response.headers.date));
    // What is no answer of Telegram's comes from something with a clock of its own.
    if (parsed.success && Number.isFinite(saidAt)) ahead = Math.max(0, wall.now() - saidAt);
    reportAnswered?.(parsed.success || response.status === 429);
    if (parsed.success) return parsed.data;
    if (response.status === 429) {
      const outcome = proxyPause(response.headers['retry-after']);
      throw new DeliveryError(outcome, msg('a proxy before Telegram asked for a pause; resending after it'));
    }
    throw unreadableError(method, { status: response.status, cause: parsed.error });
  }
}

const tokenError = ({ reason }: TokenRefusal): DeliveryError =>
  new DeliveryError({ kind: 'unavailable', accepted: 'no' }, reason);

const isPaced = (method: string): boolean => /^(send|edit)/.test(method);

/** Returns the headers and body of a request. Only the URL contains the token; bodies and responses do not. */
function body(payload: Readonly<Record<string, unknown>>, file: TelegramUpload | undefined) {
  if (file === undefined) {
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(payload) };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(payload)) {
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name);
  return { body: form };
}

const unreadableError = (
  method: string,
  { status, cause }: { readonly status: number; readonly cause: unknown },
): DeliveryError =>
  new DeliveryError(
    // What refuses a request without Telegram's JSON is a proxy, which has not passed it on.
    { kind: 'unavailable', accepted: status >= 400 && status < 500 ? 'no' : 'unknown' },
    msg('Telegram answered {method} with something unreadable (status {status}); retrying', {
      method,
      status: String(status),
    }),
    { cause },
  );

function refusalError(method: string, answer: TelegramRefusal): DeliveryError {
  const outcome = failureOf(answer);
  const said = scrub(answer.description).slice(0, 200);
  return new DeliveryError(
    outcome,
    msg('Telegram answered {method} with {code}, "{said}": {remedy}', {
      method,
      code: String(answer.error_code),
      said,
      remedy: remedyOf(outcome),
    }),
  );
}
