import { renderJson } from '../../card/render-json.ts';
import type { NotifierPorts } from '../ports.ts';
import type { WebMessage, WebPost } from './message.ts';

/** Keeps a message, by which everyone in its room is shown it. The same id again rewrites it. */
export const publisher =
  ({
    messages,
    wall,
  }: Pick<NotifierPorts, 'messages'> & { readonly wall: Pick<NotifierPorts['wall'], 'now'> }) =>
  async (post: WebPost): Promise<WebMessage> => {
    // What a message answers is said with its first version alone.
    const first = post.edited ? await messages.read(post.id, post.room) : undefined;
    const replyTo =
      post.replyTo ?? (first === undefined ? undefined : (JSON.parse(first) as WebMessage).replyTo);
    const message = {
      ...post,
      ...(replyTo !== undefined && { replyTo }),
      card: renderJson(post.card),
      at: wall.now(),
    };
    await messages.put({ id: message.id, room: message.room, body: JSON.stringify(message) });
    return message;
  };
