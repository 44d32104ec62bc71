import { Agent } from 'undici';
import { isOver } from '../../card/card.ts';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { askHttp } from '../ask-http.ts';
import { checkAccepted, httpRemedies, tokenRefusedError } from '../http-failure.ts';
import type { Connection, Notification, Sending } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { type AppriseOptions, address } from './options.ts';
import { renderApprise } from './render.ts';

/** Statuses of the server (github.com/caronc/apprise-api, views.py). 204: it has nothing stored under the key. */
const failureByStatus: Readonly<Record<number, DeliveryFailure>> = {
  204: { kind: 'missing' },
  403: { kind: 'missing' },
  404: { kind: 'missing' },
};
/** Status if not all services behind the server were reached, or none has the tag. */
const partlyReached = 424;

export const remedies: Record<DeliveryFailure['kind'], Text> = {
  ...httpRemedies,
  missing: msg('it must have a configuration under that key; tried again for three days'),
  rejected: msg('the URL must be that of an Apprise API server'),
};

/** Prefix of the reference of an alert whose end was sent. */
const endMark = '!';

const announcesEnd: NonNullable<Connection['editPosts']> = (reference, { card, onlyEdit = false }) =>
  !onlyEdit && isOver(card) && !reference.startsWith(endMark);

/**
 * Opens a connection that posts to a key of an Apprise API server: one message when an alert begins, one when it gets
 * worse and one when it ends. A posted message cannot be edited, so updates in between are left out. It cannot be
 * searched for either, so a post in doubt is sent again. The server logs the `X-Apprise-ID` of each.
 */
export function openNotifier(options: AppriseOptions, ports: NotifierPorts): Connection {
  const agent = new Agent({ connect: { timeout: options.timeout / 2 } });
  const { host } = new URL(options.url);

  const notify = async (
    id: string,
    { card, doubt }: Notification,
    { address: to, signal }: Sending,
  ): Promise<void> => {
    const { key, tag } = address.parse(to);
    const answer = await askHttp(`${options.url}/notify/${key}`, {
      body: JSON.stringify({ ...renderApprise(card), tag }),
      headers: { accept: 'application/json', 'x-apprise-id': id, ...credentials(options) },
      agent,
      timeout: options.timeout,
      signal,
    });
    if (answer.status === partlyReached) throw new DeliveryError(partialFailure(doubt), partialText(host));
    if (answer.status === 401) throw tokenRefusedError(notAccepted(host), ports);
    const isExpected = !String(answer.headers['content-type']).startsWith('text/html');
    checkAccepted(answer, { host, failureByStatus, remedies, wall: ports.wall, isExpected });
    ports.reportTokenAccepted();
  };

  return {
    async send(notification, given) {
      await notify(notification.id, notification, given);
      return notification.id;
    },
    editPosts: announcesEnd,
    async edit(reference, { notification, ...given }) {
      if (!announcesEnd(reference, notification)) return reference;
      const { id, version } = notification;
      await notify(`${id}-${version}`, notification, given);
      return `${endMark}${reference}`;
    },
    close: () => agent.close(),
  };
}

export const notAccepted = (host: string): Text =>
  msg('{host} does not accept the user or the password; set others and restart', { host });

export function credentials({ user, password }: AppriseOptions): Readonly<Record<string, string>> {
  if (user === null) return {};
  const pair = Buffer.from(`${user}:${password?.reveal() ?? ''}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

/** A retry would reach again the services that already have the message. So it is retried once, and not a second time. */
const partialFailure = (doubt: boolean): DeliveryFailure =>
  doubt ? { kind: 'rejected' } : { kind: 'unavailable', accepted: 'unknown' };

const partialText = (host: string): Text =>
  msg('{host} did not reach every service behind the key, or none has the tag: see its log', { host });
