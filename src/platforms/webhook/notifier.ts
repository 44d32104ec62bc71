import { createHash, createHmac } from 'node:crypto';
import { renderJson } from '../../card/render-json.ts';
import type { DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Secret } from '../../runtime/secret.ts';
import { keyPrefix, signatureOf } from '../../runtime/standard-webhooks.ts';
import { second } from '../../runtime/units.ts';
import { askHttp } from '../ask-http.ts';
import { checkAccepted, httpRemedies } from '../http-failure.ts';
import type { Connection } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { publicAgent } from '../public-agent.ts';
import { address, type WebhookOptions } from './options.ts';

/**
 * Only 410 is permanent (RFC 9110 §15.5.11); a 404 may be caused by a faulty deployment, and a 401 or 403 by a login, a key or
 * a firewall before the receiver.
 */
const failureByStatus: Readonly<Record<number, DeliveryFailure>> = {
  401: { kind: 'missing' },
  403: { kind: 'missing' },
  404: { kind: 'missing' },
  410: { kind: 'gone' },
};

const remedies: Record<DeliveryFailure['kind'], Text> = {
  ...httpRemedies,
  rejected: msg(
    'the address must accept a JSON POST with 2xx; a redirect is not followed, give the final URL',
  ),
};

/**
 * Returns the signing key of one URL, in the form that libraries of Standard Webhooks take. It is derived from the
 * operator's secret, so that the holder of one key cannot sign for another URL.
 */
const signingSecret = (secret: Secret, url: string): string =>
  `${keyPrefix}${createHmac('sha256', secret.reveal()).update(url).digest('base64')}`;

/** Returns a `traceparent` (W3C Trace Context): all requests about one message belong to one trace, including retries. */
function traceOf(message: string, attempt: string): string {
  const hash = (text: string, digits: number) =>
    createHash('sha256').update(text).digest('hex').slice(0, digits);
  return `00-${hash(message, 32)}-${hash(attempt, 16)}-01`;
}

/**
 * Opens a connection that POSTs `{ id, loud, replyTo?, card }` as JSON, signed by Standard Webhooks. `webhook-id` is
 * the same for every attempt with the same content. A later attempt with more content has the same `id` and another
 * `webhook-id`, so that a receiver that drops known ids misses nothing. `traceparent` names the same trace for all
 * attempts. Every update of an alert is a separate POST, with
 * `replyTo` naming the first.
 */
export function openNotifier(options: WebhookOptions, { wall, resolve }: NotifierPorts): Connection {
  const agent = publicAgent(options, { setting: 'platforms.webhook.allow', resolve });
  return {
    async send({ id, version, loud, replyTo, card }, { address: to, signal }) {
      const { url } = address.parse(to);
      const { host } = new URL(url);
      const body = JSON.stringify({ id, loud, replyTo, card: renderJson(card) });
      const attempt = `${id}-${version}`;
      // The receiver compares it with its own clock.
      const at = Math.floor(wall.now() / second);
      const signing = signingSecret(options.secret, url);
      const answer = await askHttp(url, {
        body,
        headers: {
          'webhook-id': attempt,
          'webhook-timestamp': String(at),
          'webhook-signature': `v1,${signatureOf(body, { id: attempt, at, signing })}`,
          traceparent: traceOf(replyTo ?? id, attempt),
        },
        agent,
        timeout: options.timeout,
        signal,
        onlyStatus: true,
      });
      checkAccepted(answer, { host, failureByStatus, remedies, wall });
      return id;
    },
    close: () => agent.close(),
  };
}
