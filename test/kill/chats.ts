import { request as send } from 'undici';
import type { Receiver } from '#src/alert/subscription.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { blocks, linesOf, startSlack } from '#test/support/slack.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';
import type { Ends, Reply, Request } from './ends.ts';
import { faults, type Outcome } from './kill.ts';
import { shownIn, wishes } from './storm.ts';

/** How Discord recognises a repeated attempt: by its nonce, or by the channel's last messages, which the bot reads. */
export type Memory = 'nonce' | 'last messages' | 'nonce and last messages';

/**
 * Starts a Discord and a Slack with a channel, and a Telegram with a chat, for each room. A way of recognising repeated
 * attempts at Discord that `memory` does not name is disabled.
 */
export async function startChats(memory: Memory, rooms = Object.keys(wishes)): Promise<Ends> {
  const [discord, slack, telegram] = await Promise.all([
    startDiscord(memory === 'last messages' ? { nonceWindow: 0 } : {}),
    startSlack(),
    startTelegramDouble({ limits: null }),
  ]);
  if (memory === 'nonce') {
    // A bot that may not read a channel's history gets an empty list (API docs, "Get Channel Messages").
    discord.inject({
      only: ({ method, path }) => method === 'GET' && path.endsWith('/messages'),
      times: Number.POSITIVE_INFINITY,
      answer: { status: 200, body: [] },
    });
  }
  const channels = new Map<string, string>();
  const chats = new Map<string, string>();
  const slackChannels = new Map<string, string>();
  const addresses = new Map<string, readonly Receiver[]>();
  for (const [index, name] of rooms.entries()) {
    const { guild, channel } = discord.addGuild(name);
    // Ids of people are positive, those of groups negative.
    const chat = telegram.chat({ id: (index % 2 === 0 ? 1 : -1) * (5_000 + index) });
    channels.set(channel.id, name);
    chats.set(String(chat.id), name);
    const channelId = slack.channel(`C00000000${index}`);
    slackChannels.set(channelId, name);
    addresses.set(name, [
      { notifier: 'discord', address: { channelId: channel.id, guildId: guild.id } },
      { notifier: 'slack', address: { channelId } },
      { notifier: 'telegram', address: { chatId: String(chat.id) } },
    ]);
  }
  const ends = [
    { prefix: '/api/', url: new URL(discord.url).origin, read: readDiscord(channels) },
    { prefix: '/slack/', url: new URL(slack.url).origin, read: readSlack(slackChannels) },
    { prefix: '/', url: telegram.url, read: readTelegram(chats) },
  ];

  return {
    notifiers: (origin) => ({
      discord: { token: discord.token, apiUrl: `${origin}/api` },
      slack: { token: slack.token, apiUrl: `${origin}/slack/api` },
      telegram: { token: telegram.token, apiRoot: origin },
    }),
    receivers: (name) => addresses.get(name) ?? [],
    async take(request) {
      const { method, path, body, headers } = request;
      const end = ends.find(({ prefix }) => path.startsWith(prefix));
      const answer = await send(`${end?.url}${path.replace(/^\/slack/, '')}`, {
        method: method as 'GET' | 'POST' | 'PATCH',
        headers: {
          ...(headers.authorization !== undefined && { authorization: headers.authorization }),
          ...(headers['content-type'] !== undefined && { 'content-type': headers['content-type'] }),
          ...(headers['user-agent'] !== undefined && { 'user-agent': headers['user-agent'] }),
        },
        ...(body !== '' && { body }),
      });
      const reply = { status: answer.statusCode, body: await answer.body.text() };
      const arrival = reply.status === 200 ? end?.read(request, reply) : undefined;
      return { ...reply, ...(arrival !== undefined && { arrival }) };
    },
    async close() {
      await Promise.all([discord.close(), slack.close(), telegram.close()]);
    },
  };
}

type Reader = (request: Request, reply: Reply) => Reply['arrival'];

/** Reads requests to Discord: posts with the same nonce are the same post, whatever their text. */
function readDiscord(channels: ReadonlyMap<string, string>): Reader {
  const keys = new Map<string, string>();
  return ({ method, path, body }, reply) => {
    const [, channel = '', edited] = /\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
    const receiver = channels.get(channel);
    if (receiver === undefined || method === 'GET') return undefined;
    const { id } = JSON.parse(reply.body) as { id: string };
    const { nonce, embeds } = JSON.parse(body) as {
      nonce?: string;
      embeds: { title: string; description?: string }[];
    };
    // Discord returned an existing message for a known nonce.
    if (edited === undefined && keys.has(id)) return undefined;
    if (edited === undefined) keys.set(id, String(nonce));
    return {
      notifier: 'discord',
      receiver,
      key: keys.get(id) ?? '',
      body: embeds.map(({ title, description = '' }) => `${title}\n${description}`).join('\n'),
      act: edited === undefined ? 'post' : 'edit',
    };
  };
}

/** Reads requests to Slack: a post is identified by its metadata. */
function readSlack(channels: ReadonlyMap<string, string>): Reader {
  const keys = new Map<string, string>();
  return ({ path, body }, reply) => {
    const act = path.endsWith('/chat.postMessage')
      ? 'post'
      : path.endsWith('/chat.update')
        ? 'edit'
        : undefined;
    const { ok, ts } = JSON.parse(reply.body) as { ok: boolean; ts: string };
    if (act === undefined || !ok) return undefined;
    const said = JSON.parse(body) as { channel: string; blocks: unknown; metadata: Metadata };
    if (act === 'post') keys.set(ts, said.metadata.event_payload.id);
    return {
      notifier: 'slack',
      receiver: channels.get(said.channel) ?? '',
      key: keys.get(ts) ?? '',
      body: linesOf(blocks.parse(said.blocks)),
      act,
    };
  };
}
type Metadata = { readonly event_payload: { readonly id: string } };

/**
 * Reads requests to Telegram, which get no id of the post: posts are the same post if they reply to the same message,
 * or if they begin the same episode.
 */
function readTelegram(chats: ReadonlyMap<string, string>): Reader {
  const keys = new Map<string, string>();
  const begun = new Map<string, string>();
  return ({ path, body }, reply) => {
    const payload = JSON.parse(body) as {
      chat_id: string;
      text: string;
      message_id?: number;
      reply_parameters?: { message_id: number };
    };
    const receiver = chats.get(payload.chat_id);
    if (receiver === undefined) return undefined;
    const { message_id: id } = (JSON.parse(reply.body) as { result: { message_id: number } }).result;
    const message = `${receiver} ${id}`;
    const act = path.endsWith('/sendMessage') ? 'post' : 'edit';
    if (act === 'post') {
      const names = shownIn(payload.text).map(([name]) => `${receiver} ${name}`);
      const first =
        names.map((name) => begun.get(name)).find((key) => key !== undefined) ?? `first of ${names[0]}`;
      const answered = payload.reply_parameters?.message_id;
      if (answered === undefined) for (const name of names) begun.set(name, first);
      keys.set(message, answered === undefined ? first : `answer to ${answered}`);
    }
    return { notifier: 'telegram', receiver, key: keys.get(message) ?? '', body: payload.text, act };
  };
}

/** Returns the faults of any notifier, and at Discord and Slack, which can find posts again, doubled and outdated messages. */
export function chatFaults(outcome: Outcome): string[] {
  const found = ['discord', 'slack'].flatMap((name) => {
    const { doubled = 0, stale = [] } = outcome.verdicts[name] ?? {};
    return [
      ...(doubled > 0 ? [`${name}: ${doubled} messages twice`] : []),
      ...stale.map((text) => `${name}, left behind: ${text}`),
    ];
  });
  return [...faults(outcome), ...found];
}
