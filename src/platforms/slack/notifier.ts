import { DeliveryError } from '../../language/errors.ts';
import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { createSlackApi, type SlackAnswer } from './api.ts';
import { isUnanswerable, isUneditable, type SlackRefusal } from './failure.ts';
import { address, type SlackOptions } from './options.ts';
import {
  postMetadata,
  readMessages,
  readPosted,
  readReference,
  type SlackPost,
  writeReference,
} from './posts.ts';
import { renderSlack } from './render.ts';

export interface SlackPorts extends Pick<NotifierPorts, 'reportTokenRefused'> {
  readonly wall: Pick<NotifierPorts['wall'], 'now'>;
  readonly pace: Pick<NotifierPorts['pace'], 'take' | 'block'>;
}

/** Returns the key of a rate limit: each channel has its own for posts, and the workspace has one for edits. */
export const paceOf = ({ channelId }: { readonly channelId?: unknown }, act: 'post' | 'edit'): string =>
  act === 'post' ? String(channelId) : 'edits';

/** Number of messages in which a post in doubt is searched: the largest page that Slack recommends. */
const maxSearched = 200;

interface SendContext {
  readonly channel: string;
  readonly signal: AbortSignal;
  /** Lane in the rate limit's queue, for a request that has not had its turn yet. */
  readonly lane?: 'routine' | 'edit' | undefined;
}

type Post = Pick<Notification, 'id' | 'version' | 'card' | 'loud'> & { readonly replyTo?: SlackPost };

const toError = ({ outcome, reason }: SlackRefusal): DeliveryError => new DeliveryError(outcome, reason);

/**
 * Opens a connection that posts messages of blocks and edits them. If an alert gets worse, a reply is posted to the
 * thread of its first message and also shown in the channel. Every message has invisible metadata, by which a post in
 * doubt is found again.
 */
export function openNotifier(
  options: SlackOptions,
  { wall, pace, reportTokenRefused }: SlackPorts,
): Connection {
  const api = createSlackApi(options, { now: wall.now, onTokenRefused: reportTokenRefused });

  const ask = async (
    { act, ...call }: { readonly act: 'post' | 'edit' } & Omit<Parameters<typeof api.ask>[0], 'signal'>,
    { channel, signal, lane }: SendContext,
  ): Promise<SlackAnswer> => {
    const place = paceOf({ channelId: channel }, act);
    if (lane !== undefined) await pace.take(place, { lane, signal });
    const answer = await api.ask({ ...call, signal });
    if (!answer.ok && answer.refusal.outcome.kind === 'rate_limited')
      pace.block(place, answer.refusal.outcome.retryAfter);
    return answer;
  };

  /**
   * Looks for a post in doubt. Returns its message; null if it does not exist; undefined if it is not among the last
   * messages or cannot be read.
   */
  const findPost = async (
    post: Pick<Post, 'id' | 'replyTo'>,
    context: SendContext,
  ): Promise<SlackPost | null | undefined> => {
    const { replyTo } = post;
    if (replyTo === undefined) return findAmong('conversations.history', { post, context });
    const inThread = await findAmong('conversations.replies', { post, context });
    if (inThread) return inThread;
    // Where the thread takes no replies, the post became a message of its own.
    const alone = await findAmong('conversations.history', {
      post,
      context: { ...context, lane: 'routine' },
    });
    return alone ?? inThread;
  };

  const findAmong = async (
    method: 'conversations.history' | 'conversations.replies',
    {
      post: { id, replyTo },
      context,
    }: { readonly post: Pick<Post, 'id' | 'replyTo'>; readonly context: SendContext },
  ): Promise<SlackPost | null | undefined> => {
    const { channel } = context;
    const thread = method === 'conversations.replies' && replyTo !== undefined && { ts: replyTo.thread };
    const query = { channel, limit: String(maxSearched), include_all_metadata: 'true', ...thread };
    const answer = await ask({ act: 'post', method, query }, context);
    if (!answer.ok) {
      if (answer.refusal.outcome.kind === 'rejected') return undefined;
      throw toError(answer.refusal);
    }
    const { messages, isComplete } = readMessages(answer.json);
    // Edits of the message that is replied to used the same id and left it in that message's metadata.
    const found = messages.find(({ ts, mark }) => mark === id && ts !== replyTo?.ts);
    if (found !== undefined) return { channel, ts: found.ts, thread: found.thread };
    return isComplete ? null : undefined;
  };

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
