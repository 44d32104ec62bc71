import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { DeliveryError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { isNeverSent } from '../runtime/never-sent.ts';
import { checkedDispatcher, isCalledOff } from '../runtime/send-check.ts';

/** A response is read up to about this many bytes. */
const maxAnswerBytes = 64 * 1_024;

interface JsonAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the response's body. */
  readonly text: string;
}

/**
 * POSTs JSON once to a server that the operator has chosen; redirects are not followed.
 * @param timeout for the whole response, ms
 * @throws DeliveryError if there was no response, or if nothing was sent because sending was cancelled
 */
export async function postJson(
  url: string,
  {
    body,
    headers,
    agent,
    timeout,
    signal,
  }: {
    readonly body: object;
    readonly headers: Readonly<Record<string, string>>;
    readonly agent: Dispatcher;
    readonly timeout: number;
    readonly signal: AbortSignal;
  },
): Promise<JsonAnswer> {
  const { host } = new URL(url);
  if (isCalledOff(signal)) {
    const stopped = { kind: 'unavailable', accepted: 'no' } as const;
    throw new DeliveryError(stopped, msg('{host} was not asked: sending was cancelled', { host }));
  }
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'tocsin', ...headers },
      body: JSON.stringify(body),
      dispatcher: checkedDispatcher(agent, signal),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await readStart(answer.body) };
  } catch (cause) {
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
