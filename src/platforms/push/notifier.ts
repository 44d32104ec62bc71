import { hash } from 'node:crypto';
import { bodyLines } from '../../card/body-lines.ts';
import type { Card } from '../../card/card.ts';
import { cutBytes, plainLine } from '../../card/plain.ts';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { hour, second } from '../../runtime/units.ts';
import { askHttp } from '../ask-http.ts';
import { checkAccepted, httpRemedies } from '../http-failure.ts';
import type { Connection, Sending } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { publicAgent } from '../public-agent.ts';
import { encrypt, maxPlainBytes } from './encrypt.ts';
import { address, type PushOptions } from './options.ts';
import { authorization, keySetting } from './vapid.ts';

/** What the page's service worker shows (src/web/push-worker.ts). */
export interface PushMessage {
  /** The notification of the same tag is replaced. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly silent: boolean;
}

/** How long a push service keeps a message for a browser that is not there, wall s: what is older is of no use. */
const timeToLive = (4 * hour) / second;

/** RFC 8030 §7.3 and §5: the browser has unsubscribed. 401 and 403: the service does not know the key, or the clock is wrong. */
const failureByStatus: Readonly<Record<number, DeliveryFailure>> = {
  401: { kind: 'missing' },
  403: { kind: 'missing' },
  404: { kind: 'gone' },
  410: { kind: 'gone' },
};

const remedies: Record<DeliveryFailure['kind'], Text> = {
  ...httpRemedies,
  missing: msg('tried again for three days; is this machine’s clock right?'),
  rejected: msg('the push service does not take the message'),
};

/** Whether a browser may be reached by this push service. */
const isKnownService = (endpoint: string, { services }: Pick<PushOptions, 'services'>): boolean => {
  const host = URL.parse(endpoint)?.hostname ?? '';
  return services.some((service) => host === service || host.endsWith(`.${service}`));
};

/**
 * Opens a connection that sends to browsers through their push services. All posts about one alert have a tag: a later one
 * replaces the notification, and, as its `Topic`, the message that the service still keeps.
 */
export function openNotifier(options: PushOptions, { recall, resolve, wall }: NotifierPorts): Connection {
  const agent = publicAgent(options, { setting: 'platforms.push.allow', resolve });
  let known: string | undefined;

  const push = async (message: PushMessage, { address: to, signal }: Sending): Promise<void> => {
    const { endpoint, p256dh, auth, site } = address.parse(to);
    const { host } = new URL(endpoint);
    if (!isKnownService(endpoint, options))
      throw new DeliveryError(
        { kind: 'rejected' },
        msg('{host} is none of the push services in {setting}', { host, setting: 'platforms.push.services' }),
      );
    known ??= await recall(keySetting);
    if (known === undefined)
      throw new DeliveryError(
        { kind: 'missing' },
        msg('the key that browsers subscribed with is not in this database'),
      );
    const answer = await askHttp(endpoint, {
      body: encrypt(Buffer.from(JSON.stringify(message)), { p256dh, auth }),
      headers: {
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        authorization: authorization(known, { endpoint, site, now: wall.now() }),
        ttl: String(timeToLive),
        topic: hash('sha256', message.tag, 'base64url').slice(0, 32),
        urgency: message.silent ? 'low' : 'high',
      },
      agent,
      timeout: options.timeout,
      signal,
      onlyStatus: true,
    });
    checkAccepted(answer, { host, failureByStatus, remedies, wall });
  };

  return {
    async send({ id, replyTo, loud, card }, given) {
      // A reply takes the place of the post that it is about: two would say two things.
      const reference = replyTo === undefined ? id : `${id} ${tagOf(replyTo)}`;
      await push(messageOf(card, { tag: tagOf(reference), silent: !loud }), given);
      return reference;
    },
    async edit(reference, { notification: { card, onlyEdit }, ...given }) {
      // What only points on would take the place of the post that it points to.
      if (onlyEdit !== true) await push(messageOf(card, { tag: tagOf(reference), silent: true }), given);
      return reference;
    },
    close: () => agent.close(),
  };
}

/** Returns the tag in a post's reference, which is its id and, of a reply, the tag of the post before it. */
const tagOf = (reference: string): string => reference.split(' ').at(-1) ?? reference;

/** A third of what fits each: as JSON a text may be twice as long. */
const [maxTitleBytes, maxBodyBytes] = [300, Math.floor(maxPlainBytes / 2) - 600];

const messageOf = (card: Card<string>, given: Pick<PushMessage, 'tag' | 'silent'>): PushMessage => ({
  ...given,
  title: cutBytes(plainLine(card.title), maxTitleBytes),
  body: cutBytes(bodyLines(card).join('\n'), maxBodyBytes),
});
