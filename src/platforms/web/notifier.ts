import { z } from 'zod';
import type { Card } from '../../card/card.ts';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { defineNotifier, type Notification } from '../notifier.ts';

/** One version of one message in the console's chat: the same id again rewrites it. */
export interface Post {
  readonly id: string;
  readonly room: string;
  readonly card: Card<string>;
  readonly edited: boolean;
  readonly replyTo?: string;
}

export interface WebPorts {
  /** The web platform, which keeps the post and shows it. */
  readonly web: { publish(post: Post): Promise<void> };
}

const address = z.strictObject({ room: z.string().regex(/^[a-z0-9-]{1,40}$/, 'a room such as "main"') });

/** Posts into the web console. The id is the reference, so that sending twice leaves one message. */
export default defineNotifier({
  name: 'web',
  options: z.strictObject({}),
  address,
  limits: { concurrency: 8 },
  connect(_options, { web }: WebPorts) {
    const publish = async (
      post: Omit<Post, 'room' | 'card'>,
      { card }: Notification,
      to: unknown,
      signal: AbortSignal,
    ) => {
      const { room } = address.parse(to);
      try {
        signal.throwIfAborted();
        await web.publish({ ...post, room, card });
      } catch (cause) {
        throw new DeliveryError(
          { kind: 'unavailable', accepted: 'no' },
          msg('the console could not keep the message; retrying'),
          { cause },
        );
      }
    };
    return {
      async send(notification, to, signal) {
        const { id, replyTo } = notification;
        const post = { id, edited: false, ...(replyTo === undefined ? {} : { replyTo }) };
        await publish(post, notification, to, signal);
        return id;
      },
      async edit(reference, notification, to, signal) {
        await publish({ id: reference, edited: true }, notification, to, signal);
        return reference;
      },
    };
  },
});
