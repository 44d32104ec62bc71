import { Agent } from 'undici';
import { z } from 'zod';
import type { Severity } from '../../alert/alert.ts';
import type { DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { askHttp } from '../ask-http.ts';
import { checkAccepted, httpRemedies, tokenRefusedError } from '../http-failure.ts';
import type { Connection, Notification, Sending } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { address, type NtfyOptions } from './options.ts';
import { renderNtfy } from './render.ts';

/**
 * Priorities of ntfy: 5 breaks through "do not disturb", 4 sounds longer, 3 sounds, 2 is silent
 * (docs.ntfy.sh/publish/#message-priority).
 */
const priorityBySeverity: Record<Severity, number> = { critical: 5, warning: 4, info: 3 };
const silentPriority = 2;

/** The response to a message published as JSON (https://docs.ntfy.sh/publish/#publish-as-json). */
const answerSchema = z.object({ id: z.string().min(1) });

/** The topic is reserved by somebody else or not found. This may change without notice, so it is tried again. */
const failureByStatus: Readonly<Record<number, DeliveryFailure>> = {
  403: { kind: 'missing' },
  404: { kind: 'missing' },
};

export const remedies: Record<DeliveryFailure['kind'], Text> = {
  ...httpRemedies,
  missing: msg('the token must be allowed to write to the topic; tried again for three days'),
  rejected: msg('the URL must be that of an ntfy server'),
};

export const notAccepted = (host: string): Text =>
  msg('{host} does not accept the token; set another and restart', { host });
export const authorizationHeader = ({ token }: NtfyOptions): Readonly<Record<string, string>> =>
  token === null ? {} : { authorization: `Bearer ${token.reveal()}` };

/**
 * Opens a connection that publishes to topics. Every post is a sequence of ntfy (server 2.16 and later): a message with
 * the same sequence id replaces the earlier one, so an update changes the notification, and a repeated message is seen
 * once. An older server shows each as a separate notification.
 */
export function openNotifier(options: NtfyOptions, ports: NotifierPorts): Connection {
  const agent = new Agent({ connect: { timeout: options.timeout / 2 } });
  const { host } = new URL(options.url);

  const publish = async (
    sequence: string,
    { card, priority }: Pick<Notification, 'card'> & { readonly priority: number },
    { address: to, signal }: Sending,
  ): Promise<string> => {
    const { topic } = address.parse(to);
    const answer = await askHttp(options.url, {
      body: JSON.stringify({ topic, sequence_id: sequence, priority, ...renderNtfy(card), click: card.url }),
      headers: authorizationHeader(options),
      agent,
      timeout: options.timeout,
      signal,
    });
    if (answer.status === 401) throw tokenRefusedError(notAccepted(host), ports);
    const isExpected = answerSchema.safeParse(parseJson(answer.text)).success;
    checkAccepted(answer, { host, failureByStatus, remedies, wall: ports.wall, isExpected });
    ports.reportTokenAccepted();
    return sequence;
  };

  return {
    send: ({ loud, card, id }, given) =>
      publish(
        id,
        { card, priority: loud ? priorityBySeverity[card.severity ?? 'info'] : silentPriority },
        given,
      ),
    edit: (reference, { notification: { card }, ...given }) =>
      publish(reference, { card, priority: silentPriority }, given),
    close: () => agent.close(),
  };
}
