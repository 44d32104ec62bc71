import type { SlackAnswer, SlackCall } from './api.ts';
import { toError } from './failure.ts';
import { readMessages, type SlackPost } from './posts.ts';

/** Number of messages of one response, among which a post in doubt is searched: the largest page that Slack recommends. */
const pageSize = 200;
/** Number of pages of a thread that are searched. A channel lists its newest messages first, so its first page is enough. */
const maxPages = 10;

export interface SendContext {
  readonly channel: string;
  readonly signal: AbortSignal;
  /** Lane in the rate limit's queue, for a request that has not had its turn yet. */
  readonly lane?: 'routine' | 'edit' | undefined;
}

/** Sends one request, at the pace of the channel or of edits. */
export type PacedAsk = (
  call: { readonly act: 'post' | 'edit' } & Omit<SlackCall, 'signal'>,
  context: SendContext,
) => Promise<SlackAnswer>;

interface SoughtPost {
  readonly id: string;
  readonly replyTo?: SlackPost | undefined;
}

/**
 * Looks for a post in doubt, by the metadata of the messages. Returns its message; null if it does not exist; undefined if it
 * is not among the messages that are searched, or if they cannot be read.
 */
type PostSearch = (post: SoughtPost, context: SendContext) => Promise<SlackPost | null | undefined>;

export function createPostSearch(ask: PacedAsk): PostSearch {
  const findPost: PostSearch = async (post, context) => {
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
    { post: { id, replyTo }, context }: { readonly post: SoughtPost; readonly context: SendContext },
  ): Promise<SlackPost | null | undefined> => {
    const { channel } = context;
    // A thread lists its oldest replies first.
    const thread = method === 'conversations.replies' &&
      replyTo !== undefined && { ts: replyTo.thread, oldest: replyTo.ts };
    const query = { channel, limit: String(pageSize), include_all_metadata: 'true', ...thread };
    let cursor: string | undefined;
    for (let page = 0; page < (thread ? maxPages : 1); page += 1) {
      const further = cursor !== undefined && { cursor };
      const answer = await ask(
        { act: 'post', method, query: { ...query, ...further } },
        further ? { ...context, lane: 'routine' } : context,
      );
      if (!answer.ok) {
        const { kind } = answer.refusal.outcome;
        if (kind === 'unavailable' || kind === 'rate_limited') throw toError(answer.refusal);
        // If the bot may not post there either, posting fails with the reason.
        return undefined;
      }
      const { messages, isComplete, next } = readMessages(answer.json);
      // Edits of the message that is replied to used the same id and left it in that message's metadata.
      const found = messages.find(({ ts, mark }) => mark === id && ts !== replyTo?.ts);
      if (found !== undefined) return { channel, ts: found.ts, thread: found.thread };
      if (isComplete) return null;
      if (next === undefined) return undefined;
      cursor = next;
    }
    return undefined;
  };

  return findPost;
}
