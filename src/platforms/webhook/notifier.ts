import { createHash } from 'node:crypto';
import { request } from 'undici';
import { renderJson } from '../../card/render-json.ts';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { isCalledOff } from '../../runtime/departure.ts';
import { second } from '../../runtime/units.ts';
import { httpFailure, httpRemedies, notTaken } from '../http-failure.ts';
import type { Connection } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { address, type WebhookOptions } from './options.ts';
import { publicAgent } from './public-agent.ts';
import { signed, signingSecret } from './signature.ts';

export interface WebhookPorts extends Pick<NotifierPorts, 'resolve' | 'tracer'> {
  /** The receiver holds the signature's timestamp against its own clock. */
  readonly wall: Pick<NotifierPorts['wall'], 'now'>;
}

/** Of an answer nobody reads: enough to reuse the connection, too little to hurt. Bytes. */
const maxAnswer = 64 * 1_024;

/** 410 alone is meant for ever (RFC 9110 §15.5.11); a 404 may be a deployment that went wrong. */
const gone: Readonly<Record<number, DeliveryFailure>> = { 404: { kind: 'missing' }, 410: { kind: 'gone' } };

const remedies: Record<DeliveryFailure['kind'], Text> = {
  ...httpRemedies,
  rejected: msg(
    'the address must accept a JSON POST with 2xx; a redirect is not followed, give the final URL',
  ),
};

/** W3C Trace Context: all that is sent of one message belongs to one trace, however often it is tried. */
function traceOf(message: string, attempt: string): string {
  const hash = (text: string, digits: number) =>
    createHash('sha256').update(text).digest('hex').slice(0, digits);
  return `00-${hash(message, 32)}-${hash(attempt, 16)}-01`;
}

/**
 * POSTs `{ id, loud, replyTo?, card }` as JSON, signed by Standard Webhooks. `webhook-id` is the same for every attempt that
 * says the same: one that comes later and says more has the `id` of the first and another `webhook-id`, so that whoever
 * drops known ones misses nothing. `traceparent` is the same trace for all of them, or, where traces are collected, the delivery's. Every update of an alert is a POST of
 * its own, with `replyTo` naming the first.
 */
export function openNotifier(options: WebhookOptions, { wall, resolve, tracer }: WebhookPorts): Connection {
  const agent = publicAgent({
    allow: options.allow,
    connectTimeout: options.timeout / 2,
    resolve,
  });
  return {
    async send({ id, version, loud, replyTo, card }, { address: to, signal }) {
      const { url } = address.parse(to);
      // Only the host: paths of webhooks are often secrets.
      const { host } = new URL(url);
      if (isCalledOff(signal)) {
        const stopped = { kind: 'unavailable', accepted: 'no' } as const;
        throw new DeliveryError(stopped, msg('{host} was not asked: sending was cancelled', { host }));
      }
      const body = JSON.stringify({ id, loud, replyTo, card: renderJson(card) });
      const attempt = `${id}-${version}`;
      const signature = {
        id: attempt,
        at: Math.floor(wall.now() / second),
        signing: signingSecret(options.secret, url),
      };
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(options.timeout)]);
      let answer: Awaited<ReturnType<typeof request>>;
      try {
        answer = await request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': 'tocsin',
            ...signed(body, signature),
            traceparent: tracer.traceparent() ?? traceOf(replyTo ?? id, attempt),
          },
          body,
          dispatcher: agent,
          signal: deadline,
        });
      } catch (cause) {
        if (cause instanceof DeliveryError) throw cause;
        throw new DeliveryError(
          { kind: 'unavailable', accepted: 'unknown' },
          msg('{host} gave no answer in time or broke off; retrying', { host }),
          { cause },
        );
      }
      // The status is the answer: a body that hangs or breaks changes nothing.
      await answer.body.dump({ limit: maxAnswer, signal: deadline }).catch(() => undefined);
      const outcome =
        gone[answer.statusCode] ??
        httpFailure(answer.statusCode, {
          retryAfter: answer.headers['retry-after'],
          now: wall.now(),
        });
      if (outcome === undefined) return id;
      throw notTaken(outcome, { host, status: answer.statusCode, remedies });
    },
    close: () => agent.close(),
  };
}
