import { z } from 'zod';
import { createCrossposts } from './crosspost.ts';
import {
  attached,
  type MessageBody,
  numbered,
  pinged,
  type Refused,
  readMessage,
  shown,
  type Upload,
} from './message.ts';
import type { StoredChannel, StoredMessage, World } from './world.ts';

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export interface Call {
  readonly json: unknown;
  readonly files: readonly Upload[];
  readonly query: URLSearchParams;
}

/** A route of the REST API: method, path, bucket of the rate limit, and response. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly bucket: string;
  answer(ids: readonly string[], call: Call): Reply;
}

const refuse = ({ status, ...body }: Refused): Reply => ({ status, body });
const unknownChannel: Refused = { status: 404, code: 10003, message: 'Unknown Channel' };
const unknownMessage: Refused = { status: 404, code: 10008, message: 'Unknown Message' };
const missingAccess: Refused = { status: 403, code: 50001, message: 'Missing Access' };
const missingPermission: Refused = { status: 403, code: 50013, message: 'Missing Permissions' };
const cannotDm: Refused = { status: 403, code: 50007, message: 'Cannot send messages to this user' };
const archived: Refused = { status: 400, code: 50083, message: 'Thread is archived' };
const cannotReply: Refused = {
  status: 400,
  code: 160002,
  message: 'Cannot reply without permission to read message history',
};
const tagRequired: Refused = {
  status: 400,
  code: 40067,
  message: 'A tag is required to create a forum post in this channel',
};
const notText: Refused = { status: 400, code: 50008, message: 'Cannot send messages in a non-text channel' };
const isRefused = (value: MessageBody | Refused): value is Refused => 'status' in value && 'code' in value;

export interface MessageStoreOptions {
  readonly world: World;
  readonly now: () => number;
  /** How long a nonce is remembered, ms. */
  readonly nonceWindow: number;
}

/** Creates the routes by which a bot writes, edits and reads messages and threads. */
export function messageRoutes({ world, now, nonceWindow }: MessageStoreOptions): Route[] {
  const crossposts = createCrossposts(world, now);
  const nonces = new Map<string, { message: StoredMessage; at: number }>();

  const find = (id: string | undefined, sending: boolean): StoredChannel | Refused => {
    const channel = world.channels.get(id ?? '');
    if (channel === undefined) return unknownChannel;
    if (!channel.canView) return missingAccess;
    if (sending && !channel.canSend) return channel.type === 1 ? cannotDm : missingPermission;
    return channel;
  };

  const keep = (
    channel: StoredChannel,
    body: MessageBody,
    files: readonly Upload[],
    id = world.id(),
    type: StoredMessage['type'] = 0,
  ) => {
    const message: StoredMessage = {
      id,
      type,
      channel_id: channel.id,
      author: { id: world.application, bot: true },
      timestamp: new Date(now()).toISOString(),
      edited_timestamp: null,
      content: body.content ?? '',
      embeds: body.embeds ?? [],
      components: numbered(body.components ?? []),
      attachments: attached(body, files, world.id),
      flags: body.flags ?? 0,
      pinged: pinged(body),
      ...(body.nonce !== undefined && { nonce: body.nonce }),
      ...(body.message_reference !== undefined && {
        message_reference: { message_id: body.message_reference.message_id },
      }),
    };
    channel.messages.push(message);
    return message;
  };

  const create: Route['answer'] = ([channelId], { json, files }) => {
    const channel = find(channelId, true);
    if ('code' in channel) return refuse(channel);
    if (channel.type === 15) return refuse(notText);
    if (channel.archived && channel.locked) return refuse(archived);
    if (files.length > 0 && !channel.canAttach) return refuse(missingPermission);
    const body = readMessage(json, files);
    if (isRefused(body)) return refuse(body);
    const { message_reference: reference } = body;
    if (reference !== undefined && !channel.canReadHistory) return refuse(cannotReply);
    if (reference !== undefined && reference.fail_if_not_exists !== false) {
      if (channel.messages.every(({ id }) => id !== reference.message_id)) return refuse(unknownMessage);
    }
    const nonce = body.nonce === undefined ? undefined : `${channel.id} ${body.nonce}`;
    if (nonce !== undefined && body.enforce_nonce === true) {
      const earlier = nonces.get(nonce);
      if (earlier !== undefined && now() - earlier.at < nonceWindow) {
        return { status: 200, body: shown(earlier.message, true) };
      }
    }
    channel.archived = false;
    const message = keep(channel, body, files);
    if (nonce !== undefined) nonces.set(nonce, { message, at: now() });
    return { status: 200, body: shown(message, true) };
  };

  const edit: Route['answer'] = ([channelId, messageId], { json, files }) => {
    const channel = find(channelId, false);
    if ('code' in channel) return refuse(channel);
    const message = channel.messages.find(({ id }) => id === messageId);
    if (message === undefined) return refuse(unknownMessage);
    if (channel.archived) return refuse(archived);
    if (channel.refusesOldEdits) {
      const text = 'Maximum number of edits to messages older than 1 hour reached. Try again later.';
      return { status: 429, body: { message: text, code: 30046, retry_after: 3_600, global: false } };
    }
    if (files.length > 0 && !channel.canAttach) return refuse(missingPermission);
    const body = readMessage(json, files, true);
    if (isRefused(body)) return refuse(body);
    const limited = crossposts.beforeEdit(message);
    if (limited !== undefined) return limited;
    if (body.content !== undefined) message.content = body.content;
    if (body.embeds !== undefined) message.embeds = body.embeds;
    if (body.components !== undefined) message.components = numbered(body.components);
    if (body.attachments !== undefined) {
      message.attachments = attached(body, files, world.id);
    }
    message.edited_timestamp = new Date(now()).toISOString();
    crossposts.afterEdit(message);
    return { status: 200, body: shown(message) };
  };

  const thread = (parent: StoredChannel, name: string, id = world.id()) =>
    world.addChannel({
      id,
      type: 11,
      parent_id: parent.id,
      name,
      ...(parent.guild_id !== undefined && { guild_id: parent.guild_id }),
    });
  const nameOf = (json: unknown): string | Refused => {
    const { name } = (json ?? {}) as { name?: unknown };
    if (typeof name === 'string' && name.trim() !== '' && name.length <= 100) return name;
    return { status: 400, code: 50035, message: 'Invalid Form Body', errors: { name: 'between 1 and 100' } };
  };

  /** When the topic or the name of each channel was changed: twice in ten minutes. */
  const labelled = new Map<string, number[]>();
  const pin: Route['answer'] = ([channelId, messageId]) => {
    const channel = find(channelId, true);
    if ('code' in channel) return refuse(channel);
    if (!channel.canPin) return refuse(missingPermission);
    if (channel.messages.every(({ id }) => id !== messageId)) return refuse(unknownMessage);
    channel.pins = [...new Set([messageId ?? '', ...channel.pins])];
    return { status: 204, body: undefined };
  };
  const modify: Route['answer'] = ([channelId], { json }) => {
    const channel = find(channelId, true);
    if ('code' in channel) return refuse(channel);
    if (!channel.canManage) return refuse(missingPermission);
    const read = z
      .strictObject({ name: z.string().min(1).max(100).optional(), topic: z.string().max(1_024).optional() })
      .safeParse(json);
    if (!read.success) return refuse({ status: 400, code: 50035, message: 'Invalid Form Body' });
    const recent = (labelled.get(channel.id) ?? []).filter((at) => now() - at < 600_000);
    if (recent.length >= 2)
      return {
        status: 429,
        body: { message: 'The resource is being rate limited.', retry_after: 300, global: false },
      };
    labelled.set(channel.id, [...recent, now()]);
    Object.assign(channel, read.data);
    return { status: 200, body: { id: channel.id, name: channel.name, topic: channel.topic } };
  };

  return [
    crossposts.route,
    { method: 'PUT', path: /^\/channels\/(\d+)\/messages\/pins\/(\d+)$/, bucket: 'pin', answer: pin },
    { method: 'PATCH', path: /^\/channels\/(\d+)$/, bucket: 'modify', answer: modify },
    { method: 'POST', path: /^\/channels\/(\d+)\/messages$/, bucket: 'create', answer: create },
    { method: 'PATCH', path: /^\/channels\/(\d+)\/messages\/(\d+)$/, bucket: 'edit', answer: edit },
    {
      method: 'GET',
      path: /^\/channels\/(\d+)\/messages$/,
      bucket: 'list',
      answer([channelId], { query }) {
        const channel = find(channelId, false);
        if ('code' in channel) return refuse(channel);
        const limit = Number(query.get('limit') ?? 50);
        if (!(limit >= 1 && limit <= 100)) {
          return refuse({ status: 400, code: 50035, message: 'Invalid Form Body', errors: { limit } });
        }
        return {
          status: 200,
          body: (channel.canReadHistory ? channel.messages : [])
            .slice(-limit)
            .reverse()
            .map((each) => shown(each)),
        };
      },
    },
    {
      method: 'POST',
      path: /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/,
      bucket: 'thread',
      answer([channelId, messageId], { json }) {
        const channel = find(channelId, true);
        if ('code' in channel) return refuse(channel);
        if (channel.type === 11) {
          return refuse({ status: 400, code: 50024, message: 'Cannot execute action on this channel type' });
        }
        if (channel.messages.every(({ id }) => id !== messageId)) return refuse(unknownMessage);
        const name = nameOf(json);
        if (typeof name !== 'string') return refuse(name);
        if (world.channels.has(messageId ?? '')) {
          return refuse({
            status: 400,
            code: 160004,
            message: 'A thread has already been created for this message',
          });
        }
        const made = thread(channel, name, messageId);
        keep(made, { flags: 0 } as MessageBody, [], world.id(), 21);
        const { id } = made;
        return { status: 201, body: { id, type: 11, name, parent_id: channel.id } };
      },
    },
    {
      method: 'POST',
      path: /^\/channels\/(\d+)\/threads$/,
      bucket: 'post-in-forum',
      answer([channelId], { json, files }) {
        const forum = find(channelId, true);
        if ('code' in forum) return refuse(forum);
        if (forum.requiresTag) return refuse(tagRequired);
        const name = nameOf(json);
        if (typeof name !== 'string') return refuse(name);
        const body = readMessage((json as { message?: unknown }).message, files);
        if (isRefused(body)) return refuse(body);
        const post = thread(forum, name);
        // The first message of a forum post has the post's own id.
        const message = keep(post, body, files, post.id);
        return {
          status: 201,
          body: { id: post.id, type: 11, name, parent_id: forum.id, message: shown(message) },
        };
      },
    },
    {
      method: 'GET',
      path: /^\/guilds\/(\d+)\/threads\/active$/,
      bucket: 'active',
      answer([guildId]) {
        const active = [...world.channels.values()].filter(
          ({ type, guild_id, archived: over }) => type === 11 && guild_id === guildId && !over,
        );
        const threads = active.map(({ id, name, parent_id }) => ({ id, type: 11, name, parent_id }));
        return { status: 200, body: { threads: threads.reverse(), members: [] } };
      },
    },
  ];
}
