import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { CalledOff, isCalledOff } from '../../runtime/send-check.ts';
import type { Connection, Notification, Sending } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { address } from './address.ts';
import type { WebPost } from './message.ts';
import { createPublisher } from './publish.ts';

/** Posts to the web console. The id of a post is its reference, so sending it twice leaves one message. */
export function createNotifier(ports: Pick<NotifierPorts, 'messages' | 'wall'>): Connection {
  const storePost = createPublisher(ports);
  const publish = async (
    post: Omit<WebPost, 'room' | 'card'>,
    { card, address: to, signal, lease }: Pick<Notification, 'card'> & Sending,
  ) => {
    const { room } = address.parse(to);
    try {
      if (isCalledOff(signal)) throw new CalledOff();
      await storePost({ ...post, room, card }, lease);
    } catch (cause) {
      throw new DeliveryError(
        { kind: 'unavailable', accepted: 'no' },
        msg('the console could not keep the message; retrying'),
        { cause },
      );
    }
  };
  return {
    async find({ id }, { address: to }) {
      const { room } = address.parse(to);
      try {
        return (await ports.messages.read(id, room)) === undefined ? null : id;
      } catch (cause) {
        const failure = { kind: 'unavailable', accepted: 'unknown' } as const;
        throw new DeliveryError(failure, msg('the console could not look for the message; retrying'), {
          cause,
        });
      }
    },
    async send({ id, replyTo, card }, given) {
      const post = { id, edited: false, ...(replyTo === undefined ? {} : { replyTo }) };
      await publish(post, { card, ...given });
      return id;
    },
    async edit(reference, { notification: { card }, ...given }) {
      await publish({ id: reference, edited: true }, { card, ...given });
      return reference;
    },
  };
}
