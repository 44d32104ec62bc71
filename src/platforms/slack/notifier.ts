import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { createSlackApi } from './api.ts';
import { isUnanswerable, isUneditable, toError } from './failure.ts';
import { createPostSearch, type PacedAsk, type SendContext } from './find-post.ts';
import { address, type SlackOptions } from './options.ts';
import { postMetadata, readPosted, readReference, type SlackPost, writeReference } from './posts.ts';
import { renderSlack } from './render.ts';

/** Returns the key of a rate limit: each channel has its own for posts, and the workspace has one for edits. */
export const paceOf = ({ channelId }: { readonly channelId?: unknown }, act: 'post' | 'edit'): string =>
  act === 'post' ? String(channelId) : 'edits';

type Post = Pick<Notification, 'id' | 'version' | 'card' | 'loud'> & {
  readonly replyTo?: SlackPost | undefined;
};

/**
 * Opens a connection that posts messages of blocks and edits them. If an alert gets worse, a reply is posted to the
 * thread of its first message and also shown in the channel. Every message has invisible metadata, by which a post in
 * doubt is found again.
 */
export function openNotifier(options: SlackOptions, { pace, ...ports }: NotifierPorts): Connection {
  const api = createSlackApi(options, ports);

  const ask: PacedAsk = async ({ act, ...call }, { channel, signal, lane }) => {
    const place = paceOf({ channelId: channel }, act);
    if (lane !== undefined) await pace.take(place, { lane, signal });
    const answer = await api.ask({ ...call, signal });
    if (!answer.ok && answer.refusal.outcome.kind === 'rate_limited')
      pace.block(place, answer.refusal.outcome.retryAfter);
    return answer;
  };

  const findPost = createPostSearch(ask);

  const create = async (post: Post, context: SendContext): Promise<SlackPost> => {
    const { channel } = context;
    const body = {
      channel,
      ...renderSlack(post.card),
      ...postMetadata(post.id),
      parse: 'none',
      unfurl_links: false,
      unfurl_media: false,
      ...(post.replyTo !== undefined && { thread_ts: post.replyTo.thread, reply_broadcast: post.loud }),
    };
    const answer = await ask({ act: 'post', method: 'chat.postMessage', body }, context);
    if (answer.ok)
      return { ...readPosted(answer.json), ...(post.replyTo && { thread: post.replyTo.thread }) };
    const { replyTo, ...alone } = post;
    if (replyTo === undefined || !isUnanswerable(answer.refusal)) throw toError(answer.refusal);
    return create(alone, { ...context, lane: 'routine' });
  };

  const rewrite = (
    { channel, ts }: SlackPost,
    { post: { id, card }, ...context }: { readonly post: Pick<Post, 'id' | 'card'> } & SendContext,
  ) => {
    const body = { channel, ts, ...renderSlack(card), ...postMetadata(id), parse: 'none' };
    return ask({ act: 'edit', method: 'chat.update', body }, context);
  };

  /** Posts a message. If an earlier attempt has already posted it, edits that message instead. */
  const postOrUpdate = async (
    post: Post,
    { doubt, ...context }: { readonly doubt: boolean } & SendContext,
  ): Promise<SlackPost> => {
    const earlier = doubt ? await findPost(post, context) : undefined;
    if (!earlier) return create(post, { ...context, lane: doubt ? 'routine' : context.lane });
    const answer = await rewrite(earlier, { post, ...context, lane: 'edit' });
    if (!answer.ok && !isUneditable(answer.refusal)) throw toError(answer.refusal);
    return earlier;
  };

  const postOf = ({ replyTo, ...post }: Notification): Post => ({
    ...post,
    ...(replyTo !== undefined && { replyTo: readReference(replyTo) }),
  });

  return {
    async find({ id, replyTo }, { address: to, signal }) {
      const post = { id, ...(replyTo !== undefined && { replyTo: readReference(replyTo) }) };
      const found = await findPost(post, { channel: address.parse(to).channelId, signal });
      return found && writeReference(found);
    },
    async send(notification, { address: to, signal }) {
      const channel = address.parse(to).channelId;
      return writeReference(
        await postOrUpdate(postOf(notification), { doubt: notification.doubt, channel, signal }),
      );
    },
    async edit(reference, { notification, address: to, signal }) {
      const at = readReference(reference);
      const context = { channel: address.parse(to).channelId, signal };
      const answer = await rewrite(at, { post: notification, ...context });
      if (answer.ok) return reference;
      if (!isUneditable(answer.refusal) || notification.onlyEdit) throw toError(answer.refusal);
      // A reply tells the update instead. An earlier attempt whose outcome is unknown may have posted it already.
      const quiet = { ...postOf(notification), loud: false, replyTo: at };
      return writeReference(await postOrUpdate(quiet, { ...context, doubt: true, lane: 'routine' }));
    },
    close: () => api.close(),
  };
}
