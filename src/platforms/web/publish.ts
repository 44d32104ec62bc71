import { renderPage } from '../../card/render-json.ts';
import type { Lease } from '../../runtime/role.ts';
import type { NotifierPorts } from '../ports.ts';
import type { WebMessage, WebPost } from './message.ts';

/**
 * Returns a function that stores a message, which shows it to everyone in its room. Storing the same id again replaces the
 * message, so an alert is stored under the lease of the process that delivers.
 */
export const createPublisher =
  ({
    messages,
    wall,
  }: Pick<NotifierPorts, 'messages'> & { readonly wall: Pick<NotifierPorts['wall'], 'now'> }) =>
  async (post: WebPost, lease?: Lease): Promise<WebMessage> => {
    // Only the first version of a message is posted with the message that it replies to; edits take `replyTo` from it.
    const first = post.edited ? await messages.read(post.id, post.room) : undefined;
    const replyTo =
      post.replyTo ?? (first === undefined ? undefined : (JSON.parse(first) as WebMessage).replyTo);
    const message = {
      ...post,
      ...(replyTo !== undefined && { replyTo }),
      card: renderPage(post.card),
      at: wall.now(),
    };
    await messages.put({ id: message.id, room: message.room, body: JSON.stringify(message), lease });
    return message;
  };
