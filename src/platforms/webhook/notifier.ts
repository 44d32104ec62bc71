import { createHash } from 'node:crypto';
import { renderJson } from '../../card/render-json.ts';
import type { DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';
import { askHttp } from '../ask-http.ts';
import { checkAccepted, httpRemedies } from '../http-failure.ts';
import type { Connection } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { publicAgent } from '../public-agent.ts';
import { address, type WebhookOptions } from './options.ts';
import { signatureHeaders, signingSecret } from './signature.ts';

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
  const agent = publicAgent({
    allow: options.allow,
    setting: 'platforms.webhook.allow',
    connectTimeout: options.timeout / 2,
    resolve,
  });
  return {
    async send({ id, version, loud, replyTo, card }, { address: to, signal }) {
      const { url } = address.parse(to);
      const { host } = new URL(url);
      const body = JSON.stringify({ id, loud, replyTo, card: renderJson(card) });
      const attempt = `${id}-${version}`;
      const signature = {
        id: attempt,
        // The receiver compares it with its own clock.
        at: Math.floor(wall.now() / second),
        signing: signingSecret(options.secret, url),
      };
      const answer = await askHttp(url, {
        body,
        headers: { ...signatureHeaders(body, signature), traceparent: traceOf(replyTo ?? id, attempt) },
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
