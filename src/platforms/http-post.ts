import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { DeliveryError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { isNeverSent } from '../runtime/never-sent.ts';
import { checkedDispatcher, isCalledOff } from '../runtime/send-check.ts';

/** A response is read up to about this many bytes. */
const maxAnswerBytes = 64 * 1_024;

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the response's body. */
  readonly text: string;
}

interface HttpPost {
  /** JSON, unless the headers say otherwise. */
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Dispatcher;
  /** For the whole response, ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Only the status matters: a body that hangs or breaks off changes nothing. */
  readonly onlyStatus?: true;
}

/**
 * POSTs once; redirects are not followed. Messages contain only the host, because a path may be a secret.
 * @throws DeliveryError if there was no response, or if nothing was sent because sending was cancelled
 */
export async function postHttp(
  url: string,
  { body, headers, agent, timeout, signal, onlyStatus }: HttpPost,
): Promise<HttpAnswer> {
  const { host } = new URL(url);
  if (isCalledOff(signal)) {
    const stopped = { kind: 'unavailable', accepted: 'no' } as const;
    throw new DeliveryError(stopped, msg('{host} was not asked: sending was cancelled', { host }));
  }
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'tocsin', ...headers },
      body,
      dispatcher: checkedDispatcher(agent, signal),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    const text = readStart(answer.body);
    const { statusCode: status, headers: given } = answer;
    return { status, headers: given, text: await (onlyStatus ? text.catch(() => '') : text) };
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause;
    throw new DeliveryError(
      { kind: 'unavailable', accepted: isNeverSent(cause) ? 'no' : 'unknown' },
      msg('{host} gave no answer in time or broke off; retrying', { host }),
      { cause },
    );
  }
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxAnswerBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
