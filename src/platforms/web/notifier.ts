import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { address } from './address.ts';
import type { WebPost } from './message.ts';
import { createPublisher } from './publish.ts';

/** Posts to the web console. The id of a post is its reference, so sending it twice leaves one message. */
export function createNotifier(ports: Pick<NotifierPorts, 'messages' | 'wall'>): Connection {
  const storePost = createPublisher(ports);
  const publish = async (
    post: Omit<WebPost, 'room' | 'card'>,
    { card, to, signal }: { readonly to: unknown; readonly signal: AbortSignal } & Notification,
  ) => {
    const { room } = address.parse(to);
    try {
      signal.throwIfAborted();
      await storePost({ ...post, room, card });
    } catch (cause) {
      throw new DeliveryError(
        { kind: 'unavailable', accepted: 'no' },
        msg('the console could not keep the message; retrying'),
        { cause },
      );
    }
  };
  return {
    async send(notification, { address: to, signal }) {
      const { id, replyTo } = notification;
      const post = { id, edited: false, ...(replyTo === undefined ? {} : { replyTo }) };
      await publish(post, { ...notification, to, signal });
      return id;
    },
    async edit(reference, { notification, address: to, signal }) {
      await publish({ id: reference, edited: true }, { ...notification, to, signal });
      return reference;
    },
  };
}
