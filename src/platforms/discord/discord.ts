import { type Client, Events, type Guild } from 'discord.js';
import { sayCard } from '../../card/say-card.ts';
import { english, languageOf } from '../../language/languages.ts';
import { plainReader } from '../../language/say.ts';
import type { Text } from '../../language/text.ts';
import { outsideBoundary } from '../../runtime/boundary.ts';
import type { Conversation } from '../platform.ts';
import type { Loss, Ports } from '../ports.ts';
import { followAnnouncements } from './announcements.ts';
import { answer } from './answer.ts';
import { followCommandIds } from './command-ids.ts';
import { keepConnected } from './connection.ts';
import { createGreetings } from './greet-guilds.ts';
import { trackGuilds } from './guilds.ts';
import { createLongLines } from './long-lines.ts';
import { createLossNotices, type Notice } from './loss-notices.ts';
import { mayPostIn } from './may-post.ts';
import type { DiscordOptions } from './options.ts';
import { createPages } from './pages.ts';
import { createPlaceUpdates, followPlaces } from './place-updates.ts';
import { keepPresence } from './presence.ts';
import { registerCommands } from './registration.ts';
import { problem } from './retry.ts';
import { inviteLink, whereaboutsOf } from './whereabouts.ts';

interface DiscordConversation extends Conversation {
  /** Resolves to true when people can talk to the bot, or to false if Discord refuses the bot for now. */
  readonly ready: Promise<boolean>;
  /** Tells someone in a guild that the bot can no longer post in one of its channels; the notifier calls it. */
  notifyLoss(loss: Loss): void;
}

/** Starts the conversation on Discord. Returns at once. Errors are logged and never end the bot. */
export function startDiscord(options: DiscordOptions, ports: Ports): DiscordConversation {
  const { log, wall, places } = ports;
  const { shards } = options;
  const scope = shards === undefined ? 'all' : `${shards.ids[0]}-${shards.ids.at(-1)}/${shards.count}`;
  const guilds = trackGuilds(places, scope);
  const caches = { pages: createPages(), lines: createLongLines() };
  const idsIn = followCommandIds(ports);
  const updates = createPlaceUpdates(places);
  const stopping = new AbortController();
  const ready = Promise.withResolvers<boolean>();
  let client: Client | undefined;
  /** Since when which shards have no connection, wall ms; none may be known by number yet. */
  const silent = new Map<number | 'all', number>();
  const noteSilent = (shard: number | 'all') => void silent.getOrInsert(shard, wall.now());

  const inBackground = (what: string, work: () => Promise<unknown>): void =>
    void outsideBoundary(work).catch((error) => log.warn(problem(error), `Discord: ${what} failed`));
  let isRefused = false;
  const sayRefused = (remedy: Text) => {
    if (!isRefused) ports.reportTokenRefused(remedy);
    isRefused = true;
    ready.resolve(false);
  };

  /** Posts a card in the guild's preferred language, or in English if the bot does not have that language. */
  const post = async (channel: { readonly id: string }, { card, guild, id }: Notice) => {
    const language = languageOf(guild.preferredLocale) ?? english;
    const reader = { ...plainReader, language, slash: 'options' as const };
    const place = { notifier: 'discord', address: { channelId: channel.id } };
    await ports.post(place, { card: sayCard(card, reader), signal: stopping.signal, id });
  };
  const notify = createLossNotices(post);
  const greet = createGreetings({ guilds, post, wall, signal: stopping.signal });
  const updateGuilds = async ({ guilds: { cache } }: Client<true>) => {
    for (const id of await guilds.updateAll([...cache.keys()])) {
      const guild = cache.get(id);
      if (guild?.available === true) inBackground('greeting a server', () => greet(guild));
    }
    for (const guild of cache.values()) await updates.resumeAllowed('guildId', { id: guild.id, guild });
  };
  const join = (guild: Guild) =>
    inBackground('greeting a server', async () => {
      if (await guilds.recordJoined(guild.id)) await greet(guild);
    });

  const registerHandlers = (to: Client): void => {
    followAnnouncements(to, { places, inBackground });
    followPlaces(to, { updates, inBackground });
    to.once(Events.ClientReady, (connected) => {
      const invite = inviteLink(connected.application.id);
      log.info({ guilds: connected.guilds.cache.size, invite }, 'in Discord');
      if (isRefused) ports.reportTokenAccepted();
      isRefused = false;
      silent.clear();
      inBackground('registering commands', () =>
        registerCommands(connected, { ...ports, options, signal: stopping.signal }),
      );
      inBackground('looking at servers', () => updateGuilds(connected));
      ready.resolve(true);
    });
    to.on(Events.InteractionCreate, (interaction) => {
      const { channelId, guildId } = interaction;
      const ids = idsIn(guildId ?? undefined);
      inBackground('answering', () => answer(interaction, { ...ports, ...caches, ids }));
      if (channelId !== null && mayPostIn(interaction))
        inBackground('resuming a channel', () => updates.resumeChannel(channelId));
    });
    to.on(Events.ShardReconnecting, noteSilent);
    to.on(Events.ShardReady, (shard) => void silent.delete(shard));
    to.on(Events.ShardResume, (shard) => void silent.delete(shard));
    to.on(Events.GuildCreate, join);
    to.on(Events.GuildAvailable, join);
    to.on(Events.GuildDelete, ({ id }) => inBackground('recording a departure', () => guilds.recordLeft(id)));
    to.on(Events.Error, (error) => log.warn(problem(error), 'Discord: error in the client; continuing'));
    to.on(Events.ShardError, (error, shard) =>
      log.warn({ ...problem(error), shard }, 'Discord: error in a shard; it reconnects'),
    );
  };

  const showing =
    options.presence === undefined
      ? undefined
      : keepPresence(options.presence, { ...ports, signal: stopping.signal, client: () => client });
  const connecting = keepConnected(options, {
    ...{ log, wall, signal: stopping.signal },
    opened(opened) {
      client = opened;
      registerHandlers(opened);
    },
    unreachable: () => noteSilent('all'),
    refused: sayRefused,
  });

  return {
    ready: ready.promise,
    notifyLoss({ address: { guildId, channelId }, reason, forGood }) {
      const guild = client?.guilds.cache.get(String(guildId));
      if (guild === undefined) return;
      inBackground('posting a notice', () =>
        notify(guild, { channelId: String(channelId), reason, forGood }),
      );
    },
    whereabouts: async () => ({
      ...whereaboutsOf(client),
      silentSince: silent.size === 0 ? undefined : Math.min(...silent.values()),
    }),
    async close() {
      stopping.abort();
      ready.resolve(false);
      await Promise.all([connecting, showing]);
    },
  };
}
