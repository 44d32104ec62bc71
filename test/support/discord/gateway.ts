import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { StoredChannel, StoredGuild, World } from './world.ts';

export interface GatewayOptions {
  readonly world: World;
  readonly token: string;
  /** The gateway's URL, e.g. `ws://127.0.0.1:1234/gateway`. */
  readonly url: () => string;
  /** ms between heartbeats. */
  readonly heartbeat: number;
  /** The number of shards that it recommends at first, and does not yet require. */
  readonly shards: number;
}

export interface Gateway {
  /** Sends an event to every session, including sessions that resume later. */
  dispatch(type: string, data: unknown): void;
  /** Asks for this many shards from now on: sessions of fewer are closed with 4011, as is an IDENTIFY for fewer. */
  requireShards(count: number): void;
  requiredShards(): number;
  /** Closes every connection with this code. */
  hangUp(code: number): void;
  /** Asks the clients to reconnect (op 7). */
  reconnect(): void;
  /** Forgets all sessions: a RESUME is then answered with op 9. */
  forget(): void;
  /** Answers the next RESUME with this op 9, before RESUMED, and then closes the connection or not. */
  invalidateNext(given: { readonly d: unknown; readonly closes: boolean }): void;
  /** Closes the connection at the next IDENTIFY with this code, e.g. 4004 or 4014. */
  refuseNext(code: number): void;
  readonly seen: {
    identified: number;
    resumed: number;
    heartbeats: number;
    readonly shards: (readonly [number, number])[];
    /** The activities that the bot has shown, oldest first. */
    readonly activities: (readonly { readonly name: string; readonly type: number }[])[];
  };
  close(): void;
}

interface Session {
  readonly id: string;
  readonly shard: readonly [number, number];
  readonly events: { readonly s: number; readonly json: string }[];
  sequence: number;
  socket: WebSocket | undefined;
}

/** Intents that Discord must first grant to a bot: members, presences, message content. */
const privileged = (1 << 1) | (1 << 8) | (1 << 15);
const [dispatch, heartbeat, identify, presence, resume, reconnectOp, invalidSession, hello, acknowledged] = [
  0, 1, 2, 3, 6, 7, 9, 10, 11,
];

/** What a bot may set of its presence (API docs, "Update Presence"). */
const presenceUpdate = z.object({
  since: z.int().nullable(),
  activities: z.array(z.object({ name: z.string().min(1).max(128), type: z.int().min(0).max(5) })),
  status: z.enum(['online', 'dnd', 'idle', 'invisible', 'offline']),
  afk: z.boolean(),
});

/** Creates Discord's gateway: HELLO, IDENTIFY, READY, guilds, heartbeats, RESUME, and Discord's close codes. */
export function createGateway(
  server: Server,
  { world, token, url, heartbeat: every, shards }: GatewayOptions,
): Gateway {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.startsWith('/gateway') !== true) return socket.destroy();
    return sockets.handleUpgrade(request, socket, head, (open) => accept(open));
  });
  const sessions = new Map<string, Session>();
  const seen: Gateway['seen'] = { identified: 0, resumed: 0, heartbeats: 0, shards: [], activities: [] };
  let refusal: number | undefined;
  let invalidation: { readonly d: unknown; readonly closes: boolean } | undefined;
  let required = shards;

  /** A permission that the bot lacks in a channel is denied to @everyone there. */
  const channelEvent = ({
    id,
    type,
    name,
    guild_id,
    canView,
    canSend,
    readOnly,
    requiresTag,
  }: StoredChannel) => ({
    id,
    type,
    name,
    guild_id,
    flags: requiresTag ? 1 << 4 : 0,
    permission_overwrites: [
      {
        id: guild_id,
        type: 0,
        allow: '0',
        deny: String((canView ? 0 : 1 << 10) | (canSend && !readOnly ? 0 : 1 << 11)),
      },
      ...(readOnly && canSend ? [{ id: world.application, type: 1, allow: String(1 << 11), deny: '0' }] : []),
    ],
  });
  const threadEvent = ({ id, type, name, guild_id, parent_id, archived, locked }: StoredChannel) => ({
    id,
    type,
    name,
    guild_id,
    parent_id,
    thread_metadata: { archived, locked, auto_archive_duration: 1_440 },
  });
  const guildEvent = ({ id, channels, roles, bot, members: _, looks: __, ...guild }: StoredGuild) => ({
    ...guild,
    id,
    unavailable: false,
    member_count: 2,
    channels: channels
      .flatMap((each) => world.channels.get(each) ?? [])
      .filter(({ type }) => type !== 11)
      .map(channelEvent),
    threads: channels
      .flatMap((each) => world.channels.get(each) ?? [])
      .filter(({ type, archived }) => type === 11 && !archived)
      .map(threadEvent),
    roles: [
      // Permissions of @everyone: view, send, embed, attach, read history, send in threads.
      { id, name: '@everyone', permissions: String(379_968 + 2 ** 38), mentionable: false },
      ...[
        ...roles.slice(0, bot?.above).map((role) => ({ permissions: '0', ...role })),
        ...(bot === undefined
          ? []
          : [{ id: world.application, name: 'tocsin', permissions: bot.permissions, mentionable: false }]),
        ...(bot === undefined ? [] : roles.slice(bot.above).map((role) => ({ permissions: '0', ...role }))),
      ],
    ].map((role, position) => ({ ...role, position, color: 0, hoist: false, managed: false })),
    members: [
      {
        user: { id: world.application, username: 'tocsin', discriminator: '0', bot: true },
        roles: bot === undefined ? [] : [world.application],
        joined_at: '2026-01-01T00:00:00.000Z',
        deaf: false,
        mute: false,
        flags: 0,
      },
    ],
    ...{ emojis: [], stickers: [], presences: [], voice_states: [], stage_instances: [] },
    ...{ guild_scheduled_events: [], soundboard_sounds: [], features: [] },
    preferred_locale: 'en-US',
  });
  const onShard = ([index, count]: Session['shard'], guildId: string) =>
    Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;

  const push = (session: Session, t: string, d: unknown) => {
    session.sequence += 1;
    const json = JSON.stringify({ op: dispatch, t, s: session.sequence, d });
    session.events.push({ s: session.sequence, json });
    session.socket?.send(json);
  };

  function accept(socket: WebSocket): void {
    let session: Session | undefined;
    const recent: number[] = [];
    const presences: number[] = [];
    const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }));
    send(hello, { heartbeat_interval: every });

    const begin = (d: { token?: unknown; intents?: unknown; shard?: unknown }) => {
      seen.identified += 1;
      if (refusal !== undefined) {
        const code = refusal;
        refusal = undefined;
        return socket.close(code);
      }
      if (d.token !== token) return socket.close(4004);
      if (typeof d.intents !== 'number' || d.intents < 0) return socket.close(4013);
      if ((d.intents & privileged) !== 0) return socket.close(4014);
      const [index = 0, count = 1] = Array.isArray(d.shard) ? (d.shard as number[]) : [];
      if (index < 0 || index >= count) return socket.close(4010);
      if (required > shards && count < required) return socket.close(4011);
      session = { id: world.id(), shard: [index, count], events: [], sequence: 0, socket };
      seen.shards.push(session.shard);
      sessions.set(session.id, session);
      const own = [...world.guilds.values()].filter(({ id }) => onShard([index, count], id));
      push(session, 'READY', {
        v: 10,
        user: { id: world.application, username: 'tocsin', discriminator: '0', bot: true },
        guilds: own.map(({ id }) => ({ id, unavailable: true })),
        session_id: session.id,
        resume_gateway_url: url(),
        shard: session.shard,
        application: { id: world.application, flags: 0 },
      });
      for (const guild of own) push(session, 'GUILD_CREATE', guildEvent(guild));
      return undefined;
    };

    const goOn = (d: { token?: unknown; session_id?: unknown; seq?: unknown }) => {
      if (d.token !== token) return socket.close(4004);
      session = sessions.get(String(d.session_id));
      if (session === undefined || typeof d.seq !== 'number') return send(invalidSession, false);
      if (invalidation !== undefined) {
        const { d, closes } = invalidation;
        invalidation = undefined;
        if (d !== true) sessions.delete(session.id);
        session = undefined;
        send(invalidSession, d);
        return closes ? socket.terminate() : undefined;
      }
      if (d.seq > session.sequence) return socket.close(4007);
      seen.resumed += 1;
      session.socket = socket;
      for (const { s, json } of session.events) if (s > d.seq) socket.send(json);
      return push(session, 'RESUMED', {});
    };

    socket.on('message', (raw: Buffer) => {
      if (raw.length > 4_096) return socket.close(4002);
      const now = Date.now();
      recent.push(now);
      while ((recent[0] ?? now) < now - 60_000) recent.shift();
      if (recent.length > 120) return socket.close(4008);
      const { op, d } = JSON.parse(raw.toString('utf8')) as { op: number; d: Record<string, unknown> };
      if (op === heartbeat) {
        seen.heartbeats += 1;
        return socket.send(JSON.stringify({ op: acknowledged }));
      }
      if (op === identify) return session === undefined ? begin(d) : socket.close(4005);
      if (op === resume) return goOn(d);
      if (session === undefined) return socket.close(4003);
      if (op !== presence) return socket.close(4001);
      const shown = presenceUpdate.safeParse(d);
      if (!shown.success) return socket.close(4002);
      presences.push(now);
      while ((presences[0] ?? now) < now - 20_000) presences.shift();
      if (presences.length > 5) return socket.close(4008);
      return void seen.activities.push(shown.data.activities);
    });
    socket.on('close', () => {
      if (session?.socket === socket) session.socket = undefined;
    });
  }

  return {
    seen,
    dispatch(type, data) {
      const body =
        type === 'GUILD_CREATE'
          ? guildEvent(data as StoredGuild)
          : type === 'CHANNEL_UPDATE'
            ? channelEvent(data as StoredChannel)
            : type === 'THREAD_UPDATE'
              ? threadEvent(data as StoredChannel)
              : data;
      const { guild_id, id } = data as { guild_id?: string; id?: string };
      const guild = guild_id ?? (type.startsWith('GUILD_') ? id : undefined);
      for (const session of sessions.values()) {
        // Events without a guild go to shard 0.
        const here = guild === undefined ? session.shard[0] === 0 : onShard(session.shard, guild);
        if (here) push(session, type, body);
      }
    },
    requireShards(count) {
      required = count;
      for (const { shard, socket } of sessions.values()) if (shard[1] < count) socket?.close(4011);
    },
    requiredShards: () => required,
    hangUp(code) {
      for (const socket of sockets.clients) socket.close(code);
    },
    reconnect() {
      for (const socket of sockets.clients) socket.send(JSON.stringify({ op: reconnectOp, d: null }));
    },
    forget: () => sessions.clear(),
    invalidateNext(given) {
      invalidation = given;
    },
    refuseNext(code) {
      refusal = code;
    },
    close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}
