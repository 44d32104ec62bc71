import { hash } from 'node:crypto';
import type { Card } from '../../card/card.ts';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { hour } from '../../runtime/units.ts';
import type { NotifierPorts } from '../ports.ts';
import { code } from './failure.ts';
import { isForumPostClosed, isInForumPost } from './forum-post.ts';
import { isSameMark, type PostMark, postMarkId } from './mark.ts';
import * as messages from './post-body.ts';
import type { PublishedPost } from './publishing.ts';
import { createRendering } from './render-once.ts';
import { type Call, type DiscordUpload, type Rest, type RestAnswer, toError } from './rest.ts';
import { bare, type CommandIds } from './text.ts';

/** A message to post, and how to post it. */
export interface DiscordPost {
  /** Identifies the post: the same for every attempt; at most 25 characters. */
  readonly id: string;
  /** Identifies the post and its content. */
  readonly mark: PostMark;
  readonly card: Card<string>;
  readonly loud: boolean;
  /** The id of the one role that is mentioned. */
  readonly mention?: string;
  readonly ids: CommandIds;
  readonly replyTo?: messages.MessageLocation | undefined;
}

export interface DiscordPlace {
  readonly channelId: string;
  readonly guildId?: string | undefined;
  readonly threadId?: string | undefined;
}

interface Attempt {
  readonly to: DiscordPlace;
  readonly signal: AbortSignal;
  /** Given if the request still has to take its turn at the pace. */
  readonly lane?: 'routine' | 'edit' | undefined;
}

/** Returns the key of a rate limit: each channel has one for posts and one for edits. */
export const paceOf = ({ channelId }: { readonly channelId?: unknown }, act: 'post' | 'edit'): string =>
  `${channelId}/${act}`;

const imageName = 'chart.png';
/** How long a channel that takes no files gets no pictures, market ms: somebody may change that. */
const withoutPictures = hour;
/** Number of a channel's messages that are searched for a post that may have arrived: as many as one request returns. */
const maxSearched = 100;

/** Returns the nonce of a page below a post, which is the same for every attempt; a nonce has at most 25 characters. */
const pageNonce = (id: string, page: number): string =>
  hash('sha256', `${id} ${page}`, 'base64url').slice(0, 25);

/** Returns the key that ends the name of a forum post, because a list of forum posts shows only their names. */
const keyOf = (id: string): string => id.slice(0, 8);

const unreadable = (): DeliveryError =>
  new DeliveryError(
    { kind: 'unavailable', accepted: 'unknown' },
    msg('Discord took the message, but its answer is unreadable; looking for the post'),
  );

const isWrongType = (answer: { readonly code: number | undefined }): boolean =>
  answer.code === code.nonTextChannel || answer.code === code.wrongChannelType;

/** The post is there, so the next attempt has to look for it. */
const outdated = (refused: Extract<RestAnswer, { ok: false }>): DeliveryError =>
  new DeliveryError(
    { kind: 'unavailable', accepted: 'unknown' },
    msg('Discord knew the message from an earlier attempt, but did not take its newer text'),
    { cause: toError(refused) },
  );

/**
 * Finds, posts and edits the messages of one bot. The pipeline has already taken a turn at the pace for the first request of
 * an attempt; every further request takes its own turn, in the lane that is given.
 */
export class Posts {
  readonly #rest: Rest;
  readonly #ports: NotifierPorts;
  /** Channels that turned out to be forums, where every post has a thread of its own. */
  readonly #forums = new Set<string>();
  /** Channels that take no files, with the time until which none is tried. */
  readonly #takesNoFiles = new Map<string, number>();
  readonly #pagesOf = createRendering();

  constructor(rest: Rest, ports: NotifierPorts) {
    this.#rest = rest;
    this.#ports = ports;
  }

  async #ask(call: Call, lane?: 'routine' | 'edit'): Promise<RestAnswer> {
    if (lane !== undefined) await this.#ports.pace.take(call.place, { lane, signal: call.signal });
    return this.#rest.ask(call);
  }

  async #render(
    post: DiscordPost,
    channel: string,
  ): Promise<{ readonly message: object; readonly files?: readonly DiscordUpload[] }> {
    const { card } = post;
    const isRefused = (this.#takesNoFiles.get(channel) ?? Number.NEGATIVE_INFINITY) > this.#ports.now();
    // If the chart cannot be drawn, the post is sent without it.
    const picture =
      card.chart && !isRefused ? await this.#ports.image(card).catch(() => undefined) : undefined;
    const common = { now: this.#ports.now(), mark: post.mark, ids: post.ids };
    if (picture === undefined) return { message: this.#pagesOf(card, common)[0] };
    return {
      message: {
        ...this.#pagesOf(card, { ...common, image: imageName })[0],
        attachments: [{ id: 0, filename: imageName, description: picture.alt }],
      },
      files: [{ name: imageName, type: 'image/png', bytes: picture.png }],
    };
  }

  /**
   * Tells whether a post has to be tried again without its picture. Discord does not say which permission is missing: where
   * "Attach Files" is, text may be posted all the same.
   */
  #lacksFilesOnly(
    answer: RestAnswer,
    { channel, files }: { readonly channel: string; readonly files: readonly DiscordUpload[] | undefined },
  ): boolean {
    if (answer.ok || answer.code !== code.missingPermissions) return false;
    // Without a picture it is refused, too: the picture was not the reason.
    if (files === undefined) this.#takesNoFiles.delete(channel);
    else this.#takesNoFiles.set(channel, this.#ports.now() + withoutPictures);
    return files !== undefined;
  }

  /**
   * Looks for the message of an attempt whose outcome is not known: the newest message with its mark. Returns null if there
   * is none, and undefined if that cannot be known, for example because the bot may not read the channel's history. Throws
   * DeliveryError if Discord cannot be asked.
   */
  async find(
    { id, replyTo }: Pick<DiscordPost, 'id' | 'replyTo'>,
    { to, signal, lane }: Attempt,
  ): Promise<messages.MessageLocation | null | undefined> {
    const { channelId, threadId, guildId } = to;
    const common = { method: 'GET', place: paceOf(to, 'post'), signal } as const;
    const path = `/channels/${replyTo?.channel ?? threadId ?? channelId}/messages?limit=${maxSearched}`;
    const list = await this.#ask({ ...common, path }, lane);
    // If the bot may not read the history, posting will fail with the reason, or the nonce will prevent a second message.
    if (!list.ok && (list.outcome.kind === 'unavailable' || list.outcome.kind === 'rate_limited'))
      throw toError(list);
    // Edits of the message that is replied to had the same post id and left their mark on that message.
    const recentPosts = list.ok ? messages.readMessages(list) : [];
    const foundPost = recentPosts.find(
      ({ message, mark }) => message !== replyTo?.message && mark?.post === postMarkId(id),
    );
    // If the list is full, newer messages may have pushed the post out of it.
    const isComplete =
      list.ok && Array.isArray(list.json) && list.json.length > 0 && list.json.length < maxSearched;
    const inForumPost = replyTo !== undefined && isInForumPost(replyTo, to);
    if (foundPost !== undefined || (isComplete && !inForumPost)) return foundPost ?? null;
    const inForum = guildId !== undefined && threadId === undefined && (replyTo === undefined || inForumPost);
    if (!inForum) return isComplete ? null : undefined;
    // Below a forum post that was closed nothing can be posted: there the reply became a forum post of its own.
    const active = await this.#ask({ ...common, path: `/guilds/${guildId}/threads/active` }, 'routine');
    const post = active.ok ? messages.findForumPost(active, { forum: channelId, key: keyOf(id) }) : undefined;
    const isNotBelow = inForumPost && (isComplete || isForumPostClosed(list, { at: replyTo, to }));
    const isAbsent = active.ok && (inForumPost ? isNotBelow : this.#forums.has(channelId));
    return post ?? (isAbsent ? null : undefined);
  }

  /**
   * Posts a message; if the channel is a forum, as a forum post of its own. An escalation is posted below the message that it
   * is to reply to (`asReply` false) where the bot may not read the history, which replies need.
   */
  async create(
    post: DiscordPost,
    { to, signal, lane, asReply = true }: Attempt & { readonly asReply?: boolean },
  ): Promise<{ readonly ok: true; readonly at: PublishedPost } | Extract<RestAnswer, { ok: false }>> {
    const { id: nonce, loud, mention, replyTo } = post;
    const channel = replyTo?.channel ?? to.threadId ?? to.channelId;
    const { message, files } = await this.#render(post, channel);
    const json = messages.messageBody({
      message,
      loud,
      mention,
      replyTo: asReply ? replyTo?.message : undefined,
    });
    const common = { method: 'POST', place: paceOf(to, 'post'), signal, ...(files && { files }) } as const;
    if (!this.#forums.has(channel)) {
      const body = { ...json, nonce, enforce_nonce: true };
      const answer = await this.#ask({ ...common, path: `/channels/${channel}/messages`, json: body }, lane);
      if (answer.ok) {
        const at = messages.readPosted(answer);
        if (at === undefined) throw unreadable();
        // Because of the nonce, Discord returned the message of an earlier attempt. Its content may be older.
        if (at.mark !== undefined && !isSameMark(at.mark, post.mark)) {
          const rewritten = await this.rewrite(at, { post, to, signal, lane: 'edit' });
          if (!rewritten.ok) throw outdated(rewritten);
        }
        return { ok: true, at };
      }
      if (this.#lacksFilesOnly(answer, { channel, files }))
        return this.create(post, { to, signal, lane: 'routine', asReply });
      if (answer.code === code.cannotReply && asReply)
        return this.create(post, { to, signal, lane: 'routine', asReply: false });
      if (!isWrongType(answer)) return answer;
      this.#forums.add(channel);
    }
    const name = `${bare(post.card.title, 80) || 'Alert'} #${keyOf(nonce)}`;
    const path = `/channels/${channel}/threads`;
    const answer = await this.#ask({ ...common, path, json: { name, message: json } }, lane);
    if (this.#lacksFilesOnly(answer, { channel, files }))
      return this.create(post, { to, signal, lane: 'routine' });
    // The channel takes neither messages nor posts: next time it may be of another type.
    if (!answer.ok && isWrongType(answer)) this.#forums.delete(channel);
    if (!answer.ok) return answer;
    const at = messages.readForumPost(answer);
    if (at === undefined) throw unreadable();
    return { ok: true, at };
  }

  async rewrite(
    at: messages.MessageLocation,
    { post, to, signal, lane }: Attempt & { readonly post: DiscordPost },
  ): Promise<RestAnswer> {
    const { channel, message: id } = at;
    const { message, files } = await this.#render(post, channel);
    const json = messages.editBody(message);
    const path = `/channels/${channel}/messages/${id}`;
    const answer = await this.#ask(
      { method: 'PATCH', path, place: paceOf(to, 'edit'), json, ...(files && { files }), signal },
      lane,
    );
    return this.#lacksFilesOnly(answer, { channel, files })
      ? this.rewrite(at, { post, to, signal, lane: 'edit' })
      : answer;
  }

  /**
   * Posts the text that did not fit into a post: in a thread under the post, or in messages below it if a thread is
   * impossible or not wanted. Returns false if Discord refuses.
   */
  async postOverflow(
    post: DiscordPost,
    {
      to,
      at,
      threads,
      signal,
    }: {
      readonly to: DiscordPlace;
      readonly at: messages.MessageLocation;
      readonly threads: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { card } = post;
    const [, ...pages] = this.#pagesOf(card, { ...post, now: this.#ports.now() });
    if (pages.length === 0) return true;
    const common = { method: 'POST', place: paceOf(to, 'post'), signal } as const;
    const inThread = to.threadId !== undefined || this.#forums.has(to.channelId);
    const belowPost = !threads || inThread || to.guildId === undefined;
    // An earlier attempt may have opened the thread and posted some of the pages.
    let alreadyPosted = 0;
    if (!belowPost) {
      const opening = { name: bare(card.title, 100) || 'Details', auto_archive_duration: 1_440 };
      const path = `/channels/${at.channel}/messages/${at.message}/threads`;
      const opened = await this.#ask({ ...common, path, json: opening }, 'edit');
      if (!opened.ok && opened.code !== code.threadExists) return false;
      if (!opened.ok) {
        const listPath = `/channels/${at.message}/messages?limit=${maxSearched}`;
        const list = await this.#ask({ ...common, method: 'GET', path: listPath }, 'edit');
        alreadyPosted = list.ok ? messages.countPlain(list) : 0;
      }
    }
    // A thread that is opened under a message has the message's id.
    const path = `/channels/${belowPost ? at.channel : at.message}/messages`;
    for (const [page, message] of [...pages.entries()].slice(alreadyPosted)) {
      const nonce = pageNonce(post.id, page);
      const json = { ...messages.messageBody({ message, loud: false }), nonce, enforce_nonce: true };
      const answer = await this.#ask({ ...common, path, json }, 'edit');
      if (!answer.ok) return false;
    }
    return true;
  }
}
