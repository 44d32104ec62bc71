import { DeliveryError } from '../../language/errors.ts';
import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { createSlackApi, type SlackAnswer } from './api.ts';
import { isFixed, isUnanswerable, type SlackRefusal } from './failure.ts';
import { address, type SlackOptions } from './options.ts';
import { marked, readMessages, readPosted, readReference, type SlackPost, writeReference } from './posts.ts';
import { renderSlack } from './render.ts';

export interface SlackPorts extends Pick<NotifierPorts, 'refused'> {
  readonly wall: Pick<NotifierPorts['wall'], 'now'>;
  readonly pace: Pick<NotifierPorts['pace'], 'take' | 'block'>;
}

/** Returns the key of a rate limit: each channel has its own for posts, and the workspace has one for edits. */
export const paceOf = ({ channelId }: { readonly channelId?: unknown }, act: 'post' | 'edit'): string =>
  act === 'post' ? String(channelId) : 'edits';

/** Number of messages in which a post in doubt is searched: the largest page that Slack recommends. */
const searched = 200;

interface Errand {
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
export function openNotifier(options: SlackOptions, { wall, pace, refused }: SlackPorts): Connection {
  const api = createSlackApi(options, { now: wall.now, refused });

  const ask = async (
    { act, ...call }: { readonly act: 'post' | 'edit' } & Omit<Parameters<typeof api.ask>[0], 'signal'>,
    { channel, signal, lane }: Errand,
  ): Promise<SlackAnswer> => {
    const place = paceOf({ channelId: channel }, act);
    if (lane !== undefined) await pace.take(place, { lane, signal });
    const answer = await api.ask({ ...call, signal });
    if (!answer.ok && answer.refused.outcome.kind === 'rate_limited')
      pace.block(place, answer.refused.outcome.retryAfter);
    return answer;
  };

  /**
   * Looks for a post in doubt. Returns its message; null if it does not exist; undefined if it is not among the last
   * messages or cannot be read.
   */
  const look = async (
    { id, replyTo }: Pick<Post, 'id' | 'replyTo'>,
    errand: Errand,
  ): Promise<SlackPost | null | undefined> => {
    const { channel } = errand;
    const query = { channel, limit: String(searched), include_all_metadata: 'true' };
    const answer = await ask(
      replyTo === undefined
        ? { act: 'post', method: 'conversations.history', query }
        : { act: 'post', method: 'conversations.replies', query: { ...query, ts: replyTo.thread } },
      errand,
    );
    if (!answer.ok) {
      if (answer.refused.outcome.kind === 'rejected') return undefined;
      throw toError(answer.refused);
    }
    const { messages, whole } = readMessages(answer.json);
    // Edits of the message that is replied to used the same id and left it in that message's metadata.
    const found = messages.find(({ ts, mark }) => mark === id && ts !== replyTo?.ts);
    if (found !== undefined) return { channel, ts: found.ts, thread: found.thread };
    return whole ? null : undefined;
  };

  const create = async (post: Post, errand: Errand): Promise<SlackPost> => {
    const { channel } = errand;
    const body = {
      channel,
      ...renderSlack(post.card),
      ...marked(post.id),
      parse: 'none',
      unfurl_links: false,
      unfurl_media: false,
      ...(post.replyTo !== undefined && { thread_ts: post.replyTo.thread, reply_broadcast: post.loud }),
    };
    const answer = await ask({ act: 'post', method: 'chat.postMessage', body }, errand);
    if (answer.ok)
      return { ...readPosted(answer.json), ...(post.replyTo && { thread: post.replyTo.thread }) };
    const { replyTo, ...alone } = post;
    if (replyTo === undefined || !isUnanswerable(answer.refused)) throw toError(answer.refused);
    return create(alone, { ...errand, lane: 'routine' });
  };

  const rewrite = (
    { channel, ts }: SlackPost,
    { post: { id, card }, ...errand }: { readonly post: Pick<Post, 'id' | 'card'> } & Errand,
  ) => {
    const body = { channel, ts, ...renderSlack(card), ...marked(id), parse: 'none' };
    return ask({ act: 'edit', method: 'chat.update', body }, errand);
  };

  /** Posts a message. If an earlier attempt has already posted it, edits that message instead. */
  const once = async (
    post: Post,
    { doubt, ...errand }: { readonly doubt: boolean } & Errand,
  ): Promise<SlackPost> => {
    const earlier = doubt ? await look(post, errand) : undefined;
    if (!earlier) return create(post, { ...errand, lane: doubt ? 'routine' : errand.lane });
    const answer = await rewrite(earlier, { post, ...errand, lane: 'edit' });
    if (!answer.ok && !isFixed(answer.refused)) throw toError(answer.refused);
    return earlier;
  };

  const postOf = ({ replyTo, ...post }: Notification): Post => ({
    ...post,
    ...(replyTo !== undefined && { replyTo: readReference(replyTo) }),
  });

  return {
    async find({ id, replyTo }, { address: to, signal }) {
      const post = { id, ...(replyTo !== undefined && { replyTo: readReference(replyTo) }) };
      const found = await look(post, { channel: address.parse(to).channelId, signal });
      return found && writeReference(found);
    },
    async send(notification, { address: to, signal }) {
      const channel = address.parse(to).channelId;
      return writeReference(await once(postOf(notification), { doubt: notification.doubt, channel, signal }));
    },
    async edit(reference, { notification, address: to, signal }) {
      const at = readReference(reference);
      const errand = { channel: address.parse(to).channelId, signal };
      const answer = await rewrite(at, { post: notification, ...errand });
      if (answer.ok) return reference;
      if (!isFixed(answer.refused) || notification.onlyEdit) throw toError(answer.refused);
      // A reply tells the update instead. An earlier attempt whose outcome is unknown may have posted it already.
      const quiet = { ...postOf(notification), loud: false, replyTo: at };
      return writeReference(await once(quiet, { ...errand, doubt: true, lane: 'routine' }));
    },
    close: () => api.close(),
  };
}
