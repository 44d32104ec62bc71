import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { followCommandIds } from './command-ids.ts';
import { code, type DiscordRefusal } from './failure.ts';
import { isForumPostClosed } from './forum-post.ts';
import { markOf } from './mark.ts';
import { address, type DiscordOptions } from './options.ts';
import { readPosted, readReference, writeReference } from './post-body.ts';
import { type DiscordPlace, type DiscordPost, Posts, paceOf } from './posts.ts';
import { createPublishing, type PublishedPost } from './publishing.ts';
import { createRest, type Rest, toError } from './rest.ts';
import { createSignIn } from './sign-in.ts';
import { bare, type CommandIds } from './text.ts';

const postOf = ({ replyTo, version, ...post }: Notification, ids: CommandIds): DiscordPost => ({
  ...post,
  ids,
  mark: markOf({ id: post.id, version }),
  ...(replyTo !== undefined && { replyTo: readReference(replyTo) }),
});

/** Returns a function that makes an error of a refusal, and reports the loss of a place. */
function createRefusalErrors(reportLoss: NotifierPorts['reportLoss']) {
  const missingChannels = new Set<string>();
  return (refused: DiscordRefusal, { channelId, guildId, threadId }: DiscordPlace): DeliveryError => {
    const where = { channelId, ...(guildId && { guildId }), ...(threadId && { threadId }) };
    const { kind } = refused.outcome;
    // A missing channel is tried again and again, but reported once.
    const isReported = kind === 'missing' && missingChannels.has(channelId);
    if (kind === 'missing') missingChannels.add(channelId);
    if (['gone', 'missing', 'barred'].includes(kind) && !isReported)
      reportLoss({ address: where, reason: refused.reason, forGood: kind === 'gone' });
    return toError(refused);
  };
}

const nothingToEdit = (): DeliveryError =>
  new DeliveryError(
    { kind: 'rejected' },
    msg('the post was deleted or closed: there is nothing left to edit'),
  );

/** How long a message older than an hour rests that Discord takes no more edits of. */
const restOfEdits = 10 * minute;
const editedTooOften = (): DeliveryError =>
  new DeliveryError(
    { kind: 'rate_limited', retryAfter: restOfEdits },
    msg('Discord takes no more edits of this old message for now'),
  );

/**
 * Posts embeds through Discord's REST API. Every post has a `nonce`: for some minutes, a second attempt with that nonce
 * returns the message of the first. Every post also carries a mark in the ids of its components (in a forum also in the
 * post's name), by which it can be found later.
 */
export function openNotifier(options: DiscordOptions, ports: NotifierPorts): Connection {
  const { threads, publish } = options;
  const rest = createRest(options, ports);
  const posts = new Posts(rest, ports);
  const idsIn = followCommandIds(ports);
  const publishing = createPublishing(rest, ports);
  /** Publishes a post if it is an alert. Other posts are meant for the channel itself, not for the channels that follow it. */
  const publishAlert = (
    post: PublishedPost | undefined,
    { card, to }: { readonly to: DiscordPlace } & Pick<DiscordPost, 'card'>,
  ) => {
    if (publish && post !== undefined && card.severity !== undefined) publishing.publish(post, to);
  };
  const refusalError = createRefusalErrors(ports.reportLoss);

  /** Posts the message. If an earlier attempt has already posted it, updates that post instead. */
  const postOrUpdate = async (
    post: DiscordPost,
    {
      doubt,
      to,
      signal,
      lane,
      alone,
    }: {
      readonly doubt: boolean;
      readonly to: DiscordPlace;
      readonly signal: AbortSignal;
      readonly lane?: 'routine' | undefined;
      /** A reply below a forum post that was deleted or closed becomes a forum post of its own. */
      readonly alone: boolean;
    },
  ): Promise<PublishedPost> => {
    const earlier = doubt ? await posts.find(post, { to, signal, lane }) : undefined;
    if (earlier) {
      const answer = await posts.rewrite(earlier, { post, to, signal, lane: 'edit' });
      const isFinal = isForumPostClosed(answer, { at: earlier, to });
      if (!answer.ok && answer.code !== code.tooManyOldEdits && !isFinal) throw refusalError(answer, to);
      return (answer.ok && readPosted(answer)) || earlier;
    }
    const answer = await posts.create(post, { to, signal, lane: doubt ? 'routine' : lane });
    if (answer.ok) return answer.at;
    if (!isForumPostClosed(answer, { at: post.replyTo, to })) throw refusalError(answer, to);
    if (!alone) throw nothingToEdit();
    const { replyTo: _, ...own } = post;
    return postOrUpdate(own, { doubt: false, to, signal, lane: 'routine', alone });
  };

  return {
    async find({ id, replyTo }, { address: given, signal }) {
      const post = { id, ...(replyTo !== undefined && { replyTo: readReference(replyTo) }) };
      const found = await posts.find(post, { to: address.parse(given), signal });
      return found && writeReference(found);
    },
    async send(notification, { address: given, signal }) {
      const to = address.parse(given);
      const post = postOf(notification, idsIn(to.guildId));
      const at = await postOrUpdate(post, { doubt: notification.doubt, to, signal, alone: true });
      publishAlert(at, { ...post, to });
      // The post has been sent, even if the rest of its text cannot be.
      if (!(await posts.postOverflow(post, { to, at, threads, signal }).catch(() => false)))
        ports.log.debug({ channel: at.channel }, 'could not post the rest of a long message');
      return writeReference(at);
    },
    async edit(reference, { notification, address: given, signal }) {
      const to = address.parse(given);
      const post = postOf(notification, idsIn(to.guildId));
      const at = readReference(reference);
      const answer = await posts.rewrite(at, { post, to, signal });
      if (answer.ok) {
        publishAlert(readPosted(answer), { ...post, to });
        return writeReference(at);
      }
      if (notification.board === true) {
        if (answer.code === code.unknownMessage) return null;
        if (answer.code === code.tooManyOldEdits) throw editedTooOften();
        throw refusalError(answer, to);
      }
      // Old posts can be edited only a few times, and posts in archived threads not at all: a reply is sent instead.
      const cannotEdit = answer.code === code.tooManyOldEdits || answer.code === code.archivedThread;
      if (cannotEdit && !notification.onlyEdit) {
        const quiet = { ...post, loud: false, replyTo: readReference(reference) };
        // An earlier attempt whose outcome is not known may already have sent this reply.
        const replyPost = await postOrUpdate(quiet, {
          doubt: true,
          to,
          signal,
          lane: 'routine',
          alone: false,
        });
        publishAlert(replyPost, { ...post, to });
        return writeReference(replyPost);
      }
      if (answer.code === code.unknownMessage || isForumPostClosed(answer, { at, to })) throw nothingToEdit();
      throw refusalError(answer, to);
    },
    ...furnishing(rest),
    signIn: createSignIn(options, { rest, ...ports }),
    link(reference, { guildId = '@me' }) {
      const { channel, message } = readReference(reference);
      return `https://discord.com/channels/${guildId}/${channel}/${message}`;
    },
    async close() {
      await publishing.close();
      await rest.close();
    },
  };
}

/** What a board asks of its channel besides its message. */
const furnishing = (rest: Rest): Pick<Connection, 'pin' | 'label'> => ({
  async pin(reference, { address: given, signal }) {
    const to = address.parse(given);
    const { channel, message } = readReference(reference);
    const path = `/channels/${channel}/messages/pins/${message}`;
    const answer = await rest.ask({ method: 'PUT', path, place: paceOf(to, 'edit'), signal });
    if (!answer.ok) throw toError(answer);
  },
  async label(text, { as, address: given, signal }) {
    const to = address.parse(given);
    const json = as === 'topic' ? { topic: bare(text, 1_024) } : { name: bare(text, 100) };
    const path = `/channels/${to.threadId ?? to.channelId}`;
    const answer = await rest.ask({ method: 'PATCH', path, place: `${to.channelId}/label`, json, signal });
    if (!answer.ok) throw toError(answer);
  },
});
