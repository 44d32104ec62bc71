import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { DeliveryError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { isNeverSent } from '../runtime/never-sent.ts';
import { requestText, type TextResponse } from '../runtime/request-text.ts';
import { isCalledOff } from '../runtime/send-check.ts';

/** The address of a server. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

/** Removes what would double the slash between an address and a path below it. */
export const withoutEndSlash = (url: string): string => url.replace(/\/+$/, '');

/** A response is read up to about this many bytes. */
const maxAnswerBytes = 64 * 1_024;

interface HttpRequest {
  /** JSON, unless the headers say otherwise. Absent: the request is a GET. */
  readonly body?: string | Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Dispatcher;
  /** For the whole response, ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  /** Only the status matters: a body that hangs or breaks off changes nothing. */
  readonly onlyStatus?: true;
}

/** The error of a post that was cancelled before anything of it was sent. */
export const cancelledError = (host: string): DeliveryError =>
  new DeliveryError(
    { kind: 'unavailable', accepted: 'no' },
    msg('{host} was not asked: sending was cancelled', { host }),
  );

/**
 * Sends one request; redirects are not followed. Messages contain only the host, because a path may be a secret.
 * @throws DeliveryError if there was no response, or if nothing was sent because sending was cancelled
 */
export async function askHttp(
  url: string,
  { body, headers, agent, timeout, signal, maxBytes = maxAnswerBytes, onlyStatus }: HttpRequest,
): Promise<TextResponse> {
  const { host } = new URL(url);
  if (isCalledOff(signal)) throw cancelledError(host);
  try {
    return await requestText(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'user-agent': 'tocsin',
        ...headers,
      },
      body: body ?? null,
      dispatcher: agent,
      signal,
      timeout,
      maxBytes,
      onlyStatus,
    });
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause;
    throw new DeliveryError(
      { kind: 'unavailable', accepted: isNeverSent(cause) ? 'no' : 'unknown' },
      msg('{host} gave no answer in time or broke off; retrying', { host }),
      { cause },
    );
  }
}
